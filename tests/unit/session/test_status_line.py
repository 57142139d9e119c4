"""The user's own status line: whose output counts, and that two commands never run side by side."""

import asyncio
import json
import logging
import sys
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pilotfish.config.status_line import StatusLineSettings
from pilotfish.core.agent_events import AgentSpent
from pilotfish.core.events import (
    EventRecord,
    KeptEvent,
    ReplyFinished,
    ToolFinished,
    TurnEnded,
)
from pilotfish.core.ids import AgentId, MessageId, ToolUseId, TurnId
from pilotfish.core.messages import Usage
from pilotfish.core.passing_events import StatusLineChanged
from pilotfish.core.worktree_events import SessionWorktree, WorktreeEntered
from pilotfish.llm.rate_limits import NO_LIMITS, RateLimits
from pilotfish.ports.processes import EndedBy, OpenChild, OpenSpec, ProcessResult, ProcessSpec
from pilotfish.session.line_shell import line_shell
from pilotfish.session.log import EventLog
from pilotfish.session.model_options import ContextWindow
from pilotfish.session.status_line import StatusLine, StatusPlace
from pilotfish.session.transcript import TranscriptWriter

from tests.support.fake_clock import FakeClock
from tests.support.waiting import until


class StubbornCommands:
    """Commands that end when the test says so, whatever they are told."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.told: list[dict[str, Any]] = []
        """What each was told of the session."""
        self.told_to_end: list[str] = []
        self.ended: list[str] = []
        self.running = 0
        self.most_at_once = 0
        self._ends: dict[str, asyncio.Future[tuple[str, int, EndedBy]]] = {}

    async def open(self, spec: OpenSpec) -> OpenChild:
        raise NotImplementedError(spec)

    async def run(self, spec: ProcessSpec, *, timeout_s: float) -> ProcessResult:
        assert timeout_s == 5.0
        command = spec.argv[-1]
        self.begun.append(command)
        self.told.append(json.loads(spec.stdin))
        self.running += 1
        self.most_at_once = max(self.most_at_once, self.running)
        end = self._ends[command] = asyncio.get_running_loop().create_future()
        assert spec.gone_on_cancel
        try:
            output, code, ended_by = await asyncio.shield(end)
        except asyncio.CancelledError:
            self.told_to_end.append(command)
            await end
            raise
        finally:
            self.running -= 1
            self.ended.append(command)
        return ProcessResult(
            exit_code=code,
            signal=None,
            output=output.encode(),
            error_output=b"",
            ended_by=ended_by,
        )

    async def end(
        self, command: str, output: str = "", code: int = 0, by: EndedBy = "itself"
    ) -> None:
        """Let a command that runs end, and those who wait for it hear of it."""
        self._ends[command].set_result((output, code, by))
        await until(lambda: command in self.ended)
        for _ in range(5):
            await asyncio.sleep(0)


class ModelStub:
    """A model whose provider tells nothing of limits."""

    def context_window(self) -> ContextWindow:
        return ContextWindow(tokens=1000, known=True)

    def rate_limits(self) -> RateLimits:
        return NO_LIMITS


class Bench:
    """A status line with commands of the test."""

    def __init__(self, folder: Path) -> None:
        self.commands = StubbornCommands()
        self.shown: list[str] = []
        self.log = EventLog(TranscriptWriter(folder / "s.jsonl"), FakeClock())
        self.log.listen(self._hear)
        self.line = StatusLine(
            self.log,
            self.commands,
            {},
            line_shell({}, sys.platform, None),
            ModelStub(),
            lambda: StatusPlace(current=folder, root=folder, added=()),
        )

    def _hear(self, record: EventRecord) -> None:
        if isinstance(record.event, StatusLineChanged):
            self.shown.append(record.event.text)

    def take(self, command: str, *, trusted: bool = True) -> None:
        """Settle a command; it is run at once, as far as it may."""
        self.line.take(StatusLineSettings(command=command), trusted=trusted)

    async def until_begun(self, command: str) -> None:
        await until(lambda: command in self.commands.begun)

    async def until_told(self, command: str) -> None:
        await until(lambda: command in self.commands.told_to_end)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[Bench]:
    made = Bench(tmp_path)
    yield made
    await made.line.close()
    await made.log.close()


async def test_a_command_that_does_not_listen_keeps_the_next_one_waiting(bench: Bench) -> None:
    bench.take("one")
    await bench.until_begun("one")
    bench.take("two")
    await bench.until_told("one")
    assert bench.commands.begun == ["one"]
    await bench.commands.end("one", "late")
    await bench.until_begun("two")
    await bench.commands.end("two", " second \n\n line \n")
    assert bench.shown == ["second\nline"]
    assert bench.commands.most_at_once == 1


async def test_what_ended_well_but_too_late_is_not_shown(bench: Bench) -> None:
    bench.take("one")
    await bench.until_begun("one")
    bench.take("two")
    await bench.until_told("one")
    await bench.commands.end("one", "old news")
    await bench.until_begun("two")
    assert bench.shown == []


async def test_of_many_that_wait_only_the_last_is_run(bench: Bench) -> None:
    bench.take("one")
    await bench.until_begun("one")
    for name in ("two", "three", "four"):
        bench.take(name)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    await bench.until_told("one")
    await bench.commands.end("one")
    await bench.until_begun("four")
    await bench.commands.end("four", "4")
    assert bench.commands.begun == ["one", "four"]
    assert bench.shown == ["4"]


@pytest.mark.parametrize(("command", "trusted"), [("", True), ("one", False)])
async def test_nothing_is_shown_of_a_command_that_was_taken_away(
    bench: Bench, command: str, trusted: bool
) -> None:
    bench.take("one")
    await bench.until_begun("one")
    bench.take(command, trusted=trusted)
    await bench.until_told("one")
    await bench.commands.end("one", "too late")
    assert bench.shown == []
    bench.take("two")
    await bench.until_begun("two")
    await bench.commands.end("two", "2")
    assert bench.shown == ["2"]


async def test_a_new_command_that_fails_is_logged_and_one_that_gave_way_is_not(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "pilotfish.session.status_line"):
        bench.take("one")
        await bench.until_begun("one")
        bench.take("two")
        await bench.until_told("one")
        await bench.commands.end("one")
        await bench.until_begun("two")
        assert caplog.messages == []
        await bench.commands.end("two", "ignored", code=3)
    assert caplog.messages == ["the status line ended with 3"]
    assert bench.shown == []


def reply(duration_ms: int, answer_ms: int | None) -> ReplyFinished:
    return ReplyFinished(
        message_id=MessageId("m"),
        model="m",
        stop_reason="end_turn",
        usage=Usage(input_tokens=1, output_tokens=1),
        cost_usd=0.25,
        duration_ms=duration_ms,
        answer_ms=answer_ms,
    )


def spent(duration_ms: int, answer_ms: int | None) -> AgentSpent:
    return AgentSpent(
        agent_id=AgentId("a"),
        model="m",
        usage=Usage(input_tokens=1),
        cost_usd=0.5,
        duration_ms=duration_ms,
        answer_ms=answer_ms,
    )


def call(duration_ms: int) -> ToolFinished:
    return ToolFinished(
        tool_use_id=ToolUseId("t"), status="completed", content=(), duration_ms=duration_ms
    )


async def told_after(bench: Bench, *events: KeptEvent) -> dict[str, Any]:
    """Return what a command is told once these things have happened."""
    for event in events:
        bench.log.emit(event)
    bench.take("one")
    await bench.until_begun("one")
    return bench.commands.told[0]


async def test_the_times_are_told_with_and_without_retries(bench: Bench) -> None:
    facts = await told_after(
        bench,
        reply(5_000, 1_500),
        call(40),
        reply(700, None),  # as an earlier version wrote it
        call(2),
        spent(3_000, 1_000),
        spent(0, 0),  # it broke off
        TurnEnded(turn_id=TurnId("t"), reason="completed", duration_ms=9_000),
    )
    assert facts["cost"] == {
        "total_cost_usd": 1.5,
        "total_duration_ms": 9_000,
        "total_api_duration_ms": 8_700,
        "total_api_duration_without_retries_ms": 3_200,
        "total_tool_duration_ms": 42,
        "total_lines_added": 0,
        "total_lines_removed": 0,
    }


@pytest.mark.parametrize(
    ("tokens", "used"), [(0, (0.0, 100.0)), (250, (25.0, 75.0)), (1_500, (100.0, 0.0))]
)
async def test_what_is_used_of_the_window_is_a_part_of_it(
    bench: Bench, tokens: int, used: tuple[float, float]
) -> None:
    one = replace(reply(1, 1), usage=Usage(input_tokens=tokens, output_tokens=0))
    window = (await told_after(bench, one))["context_window"]
    assert (window["used_percentage"], window["remaining_percentage"]) == used


@pytest.mark.parametrize(("branch", "told"), [("main", "main"), ("", None)])
async def test_a_worktree_is_told_with_the_branch_of_the_folder_that_was_left(
    bench: Bench, branch: str, told: str | None
) -> None:
    tree = SessionWorktree(
        path="/w/tree",
        branch="pilotfish/tree",
        slug="tree",
        base="abc",
        repository="/w",
        folder="/w/tree",
        original_branch=branch,
    )
    facts = await told_after(bench, WorktreeEntered(worktree=tree))
    assert facts["worktree"] == {
        "name": "tree",
        "path": "/w/tree",
        "branch": "pilotfish/tree",
        "original_cwd": ".",
        "original_branch": told,
    }
