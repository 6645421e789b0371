"""How long nobody has listened at the address of a server."""

from __future__ import annotations

from dataclasses import dataclass

from oodexp.error import OodexpError, Paused
from oodexp.outage import AT_THE_START
from oodexp.vlm.terms import Terms


@dataclass
class Absence:
    """Of the server of one session, over all of its questions."""

    _met: bool = False
    _since: float | None = None

    def over(self) -> None:
        """Somebody listened."""
        self._met, self._since = True, None

    def too_long(self, terms: Terms, said: str, now: float) -> OodexpError | None:
        """Why the session ends because nobody listens; None while it may still wait.

        Args:
            terms: Name, address, and how long is too long.
            said: What the system said, for people.
            now: Seconds from any start.
        """
        self._since = now if self._since is None else self._since
        if now - self._since < (terms.outage if self._met else min(AT_THE_START, terms.outage)):
            return None
        told = f"vlm {terms.name}: {terms.url} does not answer ({said})"
        if self._met:
            return Paused(f"{told}; start it, then give the same command again")
        return OodexpError(f"{told}; start it, or check `base_url`")
