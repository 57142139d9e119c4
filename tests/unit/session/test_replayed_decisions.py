"""What the gate made of a call is what a replay makes of its recording, whatever the user answered."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from pilotfish.core.calls import PreparedCall, ToolOutcome, text_outcome
from pilotfish.core.events import DecisionMade
from pilotfish.core.permission import PermissionAnswer
from pilotfish.session.recorded_decisions import RecordedDecisions
from pilotfish.session.recording import Recording
from pilotfish.session.recording_reader import RecordedTurn, read_recording
from pilotfish.session.replayed_decisions import DecisionReplay
from pilotfish.util.redact import Redactor

from tests.support.gate_bench import GateBench, gate_bench
from tests.support.waiting import WAIT_S

ALWAYS = PermissionAnswer(kind="allow_always")
ONCE = PermissionAnswer(kind="allow_once")


class Tape:
    """A gate whose decisions are recorded."""

    def __init__(self, folder: Path) -> None:
        self.bench = gate_bench(folder)
        self._file = folder / "recordings" / "s.jsonl"
        self._recording = Recording(self._file, Redactor())
        self._recording.write({"type": "settings", "settings": {}})
        self.bench.witness = RecordedDecisions(self._recording)

    async def turn(self) -> RecordedTurn:
        """Return what was recorded."""
        await self._recording.close()
        (turn,) = await asyncio.to_thread(read_recording, self._file)
        return turn


@pytest.fixture
def tape(tmp_path: Path) -> Tape:
    return Tape(tmp_path)


async def again(tape: Tape, ran: dict[str, ToolOutcome]) -> DecisionReplay:
    """Play all calls; what the gate makes of each must be what it made of it then."""
    turn, bench = await tape.turn(), tape.bench
    replayed = DecisionReplay()
    decisions: list[DecisionMade] = []
    for call, outcome in ran.items():
        passed = outcome if outcome.status == "completed" else text_outcome("it must not run")
        played = await replayed.run(turn.decisions[call], passed, bench.scope(), decisions.append)
        assert played == outcome
    then = {one.tool_use_id: replace(one, waited_ms=0) for one in bench.decisions}
    assert {one.tool_use_id: replace(one, waited_ms=0) for one in decisions} == then
    assert replayed.report.differences == []
    assert replayed.report.hidden == 0
    return replayed


def write(bench: GateBench) -> PreparedCall:
    return bench.call("Write", {"file_path": str(bench.judge.root / "a.py"), "content": "x"})


ANSWERS = {
    "once": ONCE,
    "always": ALWAYS,
    "always, by a rule of one's own": replace(ALWAYS, edited_rule="Bash(make fast)"),
    "no": PermissionAnswer(kind="reject"),
    "no, with words": PermissionAnswer(kind="reject", feedback="not so"),
    "words": PermissionAnswer(kind="feedback", feedback="use ninja"),
    "gone": PermissionAnswer(kind="withdrawn"),
    "another input": replace(ONCE, updated_input={"command": "make slow"}),
    "an input that cannot be used": replace(ONCE, updated_input={"command": ""}),
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS.keys())
async def test_every_answer_means_the_same_again(tape: Tape, answer: PermissionAnswer) -> None:
    call = tape.bench.bash("make fast")
    outcome = await tape.bench.answered(call, answer)
    await again(tape, {"c1": outcome})


@pytest.mark.parametrize("text", ["mine", None], ids=["changed", "as proposed"])
async def test_a_text_that_was_edited_means_the_same_again(tape: Tape, text: str | None) -> None:
    call = write(tape.bench)
    assert call.preview is not None
    edited = call.preview.new_text if text is None else text
    outcome = await tape.bench.answered(call, replace(ONCE, edited_text=edited))
    await again(tape, {"c1": outcome})


async def test_a_question_that_another_answer_made_needless_is_so_again(tape: Tape) -> None:
    bench = tape.bench
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        calls = {one: bench.bash(f"make {one}", one) for one in ("a", "b")}
        tasks = {
            one: group.create_task(bench.gate().run(call, bench.scope()))
            for one, call in calls.items()
        }
        await bench.user.sees(2)
        bench.user.answer("b", replace(ALWAYS, edited_rule="Bash(make:*)"))
    replayed = await again(tape, {one: task.result() for one, task in tasks.items()})
    assert replayed.report.judged == 3


async def test_links_and_repositories_are_as_the_disk_said_then(tape: Tape) -> None:
    bench = tape.bench
    link = bench.judge.root / "link"
    link.symlink_to(bench.judge.outside)
    inside = await bench.gate().run(bench.bash("git status && ls"), bench.scope())
    read = bench.call("Read", {"file_path": str(link / "x")}, "c2")
    outside = await bench.answered(read, PermissionAnswer(kind="reject"))
    link.unlink()
    await again(tape, {"c1": inside, "c2": outside})


async def test_what_only_a_secret_decided_is_said_to_be_hidden(tape: Tape) -> None:
    # The rule names a secret, so neither rule nor command are in the recording.
    command = "deploy --password=hunter2hunter2 x"
    tape.bench.judge.rules(allow=[f"Bash({command})"])
    outcome = await tape.bench.gate().run(tape.bench.bash(command), tape.bench.scope())
    assert outcome.status == "completed"
    turn = await tape.turn()
    replayed = DecisionReplay()
    decided = turn.decisions["c1"]
    assert await replayed.run(decided, outcome, tape.bench.scope(), lambda _: None) == outcome
    assert replayed.report.judged + replayed.report.hidden == 1
    assert replayed.report.differences == []
