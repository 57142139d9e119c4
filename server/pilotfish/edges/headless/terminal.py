"""Asking on a terminal.

Owns: showing a question and reading its answer from a person.
Does not own: what the answer does.
"""

import asyncio
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO, TypeVar, assert_never

from pilotfish.core.dialogs import (
    Answer,
    ChoiceQuestion,
    PlanAnswer,
    PlanQuestion,
    Question,
    UserAnswer,
    UserQuestion,
)
from pilotfish.core.permission import PermissionAnswer, PermissionQuestion, RuleDestination
from pilotfish.edges.headless.diff_text import diff_lines
from pilotfish.edges.headless.paint import paint
from pilotfish.util.visible import visible

try:
    import termios
except ImportError:  # Windows has no such terminals
    termios = None

MAX_LINE_BYTES = 65_536
"""Longest line of an answer; a terminal in line mode gives at most 4,096."""

_HELP = "[y] once · [a] always · [n] stop · or type what to do instead: "
_PLAN_HELP = (
    "[y] start · [a] start and accept edits · [c] clear the conversation and start · [n] stop · "
    "or type what to change: "
)

T = TypeVar("T")


class TerminalAsker:
    """Puts questions on a terminal, one at a time."""

    def __init__(self, stdin: TextIO, stdout: TextIO, here: Path | None = None) -> None:
        """Set it up; files are named from the folder ``here``, if there is one."""
        self._here = here
        self._stdin = stdin
        self._stdout = stdout
        self._turn = asyncio.Lock()
        self._line: asyncio.Future[str] | None = None
        """The line that a thread waits for, possibly since a question that has been withdrawn."""

    async def ask(self, question: Question) -> Answer:
        """Show the question and wait for a line; end of input counts as a refusal."""
        async with self._turn:
            await self._forget_typed()
            try:
                return await self._ask(question)
            except asyncio.CancelledError:
                self._write("\n  (no answer is needed any more)\n")
                raise

    async def choose(self, things: Sequence[str], hint: str) -> int | None:
        """Show a numbered list and wait for a number.

        Args:
            things: What there is to choose from, a line each.
            hint: Stands where the person types.

        Returns:
            Which one, from 0; None when an empty line or the end of input chooses nothing.
        """
        async with self._turn:
            await self._forget_typed()
            self._show([f"{number:>3}. {each}" for number, each in enumerate(things, 1)], hint)
            number = await self._read(hint, lambda line: number_from_line(line, len(things)))
        return None if not number else number - 1

    async def _ask(self, question: Question) -> Answer:
        match question:
            case PermissionQuestion():
                return await self._ask_permission(question)
            case PlanQuestion():
                return await self._ask_plan(question)
            case UserQuestion():
                return await self._ask_user(question)
            case _:
                assert_never(question)

    async def _ask_permission(self, question: PermissionQuestion) -> PermissionAnswer:
        self._write("\n".join([*_permission_lines(question, self._here), _HELP]))
        places = _destinations(question)
        answer = await self._read(_HELP, lambda line: answer_from_line(line, destinations=places))
        return answer or PermissionAnswer(kind="reject")

    async def _ask_plan(self, question: PlanQuestion) -> PlanAnswer:
        lines = ["", question.plan.rstrip(), "", f"The plan is in {question.plan_path}"]
        lines.append(
            "  Change the file if you like before you answer: what it holds then is meant."
        )
        lines.extend(f"  would run without asking: {each}" for each in question.allowed_prompts)
        self._show(lines, _PLAN_HELP)
        answer = await self._read(_PLAN_HELP, plan_answer_from_line)
        return answer or PlanAnswer(kind="keep_planning")

    async def _ask_user(self, question: UserQuestion) -> UserAnswer:
        selections: dict[str, tuple[str, ...]] = {}
        for each in question.questions:
            hint = _choice_hint(each)
            self._show(_choice_lines(each), hint)
            chosen = await self._read(hint, lambda line, each=each: choice_from_line(line, each))
            if not chosen:
                return UserAnswer(kind="declined")
            selections[each.question] = chosen
        return UserAnswer(kind="answered", selections=selections)

    async def _read(self, hint: str, read: Callable[[str], T | None]) -> T | None:
        """Read lines until one means something; None at the end of input."""
        while True:
            line = await self._read_line()
            if line is None:
                return None
            answer = read(line)
            if answer is not None:
                return answer
            self._write(hint)

    def _show(self, lines: list[str], hint: str) -> None:
        self._write(visible("\n".join(lines)) + "\n" + hint)

    async def _forget_typed(self) -> None:
        """Throw away what was typed before the question: it cannot have been meant as an answer."""
        await asyncio.sleep(0)  # what the thread has read already arrives
        if self._line is not None and self._line.done():
            self._line = None
        if termios is not None and self._stdin.isatty():
            termios.tcflush(self._stdin.fileno(), termios.TCIFLUSH)

    def _write(self, text: str) -> None:
        self._stdout.write(text)
        self._stdout.flush()

    async def _read_line(self) -> str | None:
        """Wait for the next line; a cancelled wait leaves its thread to the next question.

        A second thread beside it would not get the line that answers that question.
        """
        if self._line is None:
            self._line = self._start_reading()
        line = await asyncio.shield(self._line)
        self._line = None
        return line.strip() if line else None

    def _start_reading(self) -> asyncio.Future[str]:
        """Read a line on a thread of its own, which ends with it or with the process.

        A pool's thread would keep the interpreter from ending until somebody presses Enter.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[str] = loop.create_future()

        def read() -> None:
            line = _line_from(self._stdin)
            if not loop.is_closed():
                loop.call_soon_threadsafe(_resolve, future, line)

        threading.Thread(target=read, name="terminal-reader", daemon=True).start()
        return future


def _line_from(stdin: TextIO) -> str:
    """Read one line; blocks.

    From a terminal it is read without a buffer, which would keep further lines for a later
    question that nobody has seen yet.
    """
    if not stdin.isatty():
        return stdin.readline()
    return os.read(stdin.fileno(), MAX_LINE_BYTES).decode("utf-8", "replace")


def number_from_line(line: str, highest: int) -> int | None:
    """Return the number of a list that was typed, 0 for an empty line; None for anything else."""
    if not line:
        return 0
    return int(line) if line.isdecimal() and len(line) < 9 and 1 <= int(line) <= highest else None


def answer_from_line(
    line: str, *, destinations: tuple[RuleDestination, ...]
) -> PermissionAnswer | None:
    """Return what a typed line means; None when it means nothing.

    Args:
        line: The line.
        destinations: Where a lasting grant may be kept, the first one when none is named; empty
            when there can be none.
    """
    word = line.strip()
    always, _, place = word.lower().partition(" ")
    if always in ("a", "always"):
        named: list[RuleDestination] = [one for one in destinations if not place or one == place]
        if named:
            return PermissionAnswer(kind="allow_always", destination=named[0])
        if not place:
            return None
    match word.lower():
        case "":
            return None
        case "y" | "yes":
            return PermissionAnswer(kind="allow_once")
        case "n" | "no":
            return PermissionAnswer(kind="reject")
        case _:
            return PermissionAnswer(kind="feedback", feedback=word)


def plan_answer_from_line(line: str) -> PlanAnswer | None:
    """Return what a typed line means for a plan; None when it means nothing."""
    word = line.strip()
    match word.lower():
        case "":
            return None
        case "y" | "yes":
            return PlanAnswer(kind="start")
        case "a" | "accept":
            return PlanAnswer(kind="start", target_mode="acceptEdits")
        case "c" | "clear":
            return PlanAnswer(kind="clear_and_start")
        case "n" | "no":
            return PlanAnswer(kind="keep_planning")
        case _:
            return PlanAnswer(kind="keep_planning", feedback=word)


def choice_from_line(line: str, question: ChoiceQuestion) -> tuple[str, ...] | None:
    """Return the answer that a typed line gives: numbers of choices, or an answer of one's own.

    Returns:
        None when the line means nothing; an empty tuple when the user does not want to answer.
    """
    word = line.strip()
    if not word:
        return None
    if word.lower() == "s":
        return ()
    numbers = word.replace(",", " ").split()
    if not all(number.isdecimal() for number in numbers):
        return (word,)
    picked = [int(number) for number in numbers]
    if len(picked) > 1 and not question.multi_select:
        return None
    if not all(1 <= number <= len(question.choices) for number in picked):
        return None
    return tuple(question.choices[number - 1].label for number in dict.fromkeys(picked))


def _permission_lines(question: PermissionQuestion, here: Path | None) -> list[str]:
    """Return what is asked, ready to be shown."""
    lines = ["", f"{question.tool}: {_what(question)}", f"  {question.reason}"]
    lines = [visible(line) for line in lines]
    for preview in question.batch if question.preview is None else (question.preview,):
        lines.extend(diff_lines(preview, here, paint))
    return [*lines, *map(visible, _after_the_change(question))]


def _after_the_change(question: PermissionQuestion) -> list[str]:
    lines: list[str] = []
    if question.preflight_added or question.preflight_fixed:
        counts = f"{question.preflight_added} new, {question.preflight_fixed} fixed"
        lines.append(f"  diagnostics: {counts}")
    lines.extend(f"  would add: {line}" for line in question.preflight)
    places = _destinations(question)
    if places:
        rule = question.suggestions[0].rule
        shown = f" (rule `{rule.text()}`)" if rule is not None else ""
        lines.append(f"  always: {question.suggestions[0].label}{shown}")
    if len(places) > 1:
        others = ", ".join(f"`a {place}`" for place in places[1:])
        lines.append(f"  `a` keeps it for this {places[0]}; {others} in those settings")
    return lines


def _choice_lines(question: ChoiceQuestion) -> list[str]:
    lines = ["", question.question]
    for number, choice in enumerate(question.choices, start=1):
        lines.append(f"  {number}. {choice.label}: {choice.description}")
        lines.extend(f"       {line}" for line in choice.preview.splitlines())
    return lines


def _choice_hint(question: ChoiceQuestion) -> str:
    several = "numbers, such as 1,3" if question.multi_select else "a number"
    return f"{several} · [s] no answer · or type one of your own: "


def _what(question: PermissionQuestion) -> str:
    """Return what is asked about, whole: a command's title is cut and on one line."""
    command = question.input.get("command")
    if not isinstance(command, str):
        return question.title
    return command.replace("\n", "\n  ")


def _destinations(question: PermissionQuestion) -> tuple[RuleDestination, ...]:
    """Return where a lasting grant may be kept; for this session first, which changes no file."""
    if question.hide_always or not question.suggestions:
        return ()
    places = question.suggestions[0].destinations
    session: list[RuleDestination] = [place for place in places if place == "session"]
    return (*session, *(place for place in places if place != "session"))


def _resolve(future: asyncio.Future[str], line: str) -> None:
    if not future.done():
        future.set_result(line)
