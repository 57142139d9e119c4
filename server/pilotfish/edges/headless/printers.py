"""Output of a run.

Owns: what a printer is (it hears events and prints; at the end it prints the result), the one for people.
Does not own: the formats for programs (``json_printers``), which need what only editors need else.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TextIO

from pilotfish.core.calls import DiffDisplay
from pilotfish.core.commands import CommandAnswered, CommandTyped
from pilotfish.core.events import (
    BlockFinished,
    DecisionMade,
    EventRecord,
    NoteAdded,
    PriceMissing,
    PromptSubmitted,
    QuestionAsked,
    ReplyDiscarded,
    SessionCreated,
    SessionEvent,
    ToolFinished,
    ToolStarted,
)
from pilotfish.core.ids import MessageId, SessionId, ToolUseId
from pilotfish.core.messages import TextBlock, text_of
from pilotfish.core.passing_events import BlockDelta, RetryScheduled, UserWarned
from pilotfish.core.permission import PermissionQuestion
from pilotfish.edges.headless.diff_text import diff_lines
from pilotfish.edges.headless.paint import paint, plain
from pilotfish.util.visible import visible

MAX_OUTPUT_LINES = 12
"""Lines of a call's output that are shown; the first ones are left out."""

Result = dict[str, Any]


class Printer(Protocol):
    """Shows a run."""

    def begin(self, session_id: SessionId) -> None:
        """The session is open."""
        ...

    def hear(self, record: EventRecord) -> None:
        """Something happened."""
        ...

    def end(self, result: Result) -> None:
        """The run is over."""
        ...


class TextPrinter:
    """Prints for people: the answer as it streams, calls, diffs.

    On a terminal everything goes to standard output, in colour. Otherwise standard output gets the
    final answer alone, so that it can be piped, and the rest goes to standard error.
    """

    def __init__(
        self, stdout: TextIO, stderr: TextIO, here: Path | None = None, *, replay: bool = False
    ) -> None:
        """Set it up.

        Args:
            stdout: Where the answer goes.
            stderr: Where the rest goes when standard output is no terminal.
            here: The folder from which files are named; None until the session says where it works.
            replay: Show a past session whole, prompts included, on standard output.
        """
        terminal = stdout.isatty()
        self._stdout = stdout
        self._here = here
        self._replay = replay
        self._live = terminal or replay
        self._log = stdout if self._live else stderr
        self._paint: Callable[[str, str], str] = paint if terminal else plain
        self._open_block: tuple[MessageId, int] | None = None
        self._streamed: set[tuple[MessageId, int]] = set()
        self._asked: dict[ToolUseId, set[DiffDisplay]] = {}
        """Changes that a question has shown, until the call ends."""
        self._denied: set[ToolUseId] = set()
        """Calls of which it was said that, and why, they are refused; until they end."""
        self._begun: set[ToolUseId] = set()
        """Calls that are shown and have not ended."""

    def begin(self, session_id: SessionId) -> None:
        """Print nothing."""

    def hear(self, record: EventRecord) -> None:
        """Print what people want to see of an event."""
        event = record.event
        if isinstance(event, BlockDelta):
            self._stream(event)
            return
        self._finish_line()
        match event:
            case SessionCreated(cwd=cwd) if self._here is None:
                self._here = Path(cwd)
            case PromptSubmitted(content=content) | CommandTyped(content=content) if self._replay:
                self._line("\n" + self._paint(f"> {visible(text_of(content))}", "bold") + "\n")
            case BlockFinished(block=TextBlock(text=text)):
                key = (event.message_id, event.block_index)
                if self._live and key not in self._streamed:
                    self._line(visible(text))
            case CommandAnswered(text=text) if self._live:
                self._line(visible(text))
            case ReplyDiscarded():
                self._say("(the reply broke off)", "dim")
            case _:
                self._event(event)

    def end(self, result: Result) -> None:
        """Print the final answer where it was not streamed, and what went wrong."""
        self._finish_line()
        if not self._live and result["text"]:
            self._stdout.write(result["text"].rstrip() + "\n")
        if result["message"]:
            self._say(result["message"], "red" if result["is_error"] else "dim")
        self._stdout.flush()
        self._log.flush()

    def _event(self, event: SessionEvent) -> None:
        match event:
            case ToolStarted():
                self._begun.add(event.tool_use_id)
                self._line(self._paint(f"● {event.tool}", "bold") + f" {visible(event.title)}")
            case ToolFinished():
                self._finished(event)
            case QuestionAsked(question=PermissionQuestion() as question) if not self._replay:
                self._asked[question.tool_use_id] = _changes_in(question)
            case DecisionMade(behavior="deny", reason=reason):
                self._denied.add(event.tool_use_id)
                self._say(f"  denied: {reason}", "red")
            case NoteAdded(origin="diagnostics", text=text):
                self._say(_indent(text), "yellow")
            case (
                UserWarned(text=text)
                | PriceMissing(text=text)
                | NoteAdded(origin="fallback", text=text)
            ):
                self._say(text, "yellow")
            case RetryScheduled():
                seconds = event.delay_ms / 1000
                self._say(f"{event.message} Trying again in {seconds:.0f} s.", "dim")
            case _:
                pass

    def _finished(self, event: ToolFinished) -> None:
        diffs = [one for one in event.display if isinstance(one, DiffDisplay)]
        asked = self._asked.pop(event.tool_use_id, set())
        if event.tool_use_id in self._begun:
            self._begun.remove(event.tool_use_id)
        elif event.status == "interrupted":
            return  # it went with the reply that broke off, of which people are told
        for diff in diffs:
            if diff not in asked:
                for line in diff_lines(diff, self._here, self._paint):
                    self._line(line)
        if diffs and event.status == "completed":
            if not asked.isdisjoint(diffs):
                self._say("  made, as shown", "dim")
            return
        if event.tool_use_id in self._denied:
            self._denied.discard(event.tool_use_id)
            return
        self._output(event)

    def _output(self, event: ToolFinished) -> None:
        lines = text_of(event.content).rstrip().splitlines()
        hidden = len(lines) - MAX_OUTPUT_LINES
        if hidden > 0:
            lines = [f"… {hidden} lines", *lines[-MAX_OUTPUT_LINES:]]
        colour = "dim" if event.status == "completed" else "red"
        for line in lines:
            self._say(f"  {line}", colour)

    def _stream(self, delta: BlockDelta) -> None:
        key = (delta.message_id, delta.block_index)
        if not self._live or delta.kind != "text":
            return
        if self._open_block != key:
            self._finish_line()
        self._open_block = key
        self._streamed.add(key)
        self._stdout.write(visible(delta.text))
        self._stdout.flush()

    def _finish_line(self) -> None:
        if self._open_block is not None:
            self._open_block = None
            self._stdout.write("\n")

    def _say(self, text: str, style: str) -> None:
        """Print text of others: it may not do anything to the terminal."""
        self._line(self._paint(visible(text), style))

    def _line(self, text: str) -> None:
        self._log.write(text + "\n")
        self._log.flush()


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


def _changes_in(question: PermissionQuestion) -> set[DiffDisplay]:
    previews = question.batch if question.preview is None else (question.preview,)
    return {
        DiffDisplay(path=one.path, old_text=one.old_text, new_text=one.new_text) for one in previews
    }
