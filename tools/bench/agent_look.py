"""Looking into an agent that has said a lot: from the click to what the view gets.

Owns: the row about it. Does not own: the agent (``tools.bench.long_agent``).
"""

import asyncio
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from tools.bench.long_agent import AGENT, MESSAGES, SESSION, write_session
from tools.bench.rows import Row
from tools.bench.server import server

RUNS = 15


async def look_into_a_long_agent() -> Row:
    """From ``_pilotfish/agents/view`` to its answer, again and again."""
    times: list[float] = []
    answer: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        size = write_session(workspace, workspace).stat().st_size / 1e6
        async with server("http://127.0.0.1:9", workspace, workspace) as client:
            params: dict[str, Any] = {"sessionId": SESSION, "cwd": folder, "mcpServers": []}
            await client.request("session/resume", params)
            await client.settle()
            wanted = {"sessionId": SESSION, "agentId": AGENT, "viewer": "bench"}
            for _ in range(RUNS):
                began = time.perf_counter()
                answer = await client.request("_pilotfish/agents/view", wanted)
                times.append((time.perf_counter() - began) * 1000)
        updates: list[object] = answer["snapshot"]["updates"]
    return Row(
        name=f"a look into an agent with {MESSAGES:,} messages ({size:.0f} MB)",
        value=f"{median(times):.0f} ms, {times[0]:.0f} ms the first time",
        aim="≤ 300 ms, until it is on screen",
        note=f"median of {RUNS}, up to {max(times):.0f}; {len(updates)} updates",
    )


MEASURES = (look_into_a_long_agent,)


if __name__ == "__main__":
    for measure in MEASURES:
        print(asyncio.run(measure()))
