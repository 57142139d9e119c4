"""The measurements, each a function that returns its row.

Owns: what is measured and against what. A number alone says little on a machine that is shared, so
most rows have a baseline measured in the same run.
"""

import asyncio
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from tests.support.wire_client import WireClient
from tools.bench import (
    agent_look,
    agents,
    diagnostics,
    files,
    index,
    long_session,
    many_turns,
    permissions,
    shell,
)
from tools.bench.rows import Row
from tools.bench.server import ROOT, clean_environment, fake_model, server

RUNS = 9

STREAMED_MS = 10
"""Time between the events of a reply: the work on one is done while the next is awaited, as with a real model."""


async def initialize_time() -> Row:
    """From process start to the answer of ``initialize``."""
    times: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for _ in range(RUNS):
            began = time.perf_counter()
            client = await WireClient.start(clean_environment(home), cwd=home)
            await client.initialize(home)
            times.append((time.perf_counter() - began) * 1000)
            await client.stop()
    bare = await _process_time([sys.executable, "-c", "pass"])
    return Row(
        name="`initialize` answered after process start",
        value=f"{median(times):.0f} ms",
        aim="≤ 300 ms",
        baseline=f"{median(times) / bare:.1f} × an empty interpreter ({bare:.0f} ms)",
        note=f"median of {RUNS}",
    )


async def first_request_warm() -> Row:
    """From a prompt to the first model request, on a warm server."""
    scenario = {"turns": [{"content": "ok", "repeat": "forever"}]}
    gaps: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        async with fake_model(scenario) as fake, server(fake.url, workspace) as client:
            session = await _new_session(client, workspace)
            await _prompt(client, session, "warm up")
            sent: list[float] = []
            for number in range(RUNS):
                sent.append(time.monotonic())
                await _prompt(client, session, f"prompt {number}")
            records = await fake.requests(RUNS + 1)
    for began, record in zip(sent, records[1:], strict=True):
        gaps.append((record["received_s"] - began) * 1000)
    return Row(
        name="prompt → first model request, warm",
        value=f"{median(gaps):.1f} ms",
        aim="≤ 10 ms",
        note=f"median of {RUNS}, {min(gaps):.1f} to {max(gaps):.1f}",
    )


async def streamed_turn_overhead() -> Row:
    """From the end of a reply with a small Read to the next request, where replies stream."""
    return await _turn_overhead("reply end → next request, with a small Read", STREAMED_MS)


async def burst_turn_overhead() -> Row:
    """The same where all of the reply is there at once, so that all of the work is still to be done."""
    return await _turn_overhead("the same where the whole reply comes at once", 0)


async def _turn_overhead(name: str, between_events_ms: int) -> Row:
    rounds = 40
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        (workspace / "a.txt").write_text("line\n" * 400, encoding="utf-8")
        scenario = {
            "variables": {"file": str(workspace / "a.txt")},
            "pace": {"between_events_ms": between_events_ms},
            "turns": [
                {
                    "content": [
                        {
                            "type": "tool_use",
                            "name": "Read",
                            # The same call again and again would be taken for a circle.
                            "input": {"file_path": "{{file}}", "offset": "{{n}}", "limit": 20},
                        }
                    ],
                    "repeat": "forever",
                    "loop": {"times": rounds, "then": "done"},
                }
            ],
        }
        async with fake_model(scenario) as fake, server(fake.url, workspace) as client:
            session = await _new_session(client, workspace)
            await _prompt(client, session, "warm up")
            await _prompt(client, session, "read it often")
            ours = _gaps((await fake.requests(2 * (rounds + 1)))[rounds + 1 :])
        async with fake_model(scenario) as fake:
            await _run_script(_BARE_LOOP, workspace, fake.url, str(workspace / "a.txt"))
            bare = _gaps(await fake.requests(rounds + 1))
    flat = median(ours[-10:]) / median(ours[:10])
    return Row(
        name=name,
        value=f"{median(ours):.1f} ms",
        aim="≤ 4 ms",
        baseline=f"{median(ours) / median(bare):.1f} × a bare SDK loop ({median(bare):.1f} ms)",
        note=f"{rounds} rounds; the last ten are {flat:.2f} × the first ten",
    )


def _gaps(records: list[dict[str, Any]]) -> list[float]:
    """Return the time from the end of each reply to the next request, in milliseconds."""
    return [(after["received_s"] - before["ended_s"]) * 1000 for before, after in pairwise(records)]


