"""How long the judge takes.

Owns: the rows for permission decisions and for reading long commands.
"""

import asyncio
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from pilotfish.codeintel.shell_ast import MAX_COMMAND_CHARS, forget_parsed, parse_shell
from pilotfish.core.permission import PermissionRule
from pilotfish.permissions.assumed import assume_call
from pilotfish.permissions.decide import decide
from pilotfish.permissions.state import PermissionState

from tools.bench.rows import Row

ROUNDS = 300

_ALLOWED = ("git commit:*", "npm test:*", "npm run build:*", "make *", "cargo test:*")
_DENIED = (".env", "/secrets/**", "**/*.pem")


def _state(folder: Path) -> PermissionState:
    """Return a snapshot with a usual number of rules."""
    allow = [
        PermissionRule(source="userSettings", behavior="allow", tool="Bash", content=content)
        for content in _ALLOWED
    ]
    deny = [
        PermissionRule(source="userSettings", behavior="deny", tool="Read", content=content)
        for content in _DENIED
    ]
    return PermissionState(
        mode="default",
        project_root=folder,
        cwd=folder,
        home=folder.parent,
        state_folder=folder.parent / ".pilotfish",
        roots=(folder,),
        rules=(*allow, *deny),
        trusted=True,
        can_ask=True,
    )


def _times(action: Callable[[int], object]) -> list[float]:
    found: list[float] = []
    for number in range(ROUNDS):
        began = time.perf_counter()
        action(number)
        found.append((time.perf_counter() - began) * 1000)
    return found


def _compound(number: int) -> str:
    """Return a line of 200 characters that no cache knows."""
    line = (
        f"cd src && grep -rn 'pattern-{number}' app lib | sort | uniq -c | head -20 && git status && "
        f"git diff --stat HEAD~{number} && npm test -- --shard={number} 2>&1 | tail -30; echo done "
    )
    return line + "x" * (200 - len(line))


def _row(name: str, times: list[float], aim: str) -> Row:
    times.sort()
    worst = times[int(len(times) * 0.95)]
    return Row(
        name=name,
        value=f"{median(times):.2f} ms",
        aim=aim,
        note=f"median of {len(times)}, 95 % below {worst:.2f}",
    )


async def decision_cached() -> Row:
    """Judge a command whose text was judged before."""

    def measure() -> list[float]:
        with tempfile.TemporaryDirectory() as name:
            state = _state(Path(name).resolve())
            call = assume_call("Bash", {"command": "git commit -m x && npm test"}, state.cwd)
            decide(call, state)
            return _times(lambda _: decide(call, state))

    times = await asyncio.to_thread(measure)
    return _row("permission decision, known command", times, "≤ 0.5 ms")


async def decision_new() -> Row:
    """Judge a new compound command of 200 characters."""

    def measure() -> list[float]:
        with tempfile.TemporaryDirectory() as name:
            state = _state(Path(name).resolve())
            decide(assume_call("Bash", {"command": "warm up"}, state.cwd), state)
            calls = [
                assume_call("Bash", {"command": _compound(number)}, state.cwd)
                for number in range(ROUNDS)
            ]
            return _times(lambda number: decide(calls[number], state))

    times = await asyncio.to_thread(measure)
    return _row("permission decision, new compound command of 200 characters", times, "≤ 3 ms")


async def long_command() -> Row:
    """Read commands of the greatest length; the slowest of several shapes."""

    def measure() -> list[float]:
        shapes = ("x\n", "a ", "ls | ", ">a ", "$a ", "'\"", "$(", "a=b ", "<<E ")
        parse_shell("warm up")
        found: list[float] = []
        for shape in shapes:
            text = ("ls " + shape * MAX_COMMAND_CHARS)[:MAX_COMMAND_CHARS]
            runs: list[float] = []
            for _ in range(5):
                forget_parsed()
                began = time.perf_counter()
                parse_shell(text)
                runs.append((time.perf_counter() - began) * 1000)
            found.append(median(runs))
        return found

    times = await asyncio.to_thread(measure)
    return Row(
        name="reading a command of 10,000 characters",
        value=f"{max(times):.0f} ms",
        aim="≤ 50 ms",
        note=f"the slowest of {len(times)} shapes, each the median of 5",
    )


MEASURES = (decision_cached, decision_new, long_command)
