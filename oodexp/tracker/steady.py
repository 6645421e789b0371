"""A client of MLflow whose calls outlive a restart of their server.

MLflow's own retries are turned off: they repeat a call that makes a run, although the reply alone
may have been lost, and leave a second run behind that nobody works on.
"""

from __future__ import annotations

import logging
import os
import uuid
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from oodexp.error import OodexpError
from oodexp.outage import AT_THE_START, Patience, chain, is_database_away
from oodexp.tracker.address import blot, is_server

NONCE = "oodexp.nonce"
"""Tag of a run that tells the call that made it from all others."""

_AWAY = ("TEMPORARILY_UNAVAILABLE", "REQUEST_LIMIT_EXCEEDED")
_OWN_RETRIES = "MLFLOW_HTTP_REQUEST_MAX_RETRIES"


def steady(client: Any, uri: str, outage: float) -> Any:
    """The client, once its server has answered; all of its calls wait for a server that is away.

    Args:
        client: An `MlflowClient`.
        uri: Address of the store, which may hold a password.
        outage: Seconds that a server may be away later on.

    Raises:
        OodexpError: If the server does not answer; from a later call, `Paused`.
    """
    if uri.startswith("sqlite"):
        return client  # a file is no server: what is wrong with it is told at once
    # What MLflow prints there with a traceback, it raises as well.
    logging.getLogger("mlflow.store.db.utils").setLevel(logging.CRITICAL)
    kind = "server" if is_server(uri) else "store"
    where = f"the MLflow {kind} {blot(uri)}"
    if is_server(uri):
        os.environ[_OWN_RETRIES] = "0"
        check = "start it, check `tracker.uri`, or use `tracker=folder`"
        Patience(where, check, is_away, min(AT_THE_START, outage), OodexpError)(
            client.search_experiments, max_results=1
        )
    again = "start it, then give the same command again: what was scored and answered is kept"
    return _Steady(client, Patience(where, again, is_away, outage))


def is_away(error: Exception) -> bool:
    """Whether a server did not answer, or said that it cannot at the moment."""
    from requests.exceptions import ConnectionError as NoConnection
    from requests.exceptions import RetryError, Timeout

    if getattr(error, "error_code", None) in _AWAY or is_database_away(error):
        return True
    return any(isinstance(e, (NoConnection, RetryError, Timeout)) for e in chain(error))


class _Steady:
    """Every call of a client, made again while the server is away."""

    def __init__(self, client: Any, patience: Patience) -> None:
        self._client, self._patience = client, patience

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return partial(self._patience, getattr(self._client, name))

    def create_run(self, experiment_id: str, *, run_name: str, tags: Mapping[str, str]) -> Any:
        """Adds one run, whatever becomes of the replies."""
        nonce = uuid.uuid4().hex

        def made() -> Any | None:
            found = self._client.search_runs([experiment_id], f"tags.`{NONCE}` = '{nonce}'")
            return found[0] if found else None

        about = {**tags, NONCE: nonce}
        return self._patience.once(
            lambda: self._client.create_run(experiment_id, run_name=run_name, tags=about), made
        )

    def delete_tag(self, run_id: str, name: str) -> None:
        """Removes a tag; that it is gone already may be the work of an earlier try."""
        try:
            self._patience(self._client.delete_tag, run_id, name)
        except Exception as error:
            if getattr(error, "error_code", None) != "RESOURCE_DOES_NOT_EXIST":
                raise
