"""A server that goes away, and comes back or does not."""

from __future__ import annotations

import threading
import time
from urllib.parse import urlsplit

import pytest

from oodexp.error import OodexpError, Paused
from tests.served.stub import Stub, completion, serving


def closing(*_):
    """A reply after which the next request needs a new connection."""
    time.sleep(0.005)
    return completion()._replace(headers={"Connection": "close"})


def asking(ask, stub: Stub, found: list, **settings) -> threading.Thread:
    """Asks 100 questions in a thread of its own; what came of it goes to `found`."""

    def work() -> None:
        try:
            found.append(ask(stub, 100, concurrency=4, retries=2, **settings))
        except OodexpError as error:
            found.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    while stub.answered.total() < 20:
        time.sleep(0.005)
    return thread


def test_a_server_that_is_away_for_longer_than_all_retries_last_answers_everything(ask):
    found: list = []
    with serving(closing) as first:
        thread = asking(ask, first, found)
    time.sleep(1.0)
    with serving(closing, urlsplit(first.url).port) as second:
        thread.join()
    (done,) = found
    assert set(done.completions["status"]) == {"ok"}
    answered = first.answered + second.answered
    assert len(answered) == 100
    # Whoever was cut off in the middle of a reply could not know; there are four of them.
    assert answered.total() - len(answered) <= 4
    assert "no connection" in set(done.requests["status"])


def test_a_server_that_stays_away_pauses_the_run_and_the_same_command_goes_on(ask):
    found: list = []
    with serving(closing) as first:
        thread = asking(ask, first, found, outage=0.5)
    thread.join(30)
    (error,) = found
    assert isinstance(error, Paused)
    assert f"{first.url}/chat/completions does not answer" in str(error)
    assert "give the same command again" in str(error)
    with serving(closing, urlsplit(first.url).port) as second:
        done = ask(second, 100, concurrency=4)
    assert set(done.completions["status"]) == {"ok"}
    assert 100 - first.answered.total() <= done.asked_questions <= 104 - first.answered.total()


def test_a_server_that_never_was_there_is_named_before_any_question_is_given_up(ask, monkeypatch):
    monkeypatch.setattr("oodexp.vlm.absence.AT_THE_START", 0.3)
    with serving(closing) as gone:
        pass
    with pytest.raises(OodexpError, match=r"does not answer.*check `base_url`") as caught:
        ask(gone, 40)
    assert not isinstance(caught.value, Paused)
