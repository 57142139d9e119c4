"""What somebody at a terminal sees of a change: once, in colour, under the name it has from there."""

import io
from pathlib import Path

from pilotfish.core.calls import DiffDisplay
from pilotfish.core.events import (
    DecisionMade,
    EventRecord,
    KeptEvent,
    QuestionAsked,
    SessionCreated,
    ToolFinished,
)
from pilotfish.core.ids import MAIN_AGENT, RequestId, SessionId, ToolUseId
from pilotfish.core.messages import TextBlock
from pilotfish.core.permission import FilePreview, PermissionQuestion
from pilotfish.edges.headless.printers import TextPrinter

CALL = ToolUseId("toolu_1")


class Screen(io.StringIO):
    """A terminal, as far as printers can tell."""

    def isatty(self) -> bool:
        return True


def asked(path: Path, new_text: str) -> QuestionAsked:
    return QuestionAsked(
        question=PermissionQuestion(
            request_id=RequestId("r"), session_id=SessionId("s"), agent_id=MAIN_AGENT,
            tool_use_id=CALL, tool="Edit", title="a.py", input={}, reason="It changes a file.",
            risk="normal", suggestions=(), hide_always=True,
            preview=FilePreview(path=str(path), old_text="old\n", new_text=new_text),
        )
    )  # fmt: skip


def changed(path: Path, new_text: str) -> ToolFinished:
    diff = DiffDisplay(path=str(path), old_text="old\n", new_text=new_text)
    return ToolFinished(tool_use_id=CALL, status="completed", content=(), display=(diff,))


def printed(*events: KeptEvent, here: Path | None = None, replay: bool = False) -> str:
    screen = Screen()
    printer = TextPrinter(screen, screen, here, replay=replay)
    for event in events:
        printer.hear(EventRecord(seq=1, time_ms=0, event=event, agent_id=MAIN_AGENT))
    return screen.getvalue()


def test_a_change_that_nobody_was_asked_about_is_shown(tmp_path: Path) -> None:
    shown = printed(changed(tmp_path / "sub" / "a.py", "new\n"), here=tmp_path)
    assert "\x1b[32m+new\x1b[0m" in shown
    assert "\x1b[31m-old\x1b[0m" in shown
    assert "+++ sub/a.py" in shown
    assert str(tmp_path) not in shown


def test_a_change_that_its_question_has_shown_is_not_shown_again(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    shown = printed(asked(file, "new\n"), changed(file, "new\n"))
    assert "+new" not in shown
    assert "made, as shown" in shown


def test_what_the_user_made_of_it_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    shown = printed(asked(file, "new\n"), changed(file, "mine\n"))
    assert "+mine" in shown
    assert "as shown" not in shown


def test_a_past_session_shows_its_changes_whoever_was_asked(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    begun = SessionCreated(
        session_id=SessionId("s"), cwd=str(tmp_path), version="0", mode="default", model="m"
    )
    shown = printed(begun, asked(file, "new\n"), changed(file, "new\n"), replay=True)
    assert "+new" in shown
    assert "+++ a.py" in shown


def test_a_refusal_is_said_once() -> None:
    reason = "Nobody can be asked here."
    shown = printed(
        DecisionMade(tool_use_id=CALL, tool="Bash", behavior="deny", phase="mode", reason=reason),
        ToolFinished(
            tool_use_id=CALL,
            status="denied",
            content=(TextBlock(text=f"{reason} Nothing was run."),),
        ),
    )
    assert shown.count(reason) == 1
