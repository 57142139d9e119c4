"""Every recorded case through the judge. No command is run; only the decision is looked at."""

import json
from pathlib import Path

import pytest

from tests.support.permission_cases import Case, load_cases, run_case

FIXTURES = Path(__file__).parents[2] / "fixtures"
CASES = load_cases(FIXTURES / "permission-cases.jsonl")
LATER: dict[str, str] = json.loads(
    (FIXTURES / "permission-cases-later.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(
    "case", [c for c in CASES if c["class"] == "attack"], ids=lambda case: case["id"]
)
def test_no_attack_is_allowed(case: Case, tmp_path: Path) -> None:
    decision = run_case(case, tmp_path)

    assert decision.behavior != "allow", decision.reason


@pytest.mark.parametrize(
    "case", [c for c in CASES if c["id"] not in LATER], ids=lambda case: case["id"]
)
def test_a_case_is_decided_as_recorded(case: Case, tmp_path: Path) -> None:
    decision = run_case(case, tmp_path)

    assert decision.behavior in (case["expect"], *case.get("also_ok", ())), decision.trace


@pytest.mark.parametrize(
    "case", [c for c in CASES if c["id"] in LATER], ids=lambda case: case["id"]
)
def test_a_case_on_the_later_list_still_belongs_there(case: Case, tmp_path: Path) -> None:
    decision = run_case(case, tmp_path)

    assert decision.behavior not in (case["expect"], *case.get("also_ok", ())), (
        "it works now: take it off the list"
    )


def test_the_later_list_names_cases_that_exist() -> None:
    assert set(LATER) <= {case["id"] for case in CASES}
