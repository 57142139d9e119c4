"""How many tests passed and failed, read from the reports of the test runners."""

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Results of tests; skipped ones count as neither."""

    passed: int = 0
    failed: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        """Both together."""
        return Counts(passed=self.passed + other.passed, failed=self.failed + other.failed)


def count_junit(report: Path) -> Counts:
    """Counts in the XML that `pytest --junitxml` writes."""
    total = Counts()
    # Our own pytest wrote this file a moment ago.
    for suite in ET.parse(report).getroot().iter("testsuite"):  # noqa: S314
        tests, failures, errors, skipped = (
            int(suite.get(name, "0")) for name in ("tests", "failures", "errors", "skipped")
        )
        total += Counts(passed=tests - failures - errors - skipped, failed=failures + errors)
    return total


def count_vitest(report: Path) -> Counts:
    """Counts in the JSON that vitest's `json` reporter writes."""
    result = json.loads(report.read_text(encoding="utf-8"))
    return Counts(passed=result["numPassedTests"], failed=result["numFailedTests"])


def count_tap(report: Path) -> Counts:
    """Counts in the closing lines of what `node --test` writes as TAP."""
    text = report.read_text(encoding="utf-8")
    closing = dict(re.findall(r"^# (pass|fail|cancelled) (\d+)$", text, re.MULTILINE))
    return Counts(
        passed=int(closing["pass"]), failed=int(closing["fail"]) + int(closing["cancelled"])
    )
