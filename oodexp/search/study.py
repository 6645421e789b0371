"""One Optuna study: the only file that knows Optuna.

Trials are recorded by the storage's own calls rather than by `study.ask`, so that a trial names its
worker from its first moment and a proposal that is not taken leaves no trace. Optuna's heartbeat
is not used: its thread belongs to `study.optimize`, and a lock that the system frees says more.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oodexp.error import OodexpError
from oodexp.search.base import COMPLETE, FAILED, RUNNING
from oodexp.search.claim import JournalLock, Worker
from oodexp.search.history import Attempt
from oodexp.search.space import Choices, Range, Space
from oodexp.search.steady import shown, steady

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.storages import BaseStorage
    from optuna.trial import FrozenTrial

JOURNAL = "journal.log"
"""Name of the journal file in its folder."""
_LONGEST = 2000  # characters of a reason
_OPENINGS = 10  # tries, while another worker makes the tables of a new database


class Study:
    """A study that several processes may have open."""

    def __init__(
        self, storage: BaseStorage, name: str, space: Space, directions: Mapping[str, str]
    ) -> None:
        """Opens the study, or makes it.

        Args:
            storage: See `journal` and `database`.
            name: Its full name.
            space: What its trials choose from.
            directions: `maximize` or `minimize` by objective.
        """
        import optuna

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        ways = [optuna.study.StudyDirection[way.upper()] for way in directions.values()]
        self._space, self._directions, self._storage = space, dict(directions), storage
        study = optuna.create_study(
            storage=storage, study_name=name, directions=ways, load_if_exists=True
        )
        if study.metric_names is None:
            with warnings.catch_warnings():  # the names are for optuna-dashboard
                warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
                study.set_metric_names(list(directions))
            study.set_user_attr("space", space.plain())
            study.set_user_attr("optuna", optuna.__version__)
        self._id = storage.get_study_id_from_name(name)
        self._distributions = {n: _distribution(d) for n, d in space.dimensions.items()}
        self._finished: dict[int, Attempt] = {}
        self._scratch = optuna.create_study(directions=ways)
        self._steering: set[int] = set()

    def attempts(self) -> list[Attempt]:
        """All trials by number; those that only wait in a queue are left out."""
        from optuna.trial import TrialState

        found = []
        for trial in self._storage.get_all_trials(self._id, deepcopy=False):
            if trial.state == TrialState.WAITING:
                continue
            attempt = self._finished.get(trial.number) or self._attempt(trial)
            if trial.state.is_finished():
                self._finished[trial.number] = attempt
            found.append(attempt)
        return sorted(found, key=lambda a: a.number)

    def begin(self, settings: Mapping[str, Any], worker: Worker, how: str) -> int:
        """Records that a worker is at these settings.

        Args:
            settings: A value for each dimension.
            worker: Who is at it.
            how: Who chose them, e.g. `tpe seed=0`.

        Returns:
            The number of the trial.
        """
        from optuna.trial import TrialState, create_trial

        names = {"worker": worker.lock, "host": worker.host, "started": time.time(), "by": how}
        template = create_trial(
            state=TrialState.RUNNING,
            params=self._labels(settings),
            distributions=self._distributions,
            user_attrs=names,
        )
        made = self._storage.create_new_trial(self._id, template)
        return self._storage.get_trial(made).number

    def finish(
        self,
        number: int,
        state: str,
        values: Mapping[str, float | None],
        reason: str = "",
        run_id: str = "",
    ) -> bool:
        """Records how a trial ended.

        Returns:
            Whether it was recorded; False when the trial had been given up for lost before.
        """
        from optuna.exceptions import UpdateFinishedTrialError
        from optuna.trial import TrialState

        trial = self._storage.get_trial_id_from_study_id_trial_number(self._id, number)
        attributes: dict[str, Any] = {"run_id": run_id} if run_id else {}
        if state != COMPLETE:
            attributes |= {"state": state, "reason": reason[:_LONGEST], "values": dict(values)}
        try:
            for key, value in attributes.items():
                self._storage.set_trial_user_attr(trial, key, value)
            if state == COMPLETE:
                self._storage.set_trial_state_values(trial, TrialState.COMPLETE, self._row(values))
            else:  # a failed trial does not steer TPE
                self._storage.set_trial_state_values(trial, TrialState.FAIL)
        except UpdateFinishedTrialError:
            return False
        return True

    def propose(self, attempts: Sequence[Attempt], seed: int) -> dict[str, Any]:
        """Settings that TPE would try next; depends on the complete trials and the seed alone."""
        import optuna

        for attempt in attempts:
            if attempt.state == COMPLETE and attempt.number not in self._steering:
                self._steering.add(attempt.number)
                self._scratch.add_trial(self._complete(attempt))
        self._scratch.sampler = optuna.samplers.TPESampler(seed=seed)
        asked = self._scratch.ask(self._distributions)
        self._scratch.tell(asked, state=optuna.trial.TrialState.FAIL)
        return self._settings(asked.params)

    def _complete(self, attempt: Attempt) -> FrozenTrial:
        from optuna.trial import create_trial

        return create_trial(
            values=self._row(attempt.values),
            params=self._labels(attempt.settings),
            distributions=self._distributions,
        )

    def _attempt(self, trial: FrozenTrial) -> Attempt:
        from optuna.trial import TrialState

        told = trial.user_attrs
        states = {TrialState.COMPLETE: COMPLETE, TrialState.RUNNING: RUNNING}
        values = dict(zip(self._directions, trial.values or [], strict=False))
        settings = self._settings(trial.params)
        return Attempt(
            number=trial.number,
            key=self._space.key(settings),
            settings=settings,
            state=states.get(trial.state) or told.get("state", FAILED),
            values=values or told.get("values") or dict.fromkeys(self._directions),
            reason=told.get("reason", ""),
            run_id=told.get("run_id", ""),
            worker=Worker(told["worker"], told.get("host", "")) if "worker" in told else None,
            started=float(told.get("started", 0.0)),
        )

    def _row(self, values: Mapping[str, float | None]) -> list[float]:
        """The values of a complete trial in the order of the objectives."""
        return [value for name in self._directions if (value := values[name]) is not None]

    def _labels(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        return {name: d.label(settings[name]) for name, d in self._space.dimensions.items()}

    def _settings(self, labels: Mapping[str, Any]) -> dict[str, Any]:
        return {name: d.read(labels[name]) for name, d in self._space.dimensions.items()}


def journal(folder: Path) -> BaseStorage:
    """The storage in a journal file."""
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    path = folder / JOURNAL
    lock = JournalLock(path)
    lock.acquire()  # mends it
    lock.release()
    return JournalStorage(JournalFileBackend(str(path), lock_obj=lock))  # type: ignore[arg-type]


def database(url: str, outage: float) -> BaseStorage:
    """The storage in a database.

    Args:
        url: Its address.
        outage: Seconds that it may be away once it was opened.

    Raises:
        OodexpError: If it cannot be opened; the password of the address is not shown.
    """
    from optuna.storages import RDBStorage, get_storage
    from sqlalchemy.exc import IntegrityError, ProgrammingError, SQLAlchemyError

    # A connection may be older than the server behind it.
    options: dict[str, Any] = {"pool_pre_ping": True}
    if url.startswith("sqlite"):
        options = {"connect_args": {"timeout": 60}}
    left = _OPENINGS
    while True:
        try:
            return steady(get_storage(RDBStorage(url, engine_kwargs=options)), url, outage)
        except (ImportError, SQLAlchemyError, ValueError) as error:
            left -= 1
            if left == 0 or not isinstance(error, (IntegrityError, ProgrammingError)):
                raise OodexpError(
                    f"studies cannot be kept in {shown(url)}: {type(error).__name__}; expected "
                    "e.g. sqlite:///FILE or postgresql+psycopg2://USER@HOST/NAME, its driver "
                    "installed, the server running and the database made"
                ) from None
        time.sleep(0.5)  # another worker is making the tables


def _distribution(dimension: Choices | Range) -> BaseDistribution:
    from optuna import distributions

    if isinstance(dimension, Choices):
        return distributions.CategoricalDistribution(dimension.labels)
    cells = dimension.cells()
    high = dimension.high if cells is None else cells[-1]
    if dimension.whole:
        low, step = int(dimension.low), int(dimension.step or 1)
        return distributions.IntDistribution(low, int(high), dimension.log, step)
    return distributions.FloatDistribution(dimension.low, high, dimension.log, dimension.step)
