"""What a person made of a proposal, in words for the model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.core.permission import FilePreview
from pilotfish.permissions.proposal_review import places_of, told_of_change

LINES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def text(**changes: str) -> str:
    """Return the lines with some changed; an empty one is left out."""
    lines = [changes.get(line, line) for line in LINES]
    return "".join(f"{line}\n" for line in lines if line)


BASE = text()
PROPOSED = text(two="TWO", five="FIVE\nFIVE more", eight="")


@pytest.mark.parametrize(
    ("written", "fates"),
    [
        (PROPOSED, ["accepted"] * 3),
        (text(five="FIVE\nFIVE more", eight=""), ["refused", "accepted", "accepted"]),
        (text(two="TWO", eight=""), ["accepted", "refused", "accepted"]),
        (text(two="TWO", five="FIVE\nFIVE more"), ["accepted", "accepted", "refused"]),
        (text(two="TWO", five="FIVE", eight=""), ["accepted", "changed", "accepted"]),
        (BASE, ["refused"] * 3),
        (text(two="2", five="five", eight="8"), ["changed", "refused", "changed"]),
        (PROPOSED + "mine\n", ["accepted"] * 3),
        ("zero\n" + text(two="TWO", eight=""), ["accepted", "refused", "accepted"]),
    ],
)
def test_the_fate_of_each_place(written: str, fates: list[str]) -> None:
    assert [place.fate for place in places_of(BASE, PROPOSED, written)] == fates


@given(st.sets(st.sampled_from(["two", "five", "eight"])))
def test_a_choice_of_hunks_is_told_as_that_choice(accepted: set[str]) -> None:
    changes = {"two": "TWO", "five": "", "eight": "EIGHT\nand more"}
    proposed = text(**changes)
    written = text(**{line: new for line, new in changes.items() if line in accepted})
    fates = [place.fate for place in places_of(BASE, proposed, written)]
    assert fates == [
        "accepted" if line in accepted else "refused" for line in ("two", "five", "eight")
    ]


def test_the_words_name_what_was_refused() -> None:
    told = told_of_change(
        FilePreview(path="a", old_text=BASE, new_text=PROPOSED),
        FilePreview(path="a", old_text=BASE, new_text=text(two="TWO")),
    )
    assert "of 3 changed places 1 were accepted as they are" in told
    assert "- line 5: `FIVE` was refused; the old text stays" in told
    assert "- line 8: deleting `eight` was refused" in told
    assert "Do not make a refused change again" in told


def test_the_users_own_additions_are_told() -> None:
    told = told_of_change(
        FilePreview(path="a", old_text=BASE, new_text=PROPOSED),
        FilePreview(path="a", old_text=BASE, new_text=PROPOSED + "mine\n"),
    )
    assert "added changes of their own" in told
