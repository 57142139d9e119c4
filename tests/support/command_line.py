"""``pilotfish run`` as a process, as a script or a person at a terminal starts it.

Owns: starting it with pipes or on a pseudo-terminal, its output, its end.
Does not own: the environment and the model (``stage``).
"""

import asyncio
import json
import os
import pty
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIMIT_S = 90.0
"""Longest run of a test."""


@dataclass(frozen=True)
class Finished:
    """A run that has ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Standard output as one JSON object a line."""
        return [json.loads(line) for line in self.stdout.splitlines()]

    @property
    def result(self) -> dict[str, Any]:
        """The last JSON object."""
        return self.lines[-1]


async def pilotfish(
    *arguments: str, env: dict[str, str], cwd: Path, stdin: str | None = None
) -> Finished:
    """Run a command to its end with pipes."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pilotfish", *arguments),
        stdin=asyncio.subprocess.DEVNULL if stdin is None else asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=env,
        cwd=cwd,
    )
    try:
        given = None if stdin is None else stdin.encode()
        output, errors = await asyncio.wait_for(process.communicate(given), LIMIT_S)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()
    assert process.returncode is not None
    return Finished(process.returncode, output.decode(), errors.decode())


class Terminal:
    """A person's side of a pseudo-terminal on which a command runs."""

    def __init__(self, process: asyncio.subprocess.Process, fd: int) -> None:
        self._process = process
        self._fd = fd
        self._changed = asyncio.Event()
        self.screen = ""
        """Everything that was written, echoed input included."""
        asyncio.get_running_loop().add_reader(fd, self._readable)

    async def see(self, text: str, count: int = 1) -> None:
        """Wait until a text has appeared so many times."""
        try:
            async with asyncio.timeout(LIMIT_S):
                while self.screen.count(text) < count:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise AssertionError(f"no {text!r} on the screen:\n{self.screen}") from None

    def enter(self, line: str) -> None:
        """Type a line."""
        os.write(self._fd, f"{line}\n".encode())

    def interrupt(self) -> None:
        """Press Ctrl+C."""
        self._process.send_signal(signal.SIGINT)

    async def ended(self) -> int:
        """Wait for the end; returns the exit code."""
        try:
            return await asyncio.wait_for(self._process.wait(), LIMIT_S)
        except TimeoutError:
            raise AssertionError(f"still running; on the screen:\n{self.screen}") from None

    def close(self) -> None:
        """Close the terminal."""
        asyncio.get_running_loop().remove_reader(self._fd)
        os.close(self._fd)

    def _readable(self) -> None:
        try:
            data = os.read(self._fd, 65_536)
        except OSError:  # the last process has closed its end
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(self._fd)
        self.screen += data.decode("utf-8", "replace")
        self._changed.set()


@asynccontextmanager
async def terminal(*arguments: str, env: dict[str, str], cwd: Path) -> AsyncGenerator[Terminal]:
    """Run a command on a pseudo-terminal."""
    ours, theirs = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pilotfish", *arguments),
        stdin=theirs, stdout=theirs, stderr=theirs,
        env={**env, "TERM": "xterm"}, cwd=cwd, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    person = Terminal(process, ours)
    try:
        yield person
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        person.close()
