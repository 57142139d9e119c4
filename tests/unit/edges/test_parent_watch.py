"""The editor's process, watched by its number: what counts as gone."""

import os
import subprocess

import psutil
import pytest
from pilotfish.edges.lsp.parent_watch import ParentWatch
from pilotfish.util.process_identity import is_same_process, start_since_boot


def test_a_running_process_is_there_and_an_unreaped_one_is_not() -> None:
    with subprocess.Popen(["sleep", "1000"]) as child:
        watch = ParentWatch(child.pid)
        assert not watch.is_gone()
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert watch.is_gone()
    assert ParentWatch(child.pid).is_gone()


def test_a_number_that_names_another_process_by_now_is_gone() -> None:
    started = start_since_boot(os.getpid())
    assert is_same_process(os.getpid(), started)
    assert not is_same_process(os.getpid(), started - 1)


def test_a_clock_that_is_set_makes_no_other_process(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = ParentWatch(os.getpid())
    real_boot, real_create = psutil.boot_time(), psutil.Process.create_time

    def created_later(process: psutil.Process) -> float:
        return real_create(process) + 3600

    monkeypatch.setattr(psutil, "boot_time", lambda: real_boot + 3600)
    monkeypatch.setattr(psutil.Process, "create_time", created_later)
    assert not watch.is_gone()


def test_a_process_that_tells_nothing_is_known_by_its_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_: psutil.Process) -> float:
        raise psutil.AccessDenied

    with subprocess.Popen(["sleep", "1000"]) as child:
        with monkeypatch.context() as patched:
            patched.setattr(psutil.Process, "create_time", refuse)
            watch = ParentWatch(child.pid)
            assert not watch.is_gone()
        child.kill()
    assert watch.is_gone()
