"""A review on this machine: settings, the page while people judge, and the verdicts after."""

from __future__ import annotations

import importlib.util
import secrets
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pandas as pd

from oodexp.error import OodexpError
from oodexp.report.layout import console
from oodexp.review.gather import Gathered, gather
from oodexp.review.journal import Journal
from oodexp.review.sample import PAIR, Sample, draw, of, population
from oodexp.review.session import Outline, Read, Session
from oodexp.review.standing import MOST_NAME, proper

if TYPE_CHECKING:
    import socket

_STRATA = ("split", "source", "category")
_PACKAGES = ("fastapi", "uvicorn")


class Local:
    """Serves the review page on 127.0.0.1, or reads verdicts that are there.

    Args:
        folder: Where verdicts are kept, a file a sample.
        serve: Whether to open the page; otherwise results are computed from files alone.
        per_stratum: Pairs drawn from each stratum; None for all.
        by: What makes a stratum: some of `split`, `source`, `category`.
        population: `drawn` for the pairs of the benchmark, `all` for all present pairs in a split.
        seed: Of the sample and of the raters' orders.
        raters: Names that may judge; empty for any.
        port: Of the page; 0 takes a free one.
        browser: Whether to open the page in a browser of this machine.
        verdicts: Further files of verdicts: `.csv`, or `.jsonl` of the same sample.
        resamples: Bootstrap resamples of images.
    """

    def __init__(
        self, folder: str, serve: bool = True, per_stratum: int | None = 50,
        by: Sequence[str] = ("split", "source"), population: Literal["drawn", "all"] = "drawn",
        seed: int = 0, raters: Sequence[str] = (), port: int = 0, browser: bool = False,
        verdicts: Sequence[str] = (), resamples: int = 2000,
    ) -> None:  # fmt: skip
        self.resamples, self.seed = resamples, seed
        self._folder = Path(folder).expanduser()
        self.serves, self._port, self._browser = serve, port, browser
        self._per_stratum, self._by, self._drawn = per_stratum, list(by), population == "drawn"
        self._raters = list(raters)
        self._files = [Path(file).expanduser() for file in verdicts]
        self._check()

    def review(
        self, memberships: pd.DataFrame, images: pd.DataFrame, read: Read, outline: Outline
    ) -> tuple[Sample, Gathered]:
        """The sample and what people said of it; returns when the page was finished.

        Args:
            memberships: `record.Membership`.
            images: `record.Image`.
            read: Gives the bytes of an image, by source and id.
            outline: Gives the boxes of a pair, by source, id and category.

        Raises:
            OodexpError: If there is nothing to judge, the port is taken, or a verdict file is not
                there or about another sample.
        """
        pairs = population(memberships, self._drawn, self._by)
        if not len(pairs):
            raise OodexpError("review: no present pair in a split; divide some (experiment=main)")
        sample = draw(pairs, images, self._per_stratum, self.seed)
        journal = self._folder / f"{sample.digest[:16]}.jsonl"
        if self.serves:
            self._open(sample, journal, images, read, outline)
        own = [journal] if journal.is_file() or not self._files else []
        found = gather([*own, *self._files], sample.digest, pairs)
        return self._judged(sample, pairs, images, found.verdicts, bool(own)), found

    def _judged(
        self, sample: Sample, pairs: pd.DataFrame, images: pd.DataFrame, verdicts: pd.DataFrame,
        own: bool,
    ) -> Sample:  # fmt: skip
        """The sample with the pairs that verdicts made elsewhere are about; those alone if any."""
        keys = pd.MultiIndex.from_frame(pairs[PAIR])
        wanted = keys.isin(pd.MultiIndex.from_frame(verdicts[PAIR]))
        if own or any(file.suffix == ".jsonl" for file in self._files):
            wanted |= keys.isin(pd.MultiIndex.from_frame(sample.rows[PAIR]))
        if not wanted.any():
            raise OodexpError(
                f"{', '.join(map(str, self._files))}: no row is about a pair of this run; expected "
                f"source, image_id and category as in its memberships, e.g. {tuple(keys[0])}"
            )
        return of(pairs[wanted], images, self.seed)

    def _open(
        self, sample: Sample, path: Path, images: pd.DataFrame, read: Read, outline: Outline
    ) -> None:
        from oodexp.review import server

        with Journal(path, sample.digest) as journal, self._listening() as on:
            session = Session(sample, journal, read, outline, _sizes(images), self._raters)
            token = secrets.token_urlsafe(24)
            port = on.getsockname()[1]
            address = f"http://127.0.0.1:{port}/#token={token}"
            screen = console()
            screen.print(
                f"review: {len(session)} pairs; every verdict is kept in {path}\n"
                f"open {address}\n"
                "press Ctrl-C here, or the button on the page, when all raters are done; from "
                f"another machine: ssh -L {port}:127.0.0.1:{port} THIS_MACHINE",
                soft_wrap=True, highlight=False, markup=False,
            )  # fmt: skip
            with _shown(address) if self._browser else nullcontext():
                server.serve(session, token, on)

    @contextmanager
    def _listening(self) -> Iterator[socket.socket]:
        from oodexp.review import server

        try:
            on = server.listen(self._port)
        except OSError as error:
            raise OodexpError(
                f"review.port={self._port}: {error.strerror}; 0 takes a free one"
            ) from error
        with on:
            yield on

    def _check(self) -> None:
        for name, value, least in (
            ("per_stratum", self._per_stratum, 1), ("seed", self.seed, 0),
            ("port", self._port, 0), ("resamples", self.resamples, 100),
        ):  # fmt: skip
            if value is not None and value < least:
                raise OodexpError(f"review.{name}={value}: expected a number >= {least}")
        if not self._by or set(self._by) - set(_STRATA) or "split" not in self._by:
            raise OodexpError(
                f"review.by={self._by}: expected split and, if wanted, source and category"
            )
        if len(set(self._raters)) < len(self._raters) or not all(map(proper, self._raters)):
            raise OodexpError(
                f"review.raters={self._raters}: expected names, each once, of at most {MOST_NAME} "
                "letters, no blanks around"
            )
        if self.serves:
            for package in _PACKAGES:
                if importlib.util.find_spec(package) is None:
                    raise OodexpError(
                        f"the review page needs {package}: pip install {' '.join(_PACKAGES)}"
                    )


def _sizes(images: pd.DataFrame) -> Mapping[tuple[str, str], tuple[int, int]]:
    known = images.dropna(subset=["width", "height"])
    return {
        (row.source, row.image_id): (int(row.width), int(row.height))
        for row in known.itertuples()
        if row.width > 0 and row.height > 0
    }


@contextmanager
def _shown(address: str) -> Iterator[None]:
    """Opens a browser; the address goes by a file of this user, as everyone sees process lists."""
    import webbrowser

    with tempfile.TemporaryDirectory(prefix="oodexp-review-") as folder:  # made with mode 700
        page = Path(folder) / "open.html"
        page.write_text(
            f'<!doctype html><meta http-equiv="refresh" content="0; url={address}">', "utf-8"
        )
        webbrowser.open(page.as_uri())
        yield
