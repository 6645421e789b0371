"""What was spent, over runs that ended, were killed, or run at the same time."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import time

import pytest

from oodexp.predict.ledger import Account
from oodexp.predict.store import Store
from oodexp.vlm.base import Attempt

PAYEE = {"server": "http://h/v1", "model": "m"}


def ended(cost: float | None, most: float = 1.0, number: int = 1) -> Attempt:
    return Attempt("q", number, "ok", 10, 2, cost, most, 0.1, "2026-01-01T00:00:00+00:00")


def end(account: Account, name: str, attempt: Attempt) -> None:
    asyncio.run(account.end(name, attempt))


def begin(account: Account, most: float = 1.0) -> str:
    return account.begin("q", 1, most, "2026-01-01T00:00:00+00:00")


def committed(folder) -> float:
    with Account(Store(str(folder)), PAYEE).opened() as account:
        return account.committed


def test_a_request_counts_at_its_most_until_its_cost_is_known(tmp_path):
    with Account(Store(str(tmp_path)), PAYEE).opened() as account:
        name = begin(account, 1.0)
        assert account.committed == 1.0
        end(account, name, ended(0.25))
        assert account.committed == 0.25
        end(account, begin(account, 2.0), ended(None, 2.0))
        assert account.committed == 2.25


def test_the_next_run_knows_what_was_spent_and_counts_nothing_twice(tmp_path):
    for n in range(1, 4):
        with Account(Store(str(tmp_path)), PAYEE).opened() as account:
            end(account, begin(account), ended(0.25))
        assert committed(tmp_path) == pytest.approx(0.25 * n)


def test_another_payee_has_another_account(tmp_path):
    with Account(Store(str(tmp_path)), PAYEE).opened() as account:
        end(account, begin(account), ended(0.5))
    with Account(Store(str(tmp_path)), PAYEE | {"model": "n"}).opened() as other:
        assert other.committed == 0.0


def _die(folder: str) -> None:
    with Account(Store(folder), PAYEE).opened() as account:
        end(account, begin(account), ended(0.25))
        begin(account, 3.0)
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_request_that_was_on_its_way_at_a_kill_counts_at_its_most(tmp_path):
    child = multiprocessing.get_context("spawn").Process(target=_die, args=(str(tmp_path),))
    child.start()
    child.join()
    assert committed(tmp_path) == 3.25
    assert committed(tmp_path) == 3.25


def _hold(folder: str, opened, seconds: float) -> None:
    with Account(Store(folder), PAYEE).opened() as account:
        end(account, begin(account), ended(0.5))
        opened.set()
        time.sleep(seconds)
        end(account, begin(account), ended(0.75))


def test_a_second_run_waits_for_the_first_and_sees_all_it_spent(tmp_path, caplog):
    context = multiprocessing.get_context("spawn")
    opened = context.Event()
    child = context.Process(target=_hold, args=(str(tmp_path), opened, 0.5))
    child.start()
    assert opened.wait(60)
    assert committed(tmp_path) == 1.25
    child.join()
    assert "waiting" in caplog.text


def test_the_requests_of_a_run_are_those_that_ended(tmp_path):
    account = Account(Store(str(tmp_path)), PAYEE)
    with account.opened():
        for n in (1, 2):
            end(account, begin(account), ended(None if n == 1 else 0.1, number=n))
        begin(account)
    found = account.requests("vlm")
    assert found["number"].tolist() == [0, 1]
    assert found["attempt"].tolist() == [1, 2]
    assert found["cost"].isna().tolist() == [True, False]
