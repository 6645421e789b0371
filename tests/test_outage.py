"""A server that goes and comes, on a clock that the test turns."""

from __future__ import annotations

import pytest

from oodexp.error import Paused
from oodexp.outage import Patience, chain, is_database_away


class Away(Exception):
    pass


class Server:
    """Makes things; is away from one moment to another, or loses the replies until then."""

    def __init__(self, back: float = 0.0, loses_until: float = 0.0) -> None:
        self.time, self.back, self.loses_until = 1000.0, 1000.0 + back, 1000.0 + loses_until
        self.made: list[float] = []
        self.asked = 0

    def patience(self, longest: float = 100.0) -> Patience:
        return Patience(
            "the server", "start it", lambda e: isinstance(e, Away), longest,
            now=lambda: self.time, sleep=self.sleep,
        )  # fmt: skip

    def sleep(self, seconds: float) -> None:
        self.time += seconds

    def make(self) -> float:
        self.asked += 1
        if self.time < self.back:
            raise Away("refused")
        self.made.append(self.time)
        if self.time < self.loses_until:
            raise Away("lost")
        return self.time

    def found(self) -> float | None:
        if self.time < self.back:
            raise Away("refused")
        return self.made[0] if self.made else None


def test_a_call_is_made_again_until_the_server_is_back(caplog):
    server = Server(back=60)
    assert server.patience()(server.make) >= 1060
    assert len(server.made) == 1
    (said,) = caplog.messages  # not one line a try
    assert said == "the server does not answer (refused); waiting up to 100 s for it"


def test_a_server_that_is_there_is_asked_once_and_never_looked_through():
    server = Server()
    server.patience().once(server.make, lambda: pytest.fail("nothing was lost"))
    assert server.asked == 1


@pytest.mark.parametrize("back", [0, 30])
def test_what_was_made_before_its_reply_was_lost_is_not_made_again(back):
    server = Server(back=back, loses_until=back + 50)
    assert server.patience().once(server.make, server.found) == server.made[0]
    assert len(server.made) == 1


def test_a_server_that_stays_away_is_named_with_the_remedy_and_not_waited_for_again():
    server = Server(back=1e9)
    patience = server.patience()
    for said, seconds in ((" for 100 s", 110), ("", 0)):
        start = server.time
        with pytest.raises(Paused) as caught:
            patience(server.make)
        assert str(caught.value) == f"the server does not answer{said} (refused); start it"
        assert server.time - start <= seconds


def test_a_refusal_is_let_through_at_once():
    def refuse(word: str) -> None:
        raise ValueError(word)

    server = Server()
    with pytest.raises(ValueError, match="no such run"):
        server.patience()(refuse, word="no such run")
    assert server.time == 1000.0


def test_the_chain_of_an_error_ends_with_the_first_one_and_knows_circles():
    first, last = ValueError("first"), KeyError("last")
    last.__cause__, first.__context__ = first, last
    assert chain(last) == [last, first]


def test_the_reason_is_that_of_the_system_where_it_gave_one(caplog):
    server = Server()
    refused = ConnectionRefusedError(111, "Connection refused")
    wrapped = Away("max retries of pool exceeded")
    wrapped.__cause__ = refused
    errors = [wrapped]

    def once() -> None:
        if errors:
            raise errors.pop()

    server.patience()(once)
    assert "([Errno 111] Connection refused)" in caplog.messages[0]


@pytest.mark.parametrize(
    ("kind", "away"), [("OperationalError", True), ("InterfaceError", True), ("DataError", False)]
)
def test_a_database_that_refuses_a_statement_is_not_away(kind, away):
    import sqlalchemy.exc

    inner = getattr(sqlalchemy.exc, kind)("COMMIT", {}, Exception("said"))
    outer = RuntimeError("storage")
    outer.__cause__ = inner
    assert is_database_away(outer) == away
