"""Locks that tell who lives."""

from __future__ import annotations

import platform
import time

import pytest

from oodexp.error import OodexpError
from oodexp.search.claim import JournalLock, Worker, Workers, exclusive, mend


def test_a_worker_lives_as_long_as_it_works(tmp_path):
    workers = Workers(tmp_path, shared=True, patience=0)
    with workers.enter() as worker:
        assert workers.is_alive(worker, 0.0)
    assert not workers.is_alive(worker, 0.0)


def test_a_worker_whose_lock_file_is_free_is_dead_and_swept_away(tmp_path):
    left = tmp_path / f"{platform.node()}-1-x.lock"
    left.touch()
    workers = Workers(tmp_path, shared=True, patience=1e9)
    assert not workers.is_alive(Worker(str(left), platform.node()), time.time())
    with workers.enter() as first, workers.enter() as second:
        assert not left.exists()
        assert workers.is_alive(first, 0.0)
        assert workers.is_alive(second, 0.0)


def test_a_worker_that_is_not_named_is_dead(tmp_path):
    assert not Workers(tmp_path, True, 1e9).is_alive(None, time.time())


def test_a_worker_is_found_where_the_folder_is_mounted_here(tmp_path):
    workers = Workers(tmp_path, shared=True, patience=0)
    with workers.enter() as worker:
        elsewhere = worker.lock.replace(str(tmp_path), "/mounted/elsewhere")
        assert workers.is_alive(Worker(elsewhere, "another-machine"), 0.0)


def test_a_worker_of_an_unseen_machine_is_waited_for(tmp_path):
    workers = Workers(tmp_path, shared=False, patience=60)
    unseen = Worker("/there/w.lock", "another-machine")
    assert workers.is_alive(unseen, time.time() - 50)
    assert not workers.is_alive(unseen, time.time() - 70)
    assert not workers.is_alive(Worker("/there/w.lock", platform.node()), time.time())


def test_a_lock_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").touch()
    with (
        pytest.raises(OodexpError, match="studies cannot be kept in"),
        exclusive(tmp_path / "file" / "lock"),
    ):
        pass


def test_a_lock_can_be_taken_again_after_it_was_let_go(tmp_path):
    lock, other = JournalLock(tmp_path / "l"), JournalLock(tmp_path / "l")
    for one in (lock, other, lock):
        assert one.acquire()
        one.release()
        one.release()  # nothing is held


@pytest.mark.parametrize(
    ("written", "left"),
    [
        (b"", b""),
        (b"a\nb\n", b"a\nb\n"),
        (b"a\nb", b"a\n"),
        (b"torn", b""),
        (b"a\n" + b"x" * 10_000, b"a\n"),
    ],
)
def test_an_unfinished_line_of_a_journal_is_cut_off(tmp_path, written, left):
    journal = tmp_path / "journal.log"
    journal.write_bytes(written)
    mend(journal)
    assert journal.read_bytes() == left


def test_a_journal_that_is_not_there_stays_so(tmp_path):
    mend(tmp_path / "none")
    assert list(tmp_path.iterdir()) == []
