"""What commands cost: the way to a shell and back, floods of output, memory while they run.

Owns: these measurements, on the tool and the governor without a server around them.
"""

import asyncio
import gc
import tempfile
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

import psutil
from pilotfish.config.schema import ShellSettings
from pilotfish.session.session_settings import command_limits
from pilotfish.tools.bash import BashTool

from tests.support.tool_context import ENVIRONMENT, ToolBench, tool_bench
from tools.bench.rows import Row

CALLS = 41

FLOOD_BYTES = 60_000_000
"""Just below what ends a command."""

FLOODS = 5

SHELLS = 20

TICK_S = 0.002
"""How often the event loop is asked whether it still answers."""

TOOL = BashTool(ENVIRONMENT)


@asynccontextmanager
async def _bench() -> AsyncGenerator[ToolBench]:
    with tempfile.TemporaryDirectory() as folder:
        async with tool_bench(Path(folder)) as bench:
            # What the settings have by default, so that commands are watched as they are in use.
            bench.context.command_limits = command_limits(ShellSettings())
            yield bench


async def shell_overhead() -> Row:
    """From a call of ``true`` to its result, beyond starting a bash for it."""
    ours: list[float] = []
    bare: list[float] = []
    async with _bench() as bench:
        await bench.call(TOOL, command="true")
        for _ in range(CALLS):
            began = time.perf_counter()
            await bench.call(TOOL, command="true")
            ours.append((time.perf_counter() - began) * 1000)
            began = time.perf_counter()
            process = await asyncio.create_subprocess_exec(
                "/bin/bash", "-c", "true", cwd=bench.root, env=ENVIRONMENT
            )
            await process.wait()
            bare.append((time.perf_counter() - began) * 1000)
    over = median(ours) - median(bare)
    return Row(
        name="a command (`true`) beyond starting bash for it",
        value=f"{over:.1f} ms",
        aim="≤ 15 ms",
        baseline=f"bash alone takes {median(bare):.1f} ms",
        note=f"median of {CALLS}",
    )


async def shell_flood() -> Row:
    """A command that writes as fast as it can, and how long the event loop is held up by it."""
    speeds: list[float] = []
    lags: list[float] = []
    command = f"yes 'a line of some fifty characters, as builds write' | head -c {FLOOD_BYTES}"
    bare = await _bare_flood(command)
    async with _bench() as bench:
        for _ in range(FLOODS):
            watch = asyncio.ensure_future(_longest_lag())
            began = time.perf_counter()
            await bench.call(TOOL, command=command)
            speeds.append(FLOOD_BYTES / 1e6 / (time.perf_counter() - began))
            watch.cancel()
            lags.append(await watch)
    return Row(
        name="output of a command",
        value=f"{median(speeds):.0f} MB/s, event loop held up {median(lags) * 1000:.0f} ms",
        aim="≥ 100 MB/s, ≤ 50 ms",
        baseline=f"{median(speeds) / bare:.2f} × reading it and keeping nothing ({bare:.0f} MB/s)",
        note=f"{FLOODS} × {FLOOD_BYTES // 10**6} MB; worst hold-up {max(lags) * 1000:.0f} ms",
    )


async def _bare_flood(command: str) -> float:
    speeds: list[float] = []
    for _ in range(FLOODS):
        began = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            "/bin/bash", "-c", command, stdout=asyncio.subprocess.PIPE, env=ENVIRONMENT
        )
        assert process.stdout is not None
        while await process.stdout.read(65_536):
            pass
        await process.wait()
        speeds.append(FLOOD_BYTES / 1e6 / (time.perf_counter() - began))
    return median(speeds)


async def _longest_lag() -> float:
    worst = 0.0
    try:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(TICK_S)
            worst = max(worst, time.perf_counter() - began - TICK_S)
    except asyncio.CancelledError:
        return worst


async def shell_memory() -> Row:
    """What a running command takes: here for its output, and as processes of its own."""
    command = "yes | head -c 2000000; sleep 600"
    own = psutil.Process()
    async with _bench() as bench:
        await bench.call(TOOL, command=command, run_in_background=True)
        gc.collect()
        before = own.memory_info().rss
        for _ in range(SHELLS - 1):
            await bench.call(TOOL, command=command, run_in_background=True)
        gc.collect()
        here = (own.memory_info().rss - before) / (SHELLS - 1)
        theirs = sum(_unshared(child.pid) for child in bench.governor.list()) / SHELLS
    return Row(
        name="memory of a running command",
        value=f"{(here + theirs) / 2**20:.1f} MB",
        aim="≤ 20 MB",
        baseline=f"{theirs / 2**20:.1f} MB of it are bash and `sleep` themselves",
        note=f"{SHELLS} at once, each with 2 MB of output",
    )


def _unshared(pid: int) -> int:
    family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    return sum(process.memory_full_info().uss for process in family)


MEASURES = (shell_overhead, shell_flood, shell_memory)
