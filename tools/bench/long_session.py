"""Opening a long session: time, memory, and what a list costs.

Owns: a generated transcript and the rows about it. ``PILOTFISH_BENCH_MB`` sets its size; the aim is told
for 500.
"""

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import psutil
from pilotfish.core.events import (
    ContextCleared,
    EventRecord,
    KeptEvent,
    PromptSubmitted,
    SessionCreated,
    TurnEnded,
    TurnStarted,
)
from pilotfish.core.ids import MAIN_AGENT, MessageId, SessionId, TurnId
from pilotfish.core.messages import TextBlock
from pilotfish.session import codec
from pilotfish.session.session_list import slug_of

from tools.bench.read_rounds import read_round
from tools.bench.rows import Row
from tools.bench.server import server

DEFAULT_MB = 50
RUNS = 3
CONTEXT_BYTES = 2_000_000
"""How much the model knows before it is made to forget."""

SESSION = SessionId("0a1b2c3d-0000-4000-8000-00000000beef")
_SAID = "I look. " * 40
_TEXT = "def f(x: int) -> str:\n    return 'é' + str(x)\n" * 400


def generate(
    path: Path,
    cwd: Path,
    size: int,
    *,
    cleared: bool = True,
    turn_calls: int = 10,
    text: str = _TEXT,
) -> None:
    """Write a transcript of about some size.

    Args:
        path: The file.
        cwd: The session's folder.
        size: In bytes.
        cleared: Whether the model forgets every 2 MB; else it is one conversation.
        turn_calls: Calls of each turn.
        text: What each of them reads.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    seq = calls = written = context = 0
    with path.open("wb", buffering=1 << 20) as file:

        def put(*events: KeptEvent) -> None:
            nonlocal seq, written, context
            for event in events:
                seq += 1
                record = EventRecord(seq=seq, time_ms=seq, event=event, agent_id=MAIN_AGENT)
                line = codec.to_line(record)
                file.write(line)
                written += len(line)
                context += len(line)

        put(
            SessionCreated(session_id=SESSION, cwd=str(cwd), version="0", mode="default", model="m")
        )
        while written < size:
            if cleared and context > CONTEXT_BYTES:
                put(ContextCleared())
                context = 0
            turn = TurnId(f"t{calls}")
            put(TurnStarted(turn_id=turn, model="m"))
            content = (TextBlock(text="Please go on."),)
            put(PromptSubmitted(message_id=MessageId(f"p{calls}"), content=content))
            for _ in range(turn_calls):
                calls += 1
                put(*read_round(calls, _SAID, text))
                if written >= size:
                    break
            put(TurnEnded(turn_id=turn, reason="completed"))


async def resume_long_session() -> Row:
    """From ``session/resume`` to its answer, and what the server's memory grows by."""
    return await _resume(cleared=True)


async def resume_long_conversation() -> Row:
    """The same where the model was never made to forget."""
    return await _resume(cleared=False)


async def resume_long_turn() -> Row:
    """The same where one turn is all there is."""
    return await _resume(cleared=False, one_turn=True)


async def _resume(*, cleared: bool, one_turn: bool = False) -> Row:
    megabytes = int(os.environ.get("PILOTFISH_BENCH_MB", DEFAULT_MB))
    times: list[float] = []
    grown: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        path = workspace / ".pilotfish" / "projects" / slug_of(workspace) / f"{SESSION}.jsonl"
        turn_calls = sys.maxsize if one_turn else 10
        generate(path, workspace, megabytes * 1_000_000, cleared=cleared, turn_calls=turn_calls)
        for _ in range(RUNS):
            async with server("http://127.0.0.1:9", workspace, workspace) as client:
                await client.settle()
                process = psutil.Process(client.process.pid)
                before = process.memory_info().rss
                params: dict[str, Any] = {"sessionId": SESSION, "cwd": folder, "mcpServers": []}
                began = time.perf_counter()
                await client.request("session/resume", params)
                times.append(time.perf_counter() - began)
                await client.request("_pilotfish/session/snapshot", {"sessionId": SESSION})
                grown.append((process.memory_info().rss - before) / 1e6)
        reading = await _reading_time(path)
    shape = "" if cleared else " in one turn" if one_turn else " in one conversation"
    return Row(
        name=f"a transcript of {megabytes} MB{shape} resumes",
        value=f"{median(times):.2f} s, + {median(grown):.0f} MB",
        aim="≤ 3 s and ≤ 200 MB for 500 MB",
        baseline=f"{median(times) / reading:.1f} × reading its lines ({reading:.2f} s)",
        note=f"median of {RUNS}; PILOTFISH_BENCH_MB sets the size",
    )


async def _reading_time(path: Path) -> float:
    script = (
        "import sys,time;b=time.perf_counter();n=sum(1 for _ in open(sys.argv[1],'rb'));"
        "print(time.perf_counter()-b)"
    )
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", script, str(path)), stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    return float(output)


MEASURES = (resume_long_session, resume_long_conversation, resume_long_turn)


if __name__ == "__main__":
    for measure in MEASURES:
        print(asyncio.run(measure()))
