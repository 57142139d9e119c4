"""Whoever is asked sees all of what would run, and nothing that hides it."""

import asyncio
import io
import os

from pilotfish.core.events import EventRecord, ToolFinished, ToolStarted
from pilotfish.core.ids import MAIN_AGENT, MessageId, RequestId, SessionId, ToolUseId
from pilotfish.core.messages import TextBlock
from pilotfish.core.passing_events import BlockDelta
from pilotfish.core.permission import PermissionQuestion
from pilotfish.edges.forms import Asker
from pilotfish.edges.headless.json_printers import StreamJsonPrinter
from pilotfish.edges.headless.printers import TextPrinter
from pilotfish.edges.headless.terminal import TerminalAsker
from pilotfish.edges.questions import question_to_acp

from tests.support.waiting import WAIT_S

NOBODY = Asker(agent_name="", session_title="")
HIDING = "echo start" + " " * 300 + "; rm -rf build\necho end"
"""The end of this one is cut from a title, and a title is one line."""


def question(command: str, title: str) -> PermissionQuestion:
    return PermissionQuestion(
        request_id=RequestId("ask_1"),
        session_id=SessionId("s"),
        agent_id=MAIN_AGENT,
        tool_use_id=ToolUseId("toolu_1"),
        tool="Bash",
        title=title,
        input={"command": command},
        reason="It may change files.",
        risk="normal",
        suggestions=(),
        hide_always=False,
    )


async def on_terminal(asked: PermissionQuestion) -> str:
    reading, writing = os.pipe()
    os.write(writing, b"n\n")
    os.close(writing)
    screen = io.StringIO()
    with os.fdopen(reading, encoding="utf-8") as stdin:
        async with asyncio.timeout(WAIT_S):
            await TerminalAsker(stdin, screen).ask(asked)
    return screen.getvalue()


async def test_a_terminal_shows_the_whole_command() -> None:
    shown = await on_terminal(question(HIDING, "echo start …"))
    assert "; rm -rf build\n  echo end\n" in shown


async def test_a_terminal_obeys_nothing_of_a_question() -> None:
    shown = await on_terminal(question("rm -rf x\x1b[2K\rls \u202e", "ls"))
    assert "rm -rf x\\x1b[2K\\x0dls \\u202e" in shown
    assert "\x1b" not in shown


def test_an_editor_gets_the_whole_command_beside_a_cut_title() -> None:
    call = question_to_acp(question(HIDING, "echo start …"), NOBODY)["toolCall"]
    assert call["content"] == [{"type": "content", "content": {"type": "text", "text": HIDING}}]
    assert "content" not in question_to_acp(question("ls", "ls"), NOBODY)["toolCall"]


def record(event: BlockDelta | ToolStarted | ToolFinished) -> EventRecord:
    return EventRecord(seq=1, time_ms=1, event=event, agent_id=MAIN_AGENT)


HOSTILE = "a\x1b]0;title\x07b\x9b2J\u202ec"
EVENTS = (
    ToolStarted(tool_use_id=ToolUseId("t"), tool="Bash", title=HOSTILE, kind="execute", input={}),
    ToolFinished(
        tool_use_id=ToolUseId("t"), status="completed", content=(TextBlock(text=HOSTILE),)
    ),
    BlockDelta(message_id=MessageId("m"), block_index=0, kind="text", text=HOSTILE),
)


class Screen(io.StringIO):
    """A terminal, as far as printers can tell."""

    def isatty(self) -> bool:
        return True


def test_a_run_on_a_terminal_passes_no_control_characters_on() -> None:
    screen = Screen()
    printer = TextPrinter(screen, screen)
    for event in EVENTS:
        printer.hear(record(event))
    own = screen.getvalue().replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "")
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(own)
    assert own.count("\\u202e") == len(EVENTS)


def test_lines_of_json_hold_escapes_for_what_has_no_utf8_form() -> None:
    raw = io.BytesIO()
    printer = StreamJsonPrinter(io.TextIOWrapper(raw, encoding="utf-8"))
    printer.begin(SessionId("s"))
    printer.hear(
        record(
            BlockDelta(message_id=MessageId("m"), block_index=0, kind="text", text="é\udcff\x9b")
        )
    )
    assert raw.getvalue().splitlines()[-1].isascii()
