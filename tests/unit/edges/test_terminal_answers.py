"""What a line typed at a terminal means."""

import pytest
from pilotfish.core.dialogs import Choice, ChoiceQuestion, PlanAnswer
from pilotfish.edges.headless.terminal import choice_from_line, plan_answer_from_line

CHOICES = tuple(Choice(label=one, description="") for one in ("Red", "Blue", "Green"))
ONE = ChoiceQuestion(question="?", header="h", choices=CHOICES)
MANY = ChoiceQuestion(question="?", header="h", choices=CHOICES, multi_select=True)


@pytest.mark.parametrize(
    ("line", "one", "many"),
    [
        ("", None, None),
        ("2", ("Blue",), ("Blue",)),
        ("0", None, None),
        ("4", None, None),
        ("1,3", None, ("Red", "Green")),
        ("3 1 3", None, ("Green", "Red")),
        ("s", (), ()),
        ("mauve, please", ("mauve, please",), ("mauve, please",)),
        ("2nd", ("2nd",), ("2nd",)),
    ],
)
def test_choices(line: str, one: tuple[str, ...] | None, many: tuple[str, ...] | None) -> None:
    assert choice_from_line(line, ONE) == one
    assert choice_from_line(line, MANY) == many


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (" ", None),
        ("y", PlanAnswer(kind="start")),
        ("A", PlanAnswer(kind="start", target_mode="acceptEdits")),
        ("c", PlanAnswer(kind="clear_and_start")),
        ("no", PlanAnswer(kind="keep_planning")),
        ("not yet", PlanAnswer(kind="keep_planning", feedback="not yet")),
    ],
)
def test_plans(line: str, expected: PlanAnswer | None) -> None:
    assert plan_answer_from_line(line) == expected
