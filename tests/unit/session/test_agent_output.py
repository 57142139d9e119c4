"""The output file of an agent: what stands in it while it works, and after."""

from pathlib import Path

import pytest
from pilotfish.core.events import BlockFinished, EventRecord, SessionEvent, ToolStarted
from pilotfish.core.ids import AgentId, MessageId, ToolUseId
from pilotfish.core.messages import TextBlock
from pilotfish.session.agent_output import (
    KEPT_STEPS,
    MAX_CHARS,
    AgentOutput,
    note_lost,
)

from tests.support.full_disk import files_end_at
from tests.support.made_up_agents import facts, outcome
from tests.support.waiting import until


def record(event: SessionEvent) -> EventRecord:
    return EventRecord(seq=1, time_ms=1, event=event, agent_id=AgentId("a"))


def said(text: str) -> EventRecord:
    block = TextBlock(text=text)
    return record(BlockFinished(message_id=MessageId("m"), block_index=0, block=block))


def called(title: str, tool: str = "Read") -> EventRecord:
    return record(
        ToolStarted(tool_use_id=ToolUseId("t"), tool=tool, title=title, kind="read", input={})
    )


def read(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "agent-a.md"


async def test_the_file_grows_with_the_work_and_holds_the_report_at_its_end(path: Path) -> None:
    output = AgentOutput(facts("a", output_path=str(path)))
    assert read(path) == ""
    output.hear(said("Let me look.\n"))
    output.hear(called("notes.txt\x1b[31m"))
    await until(lambda: "notes.txt" in read(path))
    assert read(path) == (
        "find it (Explore): at work\n\nLet me look.\n\n- Read: notes.txt\\x1b[31m\n"
    )
    output.hear(called("more.txt"))
    await until(lambda: "- Read: more.txt\n" in read(path))
    await output.finish(outcome("It is there."))
    assert read(path) == (
        "It is there.\n\n---\nWhat it did:\n- Read: notes.txt\\x1b[31m\n- Read: more.txt"
    )


async def test_a_report_is_never_overtaken_by_what_came_before_it(path: Path) -> None:
    output = AgentOutput(facts("a", output_path=str(path)))
    output.hear(said("On its way"))
    await output.finish(outcome("", "failed", error="the model is away"))
    assert read(path) == "[It did not finish: the model is away]"
    assert output.steps == ()


async def test_an_agent_that_goes_on_leaves_its_report_until_the_next(path: Path) -> None:
    made = facts("a", output_path=str(path))
    first = AgentOutput(made)
    await first.finish(outcome("The first report."))
    again = AgentOutput(made)
    again.hear(said("And now"))
    await until(lambda: "And now" in read(path))
    assert read(path).startswith("The first report.\n\n---\n\nfind it (Explore): at work\n")
    await again.close()
    note_lost(made, "Pilotfish ended")
    assert read(path).endswith("And now\n\n[It was stopped: Pilotfish ended]\n")


async def test_what_is_kept_has_a_limit(path: Path) -> None:
    output = AgentOutput(facts("a", output_path=str(path)))
    for number in range(KEPT_STEPS + 5):
        output.hear(called(f"{number}.txt"))
    assert len(output.steps) == KEPT_STEPS
    for _ in range(3):
        output.hear(said("x" * (MAX_CHARS // 2)))
    await until(lambda: "not written here any more" in read(path))
    await output.close()
    assert len(read(path)) < MAX_CHARS * 1.6


async def test_a_file_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    output = AgentOutput(facts("a", output_path=str(tmp_path / "taken" / "agent-a.md")))
    output.hear(said("Hello"))
    await output.finish(outcome("Here."))
    nowhere = AgentOutput(facts("b"))
    nowhere.hear(called("x"))
    await nowhere.finish(outcome("Here."))
    assert read(tmp_path / "taken") == "a file"


async def test_a_full_disk_leaves_what_the_file_said(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    output = AgentOutput(facts("a", output_path=str(path)))
    with files_end_at(10):
        output.hear(called("lost.txt"))
        await until(lambda: "cannot be written" in caplog.text)
        assert read(path) == ""
    output.hear(called("notes.txt"))
    await until(lambda: "notes.txt" in read(path))
    before = read(path)
    assert before == "find it (Explore): at work\n\n- Read: notes.txt\n"
    with files_end_at(len(before)):
        await output.finish(outcome("It is there. " * 20))
    assert read(path) == before
    assert list(path.parent.iterdir()) == [path]


async def test_steps_that_a_full_disk_does_not_take_are_told_of_once(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[str] = []
    output = AgentOutput(facts("a", output_path=str(path)), told.append)
    with files_end_at(10):
        for number in (1, 2, 3):
            output.hear(called(f"{number}.txt"))
            await until(lambda refused=number: caplog.text.count("cannot be written") == refused)
    assert told == [
        f"What the agent a does cannot be written to {path}: File too large. Make room, or mend the "
        "permissions of its folder; what comes then is written there again. The agent goes on."
    ]
    output.hear(called("four.txt"))
    await until(lambda: "four.txt" in read(path))
    await output.finish(outcome("Here."))
    assert len(told) == 1