async def run_start() -> Row:
    """``pilotfish run`` from process start to its first request, against a bare SDK script."""
    scenario = {"turns": [{"content": "ok", "repeat": "forever"}]}
    ours: list[float] = []
    bare: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        script = home / "bare.py"
        script.write_text(_BARE_SCRIPT, encoding="utf-8")
        async with fake_model(scenario) as fake:
            environment = clean_environment(home, fake.url)
            commands = {
                "ours": [sys.executable, "-m", "pilotfish", "run", "hello"],
                "bare": [sys.executable, str(script)],
            }
            number = 0
            for _ in range(RUNS):
                for name, argv in commands.items():
                    began = time.monotonic()
                    process = await asyncio.create_subprocess_exec(
                        *argv,
                        env=environment,
                        cwd=home,
                        stdin=asyncio.subprocess.DEVNULL,
                        stdout=asyncio.subprocess.DEVNULL,
                    )
                    await process.wait()
                    number += 1
                    record = (await fake.requests(number))[-1]
                    sink = ours if name == "ours" else bare
                    sink.append((record["received_s"] - began) * 1000)
    ratio = median(a / b for a, b in zip(ours, bare, strict=True))
    return Row(
        name="`pilotfish run`: process start → first request",
        value=f"{median(ours):.0f} ms",
        aim="≤ 1.15 × bare",
        baseline=f"{ratio:.2f} × a bare SDK script ({median(bare):.0f} ms)",
        note=f"median of {RUNS} pairs",
    )


_BARE_SCRIPT = """
import sys
# Tests need aiohttp, users have none: where it is there, the SDK loads it, which they do not wait for.
sys.modules["anthropic._vendor.httpx_aiohttp"] = None
import asyncio, anthropic
async def main():
    client = anthropic.AsyncAnthropic(max_retries=0)
    stream = await client.messages.create(model="claude-sonnet-4-5", max_tokens=100, stream=True,
        messages=[{"role": "user", "content": "hello"}])
    async for _ in stream:
        pass
asyncio.run(main())
"""


_BARE_LOOP = """
import asyncio, sys, anthropic
TOOL = {"name": "Read", "description": "d", "input_schema": {"type": "object"}}
async def main(path):
    client = anthropic.AsyncAnthropic(max_retries=0)
    messages = [{"role": "user", "content": "read it often"}]
    while True:
        call = None
        stream = await client.messages.create(model="claude-sonnet-4-5", max_tokens=100, stream=True,
            messages=messages, tools=[TOOL])
        async for event in stream:
            if event.type == "content_block_start" and event.content_block.type == "tool_use":
                call = event.content_block
        if call is None:
            return
        text = await asyncio.to_thread(lambda: open(path).read(100))
        messages.append({"role": "assistant", "content": [
            {"type": "tool_use", "id": call.id, "name": "Read", "input": {}}]})
        messages.append({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": call.id, "content": text}]})
asyncio.run(main(sys.argv[1]))
"""


async def _run_script(script: str, folder: Path, base_url: str, argument: str) -> None:
    file = folder / "script.py"
    file.write_text(script, encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(file), argument, env=clean_environment(folder, base_url), cwd=folder
    )
    await process.wait()


async def _process_time(argv: list[str]) -> float:
    times: list[float] = []
    for _ in range(RUNS):
        began = time.perf_counter()
        process = await asyncio.create_subprocess_exec(*argv)
        await process.wait()
        times.append((time.perf_counter() - began) * 1000)
    return median(times)


async def _new_session(client: WireClient, workspace: Path) -> str:
    answer = await client.request("session/new", {"cwd": str(workspace), "mcpServers": []})
    session_id: str = answer["sessionId"]
    return session_id


async def _prompt(client: WireClient, session: str, text: str) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    answer: dict[str, Any] = await client.request(
        "session/prompt", {"sessionId": session, "prompt": content}
    )
    return answer


MEASURES = (
    initialize_time,
    first_request_warm,
    streamed_turn_overhead,
    burst_turn_overhead,
    run_start,
    *permissions.MEASURES,
    *files.MEASURES,
    *long_session.MEASURES,
    *many_turns.MEASURES,
    *index.MEASURES,
    *diagnostics.MEASURES,
    *shell.MEASURES,
    *agents.MEASURES,
    *agent_look.MEASURES,
)

__all__ = ["MEASURES", "ROOT", "Row"]
