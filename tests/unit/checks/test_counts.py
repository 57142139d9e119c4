"""Reading the reports of the test runners."""

import json
from pathlib import Path

from tools.checks.counts import Counts, count_junit, count_tap, count_vitest


def test_junit_skipped_tests_count_as_neither(tmp_path: Path) -> None:
    report = tmp_path / "pytest.xml"
    report.write_text(
        '<testsuites><testsuite tests="10" failures="2" errors="1" skipped="3"/>'
        '<testsuite tests="1" failures="0" errors="0" skipped="0"/></testsuites>',
        encoding="utf-8",
    )
    assert count_junit(report) == Counts(passed=5, failed=3)


def test_vitest_totals_are_taken(tmp_path: Path) -> None:
    report = tmp_path / "vitest.json"
    report.write_text(json.dumps({"numPassedTests": 7, "numFailedTests": 1}), encoding="utf-8")
    assert count_vitest(report) == Counts(passed=7, failed=1)


def test_tap_a_cancelled_test_failed_and_what_tests_print_is_no_total(tmp_path: Path) -> None:
    report = tmp_path / "node.tap"
    report.write_text(
        "TAP version 13\n# pass 99 of my own\n    # pass 98\n1..3\n"
        "# tests 4\n# suites 1\n# pass 1\n# fail 1\n# cancelled 1\n# skipped 1\n# todo 0\n",
        encoding="utf-8",
    )
    assert count_tap(report) == Counts(passed=1, failed=2)
