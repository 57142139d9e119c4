"""Every recorded case through the judge. No command is run; only the decision is looked at."""

from pathlib import Path

import pytest
from pilotfish.permissions.recorded import judge_case

from tests.support.permission_cases import Line, load_cases

CASES = load_cases()


@pytest.mark.parametrize(
    "line", [line for line in CASES if line.case.class_ == "attack"], ids=lambda line: line.case.id
)
def test_no_attack_is_allowed(line: Line, tmp_path: Path) -> None:
    decision = judge_case(line.text, tmp_path)

    assert decision.behavior != "allow", decision.reason


@pytest.mark.parametrize("line", CASES, ids=lambda line: line.case.id)
def test_a_case_is_decided_as_recorded(line: Line, tmp_path: Path) -> None:
    decision = judge_case(line.text, tmp_path)

    assert line.case.accepted
    assert decision.behavior in line.case.accepted, decision.trace


def test_every_case_is_there_once() -> None:
    ids = [line.case.id for line in CASES]

    assert len(ids) == len(set(ids)) > 400
