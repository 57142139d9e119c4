"""What is checked, and in which order.

Owns the list of steps and their command lines. Does not run anything.
"""

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from tools.checks.counts import Counts, count_junit, count_tap, count_vitest

ROOT = Path(__file__).resolve().parents[2]

STATIC_LIMIT_S = 600
"""A static check or a build that takes longer hangs."""

TESTS_LIMIT_S = 2400
"""The longest a whole test run may take."""


class Stage(Enum):
    """Stages follow each other; what belongs to one may run beside the rest of it."""

    STATIC = "static checks"
    TESTS = "tests"
    BROWSER = "browser tests"


@dataclass(frozen=True, kw_only=True)
class Step:
    """One program whose success is one check."""

    name: str
    stage: Stage
    command: list[str]
    report: str = ""
    """Name of the file the program writes its results to; empty: it has none."""
    count: Callable[[Path], Counts] | None = None
    """Reads the report."""
    limit_s: float = STATIC_LIMIT_S
    has_scratch: bool = False
    """Whether its temporary files go to a folder of its own, which must be empty at its end."""

    @property
    def counts_tests(self) -> bool:
        """Whether this step runs tests; such a step shows its output while it runs."""
        return self.count is not None


def build_steps(*, fast: bool, pytest_args: list[str], reports: Path) -> list[Step]:
    """All steps in the order they run; `fast` leaves out those that need a browser."""
    steps = [*_static_steps(), *_test_steps(pytest_args, reports)]
    return steps if fast else [*steps, *_browser_steps(reports)]


def _static_steps() -> list[Step]:
    lint_tools = ["--max-warnings", "0", "--config", "tools/eslint.config.mjs"]
    commands = {
        "generated files": [sys.executable, "-m", "tools.gen_protocol", "--check"],
        "generated settings": [sys.executable, "-m", "tools.gen_settings", "--check"],
        "generated schemas": [sys.executable, "-m", "tools.gen_tools", "--check"],
        # The slow ones first: they run beside all the others.
        "pyright": [_venv("pyright")],
        "tsc": _npm("typecheck"),
        "eslint": _npm("lint"),
        "ruff format": [_venv("ruff"), "format", "--check", "."],
        "ruff check": [_venv("ruff"), "check", "--output-format=concise", "."],
        "lint-imports": [_venv("lint-imports")],
        "prettier": _npm("format:check"),
        "eslint tools": [_bin("eslint"), *lint_tools, "tools", "tests"],
        "prettier tools": [_bin("prettier"), "--check", "{tools,tests}/**/*.mjs"],
    }
    return [
        Step(name=name, stage=Stage.STATIC, command=command) for name, command in commands.items()
    ]


def _test_steps(pytest_args: list[str], reports: Path) -> list[Step]:
    pytest_xml = str(reports / "pytest.xml")
    vitest_json = str(reports / "vitest.json")
    vitest = ["--reporter=default", "--reporter=json", f"--outputFile.json={vitest_json}"]
    tools = sorted((ROOT / "tests" / "tools").glob("*.test.mjs"))
    python = _tests(
        "pytest",
        [_venv("pytest"), f"--junitxml={pytest_xml}", *pytest_args],
        pytest_xml,
        count_junit,
    )
    return [
        replace(python, has_scratch=True),
        _tests("vitest", [*_npm("test:unit"), "--", *vitest], vitest_json, count_vitest),
        _node_tests("tool tests", tools, reports),
        Step(name="build", stage=Stage.TESTS, command=_npm("build")),
    ]


def _browser_steps(reports: Path) -> list[Step]:
    files = sorted((ROOT / "tests" / "browser").glob("*.test.mjs"))
    return [
        _node_tests(
            f"browser: {file.name.removesuffix('.test.mjs')}", [file], reports, Stage.BROWSER
        )
        for file in files
    ]


def _node_tests(name: str, files: list[Path], reports: Path, stage: Stage = Stage.TESTS) -> Step:
    tap = str(reports / f"{name.replace(': ', '-').replace(' ', '-')}.tap")
    command = [
        _on_path("node"),
        "--test",
        "--test-reporter=spec",
        "--test-reporter-destination=stdout",
        "--test-reporter=tap",
        f"--test-reporter-destination={tap}",
        *[str(file.relative_to(ROOT)) for file in files],
    ]
    return _tests(name, command, tap, count_tap, stage)


def _tests(
    name: str,
    command: list[str],
    report: str,
    count: Callable[[Path], Counts],
    stage: Stage = Stage.TESTS,
) -> Step:
    return Step(
        name=name, stage=stage, command=command, report=report, count=count, limit_s=TESTS_LIMIT_S
    )


def _npm(script: str) -> list[str]:
    return [_on_path("npm"), "run", "--silent", script]


def _bin(program: str) -> str:
    """A program of an npm package of ours."""
    return str(ROOT / "node_modules" / ".bin" / program)


def _venv(program: str) -> str:
    """A program of the environment this Python belongs to."""
    return str(Path(sys.executable).with_name(program))


def _on_path(program: str) -> str:
    return shutil.which(program) or program
