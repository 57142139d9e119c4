"""Asking on a terminal.

Owns: showing a question and reading its answer from a person.
Does not own: what the answer does.
"""

import asyncio
import os
import threading
from typing import TextIO

from pilotfish.core.permission import PermissionAnswer, PermissionQuestion
from pilotfish.edges.headless.diff_text import diff_lines
from pilotfish.util.visible import visible

try:
    import termios
except ImportError:  # Windows has no such terminals
    termios = None

MAX_LINE_BYTES = 65_536
"""Longest line of an answer; a terminal in line mode gives at most 4,096."""

_HELP = "[y] once · [a] always · [n] stop · or type what to do instead: "


class TerminalAsker:
    """Puts questions on a terminal, one at a time."""

    def __init__(self, stdin: TextIO, stdout: TextIO) -> None:
        self._stdin = stdin
        self._stdout = stdout
        self._turn = asyncio.Lock()

    async def ask(self, question: PermissionQuestion) -> PermissionAnswer:
        """Show the question and wait for a line; end of input counts as a refusal."""
        async with self._turn:
            self._forget_typed()
            self._show(question)
            while True:
                line = await self._read_line()
                if line is None:
                    return PermissionAnswer(kind="reject")
                answer = answer_from_line(line, can_always=_can_always(question))
                if answer is not None:
                    return answer
                self._write(_HELP)

    def _show(self, question: PermissionQuestion) -> None:
        lines = ["", f"{question.tool}: {_what(question)}", f"  {question.reason}"]
        preview = question.preview
        if preview is not None:
            lines.extend(diff_lines(preview.path, preview.old_text, preview.new_text))
        lines.extend(f"  would add: {line}" for line in question.preflight)
        if _can_always(question):
            lines.append(f"  always: {question.suggestions[0].label}")
        self._write(visible("\n".join(lines)) + "\n" + _HELP)

    def _forget_typed(self) -> None:
        """Throw away what was typed before the question: it cannot have been meant as an answer."""
        if termios is not None and self._stdin.isatty():
            termios.tcflush(self._stdin.fileno(), termios.TCIFLUSH)

    def _write(self, text: str) -> None:
        self._stdout.write(text)
        self._stdout.flush()

    async def _read_line(self) -> str | None:
        """Read a line on a thread of its own, which a cancelled wait leaves behind.

        A pool's thread would keep the interpreter from ending until somebody presses Enter.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[str] = loop.create_future()

        def read() -> None:
            line = _line_from(self._stdin)
            if not loop.is_closed():
                loop.call_soon_threadsafe(_resolve, future, line)

        threading.Thread(target=read, name="terminal-reader", daemon=True).start()
        line = await future
        return line.strip() if line else None


def _line_from(stdin: TextIO) -> str:
    """Read one line; blocks.

    From a terminal it is read without a buffer, which would keep further lines for a later
    question that nobody has seen yet.
    """
    if not stdin.isatty():
        return stdin.readline()
    return os.read(stdin.fileno(), MAX_LINE_BYTES).decode("utf-8", "replace")


def answer_from_line(line: str, *, can_always: bool) -> PermissionAnswer | None:
    """Return what a typed line means; None when it means nothing."""
    word = line.strip()
    match word.lower():
        case "":
            return None
        case "y" | "yes":
            return PermissionAnswer(kind="allow_once")
        case "a" | "always":
            return PermissionAnswer(kind="allow_always") if can_always else None
        case "n" | "no":
            return PermissionAnswer(kind="reject")
        case _:
            return PermissionAnswer(kind="feedback", feedback=word)


def _what(question: PermissionQuestion) -> str:
    """Return what is asked about, whole: a command's title is cut and on one line."""
    command = question.input.get("command")
    if not isinstance(command, str):
        return question.title
    return command.replace("\n", "\n  ")


def _can_always(question: PermissionQuestion) -> bool:
    return bool(question.suggestions) and not question.hide_always


def _resolve(future: asyncio.Future[str], line: str) -> None:
    if not future.done():
        future.set_result(line)
