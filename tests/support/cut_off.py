"""Writes that are cut off: by SIGKILL before any call to the system, by limits, by a lack of rights.

A program of its own (``python -m tests.support.cut_off KIND FOLDER``): it forks for each attempt, so
that the interpreter starts once. Prints one JSON object a line, what each attempt left behind.
"""

import asyncio
import errno
import io
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from pilotfish.core.errors import WorkspaceError
from pilotfish.core.ids import MAIN_AGENT, SessionId, ToolUseId, TurnId
from pilotfish.ports.editor import NoEditor
from pilotfish.util.clock import SystemClock
from pilotfish.workspace import disk
from pilotfish.workspace.disk import DiskStamp, write_file
from pilotfish.workspace.edit_pipeline import EditPipeline
from pilotfish.workspace.encoded import Content, write_content
from pilotfish.workspace.file_state import FileStates
from pilotfish.workspace.history import FileHistory, WriteOrigin
from pilotfish.workspace.proposal import WholeText
from pilotfish.workspace.unfinished import UnfinishedWrites

OLD = b"old line\n" * 2_000
NEW = b"new, longer line\n" * 2_000
SHORT = b"shorter\n" * 1_000
NOBODY = 65534
ALTERS = (
    "open", "os.rename", "os.link", "os.remove", "os.chmod", "os.chown", "os.truncate", "os.mkdir",
    "os.listxattr", "os.setxattr", "os.getxattr", "os.scandir", "os.listdir", "os.utime",
)  # fmt: skip
"""Events of Python's audit hooks that stand before calls to the system."""


def kill_before(number: int) -> None:
    """End this process just before the ``number``-th call to the system that may alter something."""
    seen = 0

    def hook(event: str, _: tuple[Any, ...]) -> None:
        nonlocal seen
        if event in ALTERS:
            seen += 1
            if seen > number:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


async def edit(folder: Path) -> None:
    """Write ``a.txt`` through the whole pipeline, new or not."""
    path = folder / "project" / "a.txt"
    pipeline = EditPipeline(
        editor=NoEditor(),
        history=FileHistory(folder / "home" / "history", SystemClock()),
        unfinished=UnfinishedWrites(folder / "home" / "unfinished"),
    )
    files = FileStates()
    loaded = await pipeline.load(path)
    if loaded.text is not None:
        files.record(loaded.real_path, loaded.state("read"))
    origin = WriteOrigin(
        session_id=SessionId("s"),
        turn_id=TurnId("t"),
        agent_id=MAIN_AGENT,
        tool_use_id=ToolUseId("c"),
    )
    await pipeline.apply(path, WholeText(text=NEW.decode()), files=files, origin=origin)


def write(folder: Path, data: bytes = NEW) -> None:
    """Write ``a.txt`` to disk alone."""
    path = folder / "project" / "a.txt"
    expected = None
    if path.exists():
        info = path.stat()
        expected = DiskStamp(mtime_ns=info.st_mtime_ns, size=info.st_size)
    write_file(
        path, data, expected=expected, unfinished=UnfinishedWrites(folder / "home" / "unfinished")
    )


def lay_out(folder: Path, *, exists: bool, linked: bool = False) -> None:
    """Make the folders and the file as they are before each attempt.

    ``linked``: it has a second name, so that it must be written in place.
    """
    path = folder / "project" / "a.txt"
    other = folder / "other.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    other.unlink(missing_ok=True)
    if exists:
        path.write_bytes(OLD)
    if linked:
        other.hardlink_to(path)


