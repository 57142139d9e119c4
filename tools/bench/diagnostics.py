"""Measurements of what is told after an edit: syntax, the report, a source that does not answer."""

import asyncio
import sysconfig
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from pilotfish.codeintel.after_edit import DiagnosticsAfterEdit
from pilotfish.codeintel.note_text import report_of
from pilotfish.codeintel.semantic import WAIT_S, SemanticDiagnostics
from pilotfish.codeintel.trees import parse
from pilotfish.codeintel.warm_syntax import SyntaxWarmUp
from pilotfish.core.ids import MAIN_AGENT, CheckpointId, SessionId, ToolUseId, TurnId
from pilotfish.ports.diagnostics import Problem, ProblemReport
from pilotfish.ports.editing import EditRecord
from pilotfish.util.tasks import TaskScope

from tools.bench.rows import Row

LINES = 5_000
RUNS = 20
PROBLEMS = 1_000
ROOT = Path("/project")


async def syntax() -> Row:
    """Edits of a long file, each of which breaks it or repairs it."""
    good = _long_text()
    lines = good.split("\n")
    broken = "\n".join([*lines[: LINES // 2], "def broken(:", *lines[LINES // 2 :]])
    after_edit = DiagnosticsAfterEdit(ROOT)
    await _read_before(ROOT / "long.py", good)
    times: list[float] = []
    for number in range(RUNS + 1):
        old, new = (good, broken) if number % 2 == 0 else (broken, good)
        after_edit.edited(_record("long.py", old, new, number))
        began = time.perf_counter()
        assert await after_edit.sections()
        times.append((time.perf_counter() - began) * 1000)
    began = time.perf_counter()
    parse("python", good.encode())
    parsing_ms = (time.perf_counter() - began) * 1000
    return Row(
        name=f"syntax errors of an edit, file of {LINES:,} lines",
        value=f"{median(times[1:]):.0f} ms, {times[0]:.0f} ms the first time after it was read",
        aim="≤ 20 ms",
        baseline=f"parsing it once: {parsing_ms:.0f} ms",
        note=f"median of {RUNS}, {min(times[1:]):.0f} to {max(times[1:]):.0f}; "
        f"{len(good) / 1000:.0f} kB of Python",
    )


async def _read_before(path: Path, text: str) -> None:
    """Let it be as after a Read: an agent may edit only what it has read."""
    tasks, read = TaskScope("bench"), asyncio.Event()
    loop = asyncio.get_running_loop()

    def text_of(file: Path) -> str | None:
        if file == path:
            return text
        loop.call_soon_threadsafe(read.set)
        return None

    warm_up = SyntaxWarmUp(text_of, tasks)
    warm_up.seen(ROOT / "asked_for_last.py")
    warm_up.seen(path)  # what was read last is parsed first
    await read.wait()
    await tasks.close()


async def report() -> Row:
    """From a source's answer to the note, with many problems in many files."""
    source = _Source()
    semantic = SemanticDiagnostics(ROOT, source, frozenset)
    text = _long_text()
    times: list[float] = []
    for number in range(RUNS):
        await semantic.before_edit(ROOT / "long.py", text)
        semantic.edited(_record("long.py", text, f"import new{number}\n{text}", number))
        source.problems = _problems(number)
        assert report_of(await semantic.sections())
        times.append((time.perf_counter() - source.answered_at) * 1000)
    return Row(
        name="report of an edit after its source has answered",
        value=f"{median(times):.1f} ms",
        aim="≤ 5 ms",
        note=f"median of {RUNS}, {min(times):.1f} to {max(times):.1f}; {PROBLEMS:,} problems in 50 "
        f"files, the edited one of {LINES:,} lines",
    )


async def silence() -> Row:
    """Edits of one file while its source does not answer."""
    source = _Source(answers=False)
    semantic = SemanticDiagnostics(ROOT, source, frozenset)
    times: list[float] = []
    for number in range(4):
        await semantic.before_edit(ROOT / "a.py", "x = 1\n")
        semantic.edited(_record("a.py", "x = 1\n", "x = 2\n", number))
        began = time.perf_counter()
        await semantic.sections()
        times.append(time.perf_counter() - began)
    return Row(
        name="edits while their source does not answer",
        value=f"{times[0]:.2f} s, then {max(times[1:]) * 1000:.0f} ms",
        aim=f"≤ {WAIT_S:.0f} s, once a file",
        note="the first of four edits of one file, then the slowest of the others",
    )


class _Source:
    """Answers at once, or never."""

    name = "a bench"

    def __init__(self, *, answers: bool = True) -> None:
        self.problems: dict[Path, Sequence[Problem]] = {}
        self.answered_at = 0.0
        self._answers = answers

    async def now(self) -> ProblemReport:
        return self._report(())

    def begin_batch(self) -> None:
        """Nothing to do."""

    async def expect(self, path: Path, old_text: str | None) -> None:
        """Nothing to do."""

    def written(self, path: Path, new_text: str) -> None:
        """Nothing to do."""

    async def after(
        self,
        paths: Sequence[Path],
        *,
        since: int,  # noqa: ARG002 - all is new
        limit_s: float,
    ) -> ProblemReport:
        if not self._answers:
            await asyncio.sleep(limit_s)
        return self._report(paths if self._answers else ())

    def _report(self, published: Sequence[Path]) -> ProblemReport:
        found = ProblemReport(revision=1, problems=self.problems, published=frozenset(published))
        self.answered_at = time.perf_counter()
        return found


def _problems(number: int) -> dict[Path, Sequence[Problem]]:
    paths = [ROOT / ("long.py" if at == 0 else f"other{at}.py") for at in range(50)]
    return {
        path: [
            Problem(
                severity="error",
                line=line * 100 + 1,
                column=1,
                message=f"problem {line} of edit {number}",
                source="bench",
                code="E1",
            )
            for line in range(PROBLEMS // len(paths))
        ]
        for path in paths
    }


def _long_text() -> str:
    """Return the beginning of a long module of Python's library, cut before a definition."""
    module = Path(sysconfig.get_path("stdlib")) / "_pydecimal.py"
    lines = module.read_text(encoding="utf-8").split("\n")
    end = max(at for at, line in enumerate(lines[:LINES]) if line.startswith(("class ", "def ")))
    filler = [f"FILLER_{number} = {number}" for number in range(LINES - end)]
    return "\n".join([*lines[:end], *filler]) + "\n"


def _record(name: str, old: str, new: str, turn: int) -> EditRecord:
    return EditRecord(
        session_id=SessionId("s"),
        turn_id=TurnId(str(turn)),
        agent_id=MAIN_AGENT,
        tool_use_id=ToolUseId("t"),
        checkpoint_id=CheckpointId("c"),
        path=ROOT / name,
        old_text=old,
        new_text=new,
    )


MEASURES = (syntax, report, silence)
