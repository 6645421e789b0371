"""A kind of input, and what came of each: right, a named problem, or a fault."""

from __future__ import annotations

import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Literal

from oodexp.error import OodexpError

Result = Literal["right", "named"]
"""`right`: what was read is what an independent look at the input finds. `named`: a row of
`problems`, a status, or an `OodexpError` of at most `LONGEST` letters says what is wrong."""

Try = Callable[[Random, Path], Result]
"""Draws an input and puts it to the program, in an empty folder."""

SECONDS = 20
"""After which an input counts as one that is waited for."""

LONGEST = 4_000
"""Letters of a message; a person has to read it."""


class Hang(BaseException):
    """Nothing came within `SECONDS`; no `except Exception` may swallow it."""


@dataclass
class Kind:
    """A kind of input."""

    name: str
    attempt: Try
    share: float = 1.0
    """Inputs of this kind for each one of an ordinary kind: some take longer."""


@dataclass
class Tally:
    """What came of the inputs of a kind."""

    right: int = 0
    named: int = 0
    faults: list[tuple[int, str]] = field(default_factory=list)
    """Seed and traceback of each input that came to neither."""

    @property
    def inputs(self) -> int:
        return self.right + self.named + len(self.faults)


def run(kind: Kind, seed: int, folder: Path, tally: Tally) -> None:
    """Puts one input to the program."""
    folder.mkdir(parents=True)
    try:
        with within(SECONDS):
            result = kind.attempt(Random(f"{kind.name} {seed}"), folder)
    except OodexpError as error:
        if 0 < len(str(error)) <= LONGEST:
            tally.named += 1
        else:
            tally.faults.append((seed, f"a message of {len(str(error))} letters"))
    except (Exception, Hang):
        tally.faults.append((seed, traceback.format_exc()))
    else:
        tally.right += result == "right"
        tally.named += result == "named"


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Ends what takes longer."""

    def late(*_: object) -> None:
        raise Hang(f"nothing within {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
