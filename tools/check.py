"""Everything that must hold before a change is good: `npm test` runs this, and so does CI.

    python -m tools.check [fast] [--keep-going] [--only NAME] [pytest arguments]

Static checks of both languages, then the tests of both, then a real VS Code in a browser (`fast`
leaves that out). Stops at the first step that fails. The last line says `N passed, N failed`.
"""

import argparse
import signal
import sys
import tempfile
import time
from pathlib import Path

# So that `python tools/check.py` finds the package too.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.checks.left_files import FileWatch
from tools.checks.leftovers import adopt_orphans
from tools.checks.runner import INTERRUPTED, Runner
from tools.checks.steps import ROOT, Step, build_steps


def main(arguments: list[str]) -> int:
    """Runs the checks; the exit code says whether all hold."""
    options, pytest_args = _parse(arguments)
    adopt_orphans()
    start = time.monotonic()
    runner = Runner(keep_going=options.keep_going, watch=FileWatch(clone=ROOT))
    with tempfile.TemporaryDirectory(prefix="pilotfish-check-") as reports:
        steps = build_steps(fast=options.fast, pytest_args=pytest_args, reports=Path(reports))
        steps = [step for step in steps if _is_wanted(step, options.only)]
        if not steps:
            print(f"No step is called {' or '.join(options.only)}.", file=sys.stderr)
            return 2
        try:
            runner.run(steps)
        except KeyboardInterrupt:
            print("\nInterrupted.")
            return INTERRUPTED
    _print_summary(runner, steps, time.monotonic() - start)
    return 1 if runner.counts.failed else 0


def _parse(arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(
        prog="npm test --",
        description="Runs every check. Other arguments go to pytest.",
        allow_abbrev=False,
    )
    parser.add_argument("--fast", action="store_true", help="without the browser (also: `fast`)")
    parser.add_argument("--keep-going", action="store_true", help="do not stop at a failed step")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="only steps whose name begins so; may be repeated (pytest, vitest, browser, ruff, ...)",
    )
    if arguments[:1] == ["fast"]:
        arguments = ["--fast", *arguments[1:]]
    return parser.parse_known_args(arguments)


def _is_wanted(step: Step, only: list[str]) -> bool:
    return not only or any(step.name.startswith(name) for name in only)


def _print_summary(runner: Runner, steps: list[Step], took_s: float) -> None:
    failed = [result.step.name for result in runner.results if result.failed]
    if runner.leftover_failures:
        failed.append("processes or files left behind")
    ended = {result.step.name for result in runner.results if not result.stopped}
    not_run = [step.name for step in steps if step.name not in ended]
    print(f"\nTook {took_s:.0f} s.")
    if failed:
        print(f"Failed: {', '.join(failed)}")
    if not_run:
        print(f"Not run: {', '.join(not_run)}   (--keep-going runs everything)")
    counts = runner.counts
    print(f"{counts.passed} passed, {counts.failed} failed")


if __name__ == "__main__":
    # Being ended from outside must clean up just as Ctrl+C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
