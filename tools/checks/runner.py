"""Runs steps and tells how they went.

Steps with tests run alone and show their output as it comes; the others run two at a time, and only
the output of one that fails is shown. Owns processes and printing; knows nothing of what a step is for.
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from tools.checks.counts import Counts
from tools.checks.left_files import FileWatch, left_in, scratch_variables
from tools.checks.leftovers import end_leftovers, mark_for
from tools.checks.steps import ROOT, Step

AT_A_TIME = 2
"""Steps without tests that run beside each other."""

STOP_GRACE_S = 10.0
"""Time a step that is stopped gets before it is killed."""

SHOWN_LINES = 120
"""How much of a failed step's output is shown; the end usually says it."""

INTERRUPTED = 130


@dataclass(frozen=True, kw_only=True)
class Result:
    """How a step ended."""

    step: Step
    exit_code: int
    took_s: float
    output: str
    counts: Counts
    stopped: bool = False
    """Ended by us because another step had failed; not a failure of its own."""

    @property
    def failed(self) -> bool:
        """Whether the check failed."""
        return not self.stopped and (self.exit_code != 0 or self.counts.failed > 0)


class Runner:
    """Runs steps in order and collects their results."""

    def __init__(self, *, keep_going: bool, watch: FileWatch | None = None) -> None:
        """Sets it up.

        Args:
            keep_going: Whether steps run after one that failed.
            watch: Tells of files that steps leave where they must not; None: nobody looks.
        """
        self._keep_going = keep_going
        self._watch = watch
        self._left_files: list[str] = []
        self._stopping = threading.Event()
        self._running: set[subprocess.Popen[str]] = set()
        self.results: list[Result] = []
        self.leftover_failures = 0

    @property
    def counts(self) -> Counts:
        """All tests; a step that failed without a failed test, and what is left behind, count as one."""
        total = Counts(failed=self.leftover_failures)
        for result in self.results:
            total += result.counts
            if result.failed and result.counts.failed == 0:
                total += Counts(failed=1)
        return total

    def run(self, steps: list[Step]) -> None:
        """Runs them all, or up to the first that fails."""
        try:
            for batch in _batches(steps):
                self._run_batch(batch)
                self._look_for_leftovers(batch)
                if self._has_failed() and not self._keep_going:
                    return
        except KeyboardInterrupt:
            self._stop_running()
            end_leftovers()
            raise

    def _has_failed(self) -> bool:
        return self.leftover_failures > 0 or any(result.failed for result in self.results)

    def _run_batch(self, batch: list[Step]) -> None:
        waiting = list(batch)
        running: set[Future[Result]] = set()
        with ThreadPoolExecutor(AT_A_TIME) as pool:
            while waiting or running:
                while waiting and len(running) < AT_A_TIME:
                    running.add(pool.submit(self._run_step, waiting.pop(0)))
                try:
                    done, running = wait(running, return_when=FIRST_COMPLETED)
                except KeyboardInterrupt:
                    self._stop_running()
                    raise
                for future in done:
                    self._finish(future.result())
                if self._has_failed() and not self._keep_going:
                    waiting.clear()
                    self._stop_running()

    def _finish(self, result: Result) -> None:
        self.results.append(result)
        _print_result(result)

    def _stop_running(self) -> None:
        self._stopping.set()
        for process in list(self._running):
            _signal_group(process, signal.SIGTERM)

    def _run_step(self, step: Step) -> Result:
        with tempfile.TemporaryDirectory(prefix="pf-") as scratch:
            # Tests that work as another user must get in, as into the usual folder.
            Path(scratch).chmod(0o755)
            result = self._run_in(step, Path(scratch))
            if step.has_scratch:
                self._left_files += left_in(Path(scratch))
        return result

    def _run_in(self, step: Step, scratch: Path) -> Result:
        live = step.counts_tests
        if live:
            _say(f"\n── {step.name}")
        start = time.monotonic()
        try:
            variables = scratch_variables(scratch) if step.has_scratch else {}
            process = _start(step, variables, live=live)
        except OSError as error:
            return Result(step=step, exit_code=127, took_s=0, output=str(error), counts=Counts())
        self._running.add(process)
        output = _wait_for(process, step.limit_s)
        self._running.discard(process)
        return Result(
            step=step,
            exit_code=process.returncode,
            took_s=time.monotonic() - start,
            output=output,
            counts=_read_counts(step),
            stopped=self._stopping.is_set(),
        )

    def _look_for_leftovers(self, batch: list[Step]) -> None:
        names = ", ".join(step.name for step in batch)
        for leftover in end_leftovers():
            self.leftover_failures += 1
            _say(f"FAIL {names} left a process behind: {leftover.pid} {leftover.command}")
        files = [*self._left_files, *(self._watch.new_files() if self._watch else [])]
        self._left_files.clear()
        for file in files:
            self.leftover_failures += 1
            _say(f"FAIL {names} left a file behind: {file}")


def _batches(steps: list[Step]) -> Iterable[list[Step]]:
    """Steps that may run together: those of a stage that show no output."""
    for (_, alone), group in groupby(steps, key=lambda step: (step.stage, step.counts_tests)):
        members = list(group)
        if alone:
            yield from ([member] for member in members)
        else:
            yield members


def _start(step: Step, variables: dict[str, str], *, live: bool) -> subprocess.Popen[str]:
    return subprocess.Popen(
        step.command,
        cwd=ROOT,
        env={**os.environ, **_plain_output(), **variables, **mark_for(step.name)},
        stdin=subprocess.DEVNULL,
        stdout=None if live else subprocess.PIPE,
        stderr=None if live else subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        # A group of its own, so that all of it can be ended.
        process_group=0,
    )


def _plain_output() -> dict[str, str]:
    """Some runners colour what they print into a pipe or file too, unless told."""
    return {} if sys.stdout.isatty() else {"NO_COLOR": "1"}


def _wait_for(process: subprocess.Popen[str], limit_s: float) -> str:
    try:
        output, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        _signal_group(process, signal.SIGTERM)
        try:
            output, _ = process.communicate(timeout=STOP_GRACE_S)
        except subprocess.TimeoutExpired:
            _signal_group(process, signal.SIGKILL)
            output, _ = process.communicate()
        output = f"{output or ''}\nStopped: it took longer than {limit_s:.0f} s."
    return output or ""


def _signal_group(process: subprocess.Popen[str], number: signal.Signals) -> None:
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):
        return


def _read_counts(step: Step) -> Counts:
    if step.count is None:
        return Counts()
    report = Path(step.report)
    # No report: the runner broke before it could write one, and its exit code says so.
    return step.count(report) if report.exists() else Counts()


def _print_result(result: Result) -> None:
    if result.stopped:
        return
    mark = "FAIL" if result.failed else "ok  "
    tests = f"  {result.counts.passed} passed" if result.step.counts_tests else ""
    if result.counts.failed:
        tests += f", {result.counts.failed} failed"
    _say(f"{mark} {result.step.name:<24}{result.took_s:6.1f} s{tests}")
    if result.failed and result.output.strip():
        _say(_excerpt(result.output.strip().splitlines()))


def _excerpt(lines: list[str]) -> str:
    shown = lines[-SHOWN_LINES:]
    if len(shown) < len(lines):
        shown.insert(0, f"... {len(lines) - len(shown)} lines before")
    return "".join(f"     | {line}\n" for line in shown)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
