"""Sub-agents: what starting one costs, what fifty weigh, and whether the server still answers.

Owns: the rows about agents. The fake model thinks for 100 ms and sends an event each 10 ms, as a fast
one does.
"""

import asyncio
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import psutil

from tests.support.wire_client import WireClient
from tools.bench.rows import Row
from tools.bench.server import fake_model, server

AGENTS = 50
RUNS = 15
READS = 5
"""Files that each agent reads before it waits."""

LIMIT_S = 60.0
PING_EVERY_S = 0.005

LATE_MS = 50
"""Counted by the answers: the server's own log tells of one blocked moment in five seconds at most."""

Until = Callable[[dict[str, Any]], bool]
"""Tells by an answer whether to stop asking."""


async def start_time() -> Row:
    """From the end of the reply that asks for an agent to the agent's first request."""
    call = _call("toolu_{{n}}", "scout: go", background=False)
    loop = {"times": RUNS, "then": "done"}
    scenario: dict[str, Any] = {
        "scripts": [
            {
                "when": {"first_user_text": "scout"},
                "turns": [{"content": "ok", "repeat": "forever"}],
            }
        ],
        "turns": [{"content": [call], "repeat": "forever", "loop": loop}],
    }
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        async with fake_model(scenario) as fake, server(fake.url, workspace) as client:
            session = await _session(client, workspace)
            await _prompt(client, session, "start them")
            records = await fake.requests(2 * RUNS + 1)
    gaps = [
        (agents["received_s"] - mains["ended_s"]) * 1000
        for mains, agents in zip(records[:-1:2], records[1::2], strict=False)
    ]
    return Row(
        name="reply end → first request of an agent that it starts",
        value=f"{median(gaps):.1f} ms",
        aim="≤ 20 ms",
        note=f"median of {len(gaps)}, {min(gaps):.1f} to {max(gaps):.1f}",
    )


async def fifty_at_once() -> Row:
    """Fifty agents in the background that read and then wait for their model."""
    calls = [_call(f"toolu_{one}", f"scout {one}: go", background=True) for one in range(AGENTS)]
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        (workspace / "a.txt").write_text("line\n" * 400, encoding="utf-8")
        scenario = _busy(str(workspace / "a.txt"), calls)
        async with fake_model(scenario) as fake, server(fake.url, workspace) as client:
            session = await _session(client, workspace)
            process = psutil.Process(client.process.pid)
            await _prompt(client, session, "warm up")
            quiet = await _pings(client, session, until=_after(1.0))
            before = process.memory_info().rss
            began = time.monotonic()
            busy = asyncio.create_task(_pings(client, session, until=_all_wait))
            await _prompt(client, session, "start them all")
            lags = await busy
            took = time.monotonic() - began
            each = (process.memory_info().rss - before) / AGENTS / 1e6
            await client.request("session/close", {"sessionId": session})
    return Row(
        name=f"{AGENTS} agents at once: memory of each, and how late the server answers",
        value=f"{each:.1f} MB each; 95 % of answers within {quantiles(lags, n=20)[-1]:.0f} ms",
        aim="≤ 3 MB, lag < 50 ms",
        baseline=f"idle: {quantiles(quiet, n=20)[-1]:.0f} ms",
        note=(
            f"{len(lags)} answers in {took:.1f} s, {sum(lag > LATE_MS for lag in lags)} of them after "
            f"more than {LATE_MS} ms, the slowest after {max(lags):.0f} ms"
        ),
    )


def _busy(file: str, calls: list[dict[str, Any]]) -> dict[str, Any]:
    read = {
        "type": "tool_use",
        "name": "Read",
        "input": {"file_path": file, "offset": "{{n}}", "limit": 50},
    }
    waiting = {"content": "I think about it", "faults": [{"kind": "stall", "after_events": 3}]}
    scripts = [
        {
            "when": {"first_user_text": f"scout {one}:"},
            "turns": [{"content": [read], "loop": {"times": READS, "then": "go on"}}, waiting],
        }
        for one in range(AGENTS)
    ]
    return {
        "scripts": [
            *scripts,
            {
                "when": {"last_user_text": "start them all"},
                "turns": [{"content": calls}, {"content": "begun", "repeat": "forever"}],
            },
        ],
        "turns": [{"content": "ok", "repeat": "forever"}],
        "pace": {"first_byte_ms": 100, "between_events_ms": 10},
    }


def _call(call: str, prompt: str, *, background: bool) -> dict[str, Any]:
    given = {
        "description": "a small task",
        "prompt": prompt,
        "subagent_type": "general-purpose",
        "run_in_background": background,
    }
    return {"type": "tool_use", "id": call, "name": "Agent", "input": given}


def _after(seconds: float) -> Until:
    end = time.monotonic() + seconds

    def over(_: dict[str, Any]) -> bool:
        return time.monotonic() > end

    return over


def _all_wait(answer: dict[str, Any]) -> bool:
    rows = answer["agents"]
    return len(rows) == AGENTS and all(row["toolUses"] >= READS for row in rows)


async def _pings(client: WireClient, session: str, until: Until) -> list[float]:
    """Ask again and again; return how long each answer took, in milliseconds."""
    times: list[float] = []
    async with asyncio.timeout(LIMIT_S):
        while True:
            began = time.perf_counter()
            answer = await client.request("_pilotfish/agents/list", {"sessionId": session})
            times.append((time.perf_counter() - began) * 1000)
            if until(answer):
                return times
            await asyncio.sleep(PING_EVERY_S)


async def _session(client: WireClient, workspace: Path) -> str:
    answer = await client.request("session/new", {"cwd": str(workspace), "mcpServers": []})
    return str(answer["sessionId"])


async def _prompt(client: WireClient, session: str, text: str) -> None:
    content = [{"type": "text", "text": text}]
    await client.request("session/prompt", {"sessionId": session, "prompt": content})


MEASURES = (start_time, fifty_at_once)
