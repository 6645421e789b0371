"""Telling the living from the dead."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest

from oodexp.tracker import process


def test_this_process_is_alive_and_its_tags_name_it():
    me = process.current()
    assert me.pid == os.getpid()
    assert not process.is_dead(me)
    assert process.owner(me.tags()) == me


def test_another_process_with_the_same_number_is_not_taken_for_it():
    assert process.is_dead(replace(process.current(), started="another time"))


def test_another_machine_s_process_is_never_called_dead():
    far = replace(process.current(), host="another-machine", started="another time")
    assert not process.is_dead(far)
    assert not process.is_here(far)


def test_a_run_without_an_owner_is_never_called_dead():
    assert process.owner({}) is None
    assert process.owner({process.HOST: "h", process.PID: "x"}) is None
    assert not process.is_dead(None)


def test_a_process_is_dead_from_its_end_on_even_before_it_is_reaped():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    start = process._start(child.pid)
    there = replace(process.current(), pid=child.pid, started=start)
    assert start
    assert not process.is_dead(there)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert process.is_dead(there)
    child.communicate()
    assert process.is_dead(there)


@pytest.mark.skipif(shutil.which("ps") is None, reason="needs ps")
def test_without_proc_the_start_comes_from_ps():
    mark = process._start_from_ps(os.getpid())
    assert mark
    assert mark == process._start_from_ps(os.getpid())
    gone = subprocess.Popen(["true"])
    gone.wait()
    assert process._start_from_ps(gone.pid) is None
