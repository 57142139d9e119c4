"""What a line typed at a terminal means."""

import pytest
from pilotfish.core.dialogs import Choice, ChoiceQuestion, PlanAnswer
from pilotfish.core.permission import PermissionAnswer, RuleDestination
from pilotfish.edges.headless.terminal import (
    answer_from_line,
    choice_from_line,
    plan_answer_from_line,
)

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


PLACES: tuple[RuleDestination, ...] = ("session", "local", "user")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", None),
        ("y", PermissionAnswer(kind="allow_once")),
        ("a", PermissionAnswer(kind="allow_always", destination="session")),
        ("A local", PermissionAnswer(kind="allow_always", destination="local")),
        ("always user", PermissionAnswer(kind="allow_always", destination="user")),
        ("a project", PermissionAnswer(kind="feedback", feedback="a project")),
        ("a user wants more", PermissionAnswer(kind="feedback", feedback="a user wants more")),
        ("no", PermissionAnswer(kind="reject")),
        ("not so", PermissionAnswer(kind="feedback", feedback="not so")),
    ],
)
def test_permissions(line: str, expected: PermissionAnswer | None) -> None:
    assert answer_from_line(line, destinations=PLACES) == expected


def test_what_cannot_last_is_not_made_to_last() -> None:
    assert answer_from_line("a", destinations=()) is None
    assert answer_from_line("y", destinations=()) == PermissionAnswer(kind="allow_once")
