"""A disk that is full, for this process alone, and a folder that cannot be written."""

import os
import resource
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest


@contextmanager
def files_end_at(size: int) -> Generator[None]:
    """Let every file of this process be full at a size, as a full disk does it: in mid-write."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def let_files_end_at(pid: int, size: int | None) -> None:
    """Let every file of another process be full at a size from now on; None: no longer."""
    limit = getattr(psutil, "RLIMIT_FSIZE", None)
    if limit is None:
        pytest.skip("files of another process cannot be limited here")
    process = psutil.Process(pid)
    _, most = process.rlimit(limit)
    process.rlimit(limit, (most if size is None else size, most))


@contextmanager
def read_only(folder: Path) -> Generator[None]:
    """Let nothing in a folder be written: mounted so for root, whom permissions do not stop."""
    if os.geteuid() != 0:
        places = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
        for place in places:
            place.chmod(0o500)
        try:
            yield
        finally:
            for place in places:
                place.chmod(0o700)
        return
    name = str(folder)
    if subprocess.run(["mount", "--bind", name, name], check=False).returncode != 0:
        pytest.skip("nothing may be mounted here")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", name], check=True)
        yield
    finally:
        subprocess.run(["umount", "--lazy", name], check=True)
