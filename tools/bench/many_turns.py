"""Five hundred turns of one session: time between reply and next request, memory, what stays cacheable.

Owns: the row about it. The fake model is in this process, which does nothing else meanwhile.
"""

import asyncio
import tempfile
from itertools import pairwise
from pathlib import Path
from statistics import median

import psutil

from tests.support.cacheable import shared
from tests.support.wire_client import WireClient
from tools.bench.rows import Row
from tools.bench.server import server
from tools.fake_model import FakeModel, Loop, Pace, Scenario, ToolUse, Turn

TURNS = 500
WARM = 10
"""Turns after which memory and time are counted."""

COUNTED = 100
"""Turns over which the server's processor time is counted."""

STREAMED_MS = 5
"""Time between the events of a reply: the work on one is done while the next is awaited, as with a real server."""

AROUND = 10
"""Turns that a time is the median of."""


async def many_turns() -> Row:
    """Turns of two requests each, with a small Read between them."""
    read = ToolUse("Read", {"file_path": "a.txt", "offset": "{{n}}", "limit": 20})
    turn = Turn(
        ["I look.", read],
        loop=Loop(times=1, then="Read."),
        repeat="forever",
        pace=Pace(between_events_ms=STREAMED_MS),
    )
    gaps: list[float] = []
    least = 1.0
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        (workspace / "a.txt").write_text("line\n" * 2_000, encoding="utf-8")
        async with FakeModel() as fake, server(fake.url, workspace) as client:
            fake.play(Scenario([turn]))
            session = await _new_session(client, workspace)
            process, before = psutil.Process(client.process.pid), 0
            worked: list[float] = []
            for number in range(TURNS):
                await _prompt(client, session, f"Prompt {number}")
                asked, answered = fake.requests[-2:]
                assert asked.ended_s is not None
                gaps.append((answered.received_s - asked.ended_s) * 1000)
                latest = [one.raw for one in fake.requests[-3:]]
                least = min([least, *(shared(*pair) for pair in pairwise(latest))])
                spent = process.cpu_times()
                worked.append((spent.user + spent.system) * 1000)
                if number == WARM:
                    before = process.memory_info().rss
            grown = (process.memory_info().rss - before) / 1e6
            content = len(fake.requests[-1].raw) / 1e6
    first, middle, last = (
        median(gaps[at : at + AROUND]) for at in (1, 300 - AROUND // 2, TURNS - AROUND)
    )
    work = [(worked[at + COUNTED] - worked[at]) / COUNTED for at in (WARM, TURNS - COUNTED - 1)]
    return Row(
        name=f"{TURNS} turns: reply end → next request; memory; what of a request the next begins with",
        value=(
            f"{first:.1f} ms at the beginning, {middle:.1f} ms at turn 300, {last:.1f} ms at the end; "
            f"+ {grown:.0f} MB; {least:.1%}"
        ),
        aim="≤ 4 ms, ≤ 5 ms at turn 300; ≤ the content + 20 MB; ≥ 99 %",
        baseline=(
            f"the content: {content:.1f} MB; the server's own time a turn: {work[0]:.1f} ms at the "
            f"beginning, {work[1]:.1f} ms at the end"
        ),
        note=f"medians of {AROUND}; memory from turn {WARM} on; the least of all pairs",
    )


async def _new_session(client: WireClient, workspace: Path) -> str:
    answer = await client.request("session/new", {"cwd": str(workspace), "mcpServers": []})
    return str(answer["sessionId"])


async def _prompt(client: WireClient, session: str, text: str) -> None:
    content = [{"type": "text", "text": text}]
    await client.request("session/prompt", {"sessionId": session, "prompt": content})


MEASURES = (many_turns,)


if __name__ == "__main__":
    for measure in MEASURES:
        print(asyncio.run(measure()))