def attempt(folder: Path, action: Callable[[], None]) -> dict[str, Any]:
    """Run an action in a fork and tell what it left: before and after sweeping."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        told = "it failed unexpectedly"
        try:
            action()
            told = "done"
        except WorkspaceError as error:
            told = str(error)
        finally:
            os.write(writer, told.encode())
            os._exit(0)
    os.close(writer)
    _, status = os.waitpid(child, 0)
    with os.fdopen(reader) as pipe:
        told = pipe.read()
    path = folder / "project" / "a.txt"
    found = name_of(path)
    unfinished = UnfinishedWrites(folder / "home" / "unfinished")
    unfinished.sweep()
    return {
        "told": told,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
        "content": found,
        "swept": name_of(path),
        "news": list(unfinished.news),
        "kept": sorted(str(each) for each in (folder / "home").glob("unfinished/in-place/*")),
        "left": sorted(each.name for each in path.parent.iterdir() if each != path),
    }


def name_of(path: Path) -> str:
    """Say what a file holds."""
    content = path.read_bytes() if path.exists() else None
    return {None: "none", OLD: "old", NEW: "new", SHORT: "new"}.get(content, "mixture")


def tell(report: dict[str, Any]) -> None:
    """Print what an attempt left."""
    sys.stdout.write(json.dumps(report) + "\n")
    sys.stdout.flush()


def killed_everywhere(folder: Path, *, exists: bool, linked: bool = False) -> None:
    """Kill the pipeline before each of its calls, until it comes through."""
    number = 0
    while True:
        lay_out(folder, exists=exists, linked=linked)

        def action(at: int = number) -> None:
            kill_before(at)
            asyncio.run(edit(folder))

        report = attempt(folder, action)
        tell(report)
        if report["signal"] is None:
            return
        number += 1


def cut_in_place(folder: Path, data: bytes, *, deadly: bool) -> None:
    """Stop the overwriting of a file after some of its bytes: by a kill, or by a full disk."""
    whole = write_content
    for count in (0, 1, 4096, len(data) - 1, len(data)):
        lay_out(folder, exists=True, linked=True)

        def cut_short(file: io.BufferedIOBase, content: Content, count: int = count) -> None:
            if bytes(content) != data:  # it is being put back
                whole(file, content)
                return
            file.write(data[:count])
            file.flush()
            if deadly:
                os.kill(os.getpid(), signal.SIGKILL)
            raise OSError(errno.ENOSPC, "No space left on device")

        def action(cut_short: Callable[..., None] = cut_short) -> None:
            mock.patch.object(disk, "write_content", cut_short).start()
            write(folder, data)

        tell(attempt(folder, action))


def changed_since(folder: Path) -> None:
    """Kill the overwriting of a file in its middle; then somebody else changes the file."""
    lay_out(folder, exists=True, linked=True)

    def action() -> None:
        path = folder / "project" / "a.txt"
        UnfinishedWrites(folder / "home" / "unfinished").begin_in_place(path, NEW)
        path.write_bytes(b"somebody else's\n")

    tell(attempt(folder, action))


def limited(folder: Path, *, exists: bool, deadly: bool) -> None:
    """Let the system stop a write in its middle: by killing the process, or by an error."""
    for limit in (0, 1, 4096, len(NEW) // 2, len(NEW) - 1):
        lay_out(folder, exists=exists)

        def action(limit: int = limit) -> None:
            if deadly:
                signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            # The notes are short; the file is not.
            (folder / "home" / "unfinished").mkdir(parents=True, exist_ok=True)
            resource.setrlimit(resource.RLIMIT_FSIZE, (max(limit, 200), resource.RLIM_INFINITY))
            write(folder)

        tell(attempt(folder, action))


def without_rights(folder: Path, *, exists: bool, file_mode: int, folder_mode: int) -> None:
    """Write as a user who owns file and folder, but may not do everything with them."""
    lay_out(folder, exists=exists)
    project = folder / "project"
    if exists:
        (project / "a.txt").chmod(file_mode)
    if os.getuid() == 0:
        for path in (folder, project, *project.iterdir()):
            os.chown(path, NOBODY, NOBODY)
    project.chmod(folder_mode)

    def action() -> None:
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        write(folder)

    try:
        tell(attempt(folder, action))
    finally:
        project.chmod(0o755)


KINDS: dict[str, Callable[[Path], None]] = {
    "kill-edit": lambda folder: killed_everywhere(folder, exists=True),
    "kill-create": lambda folder: killed_everywhere(folder, exists=False),
    "kill-linked": lambda folder: killed_everywhere(folder, exists=True, linked=True),
    "kill-in-place": lambda folder: cut_in_place(folder, NEW, deadly=True),
    "kill-in-place-shorter": lambda folder: cut_in_place(folder, SHORT, deadly=True),
    "full-in-place": lambda folder: cut_in_place(folder, NEW, deadly=False),
    "changed-since": changed_since,
    "cut-edit": lambda folder: limited(folder, exists=True, deadly=True),
    "cut-create": lambda folder: limited(folder, exists=False, deadly=True),
    "full-edit": lambda folder: limited(folder, exists=True, deadly=False),
    "full-create": lambda folder: limited(folder, exists=False, deadly=False),
    "read-only-file": lambda folder: without_rights(
        folder, exists=True, file_mode=0o444, folder_mode=0o755
    ),
    "read-only-folder": lambda folder: without_rights(
        folder, exists=True, file_mode=0o644, folder_mode=0o555
    ),
    "new-in-read-only-folder": lambda folder: without_rights(
        folder, exists=False, file_mode=0, folder_mode=0o555
    ),
}


def reports_of(kind: str, folder: Path) -> list[dict[str, Any]]:
    """Run this program and return what it reports."""
    root = Path(__file__).parents[2]
    run = subprocess.run(
        [sys.executable, "-m", "tests.support.cut_off", kind, str(folder)],
        cwd=root,
        env={"PYTHONPATH": f"{root / 'server'}:{root}", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        timeout=50,
        check=False,
    )
    assert run.returncode == 0, run.stderr.decode()
    return [json.loads(line) for line in run.stdout.splitlines()]


if __name__ == "__main__":
    KINDS[sys.argv[1]](Path(sys.argv[2]))
