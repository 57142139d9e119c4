"""What is proposed in the place of a name that nobody knows."""

import pytest
from pilotfish.util.slips import slip_of

KNOWN = ["Bash", "Read", "opus", "haiku", "openai", "claude-opus-5", "claude-opus-4-8"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Bahs", "Bash"),
        ("bash", "Bash"),
        ("opuss", "opus"),
        ("hiaku", "haiku"),
        ("opnai", "openai"),
        ("cluade-opus-5", "claude-opus-5"),
        ("claude-opus-4", "claude-opus-5"),
        ("claude-opus-4.8", "claude-opus-4-8"),
    ],
)
def test_slips_are_recognised(written: str, meant: str) -> None:
    assert slip_of(written, KNOWN) == meant


@pytest.mark.parametrize(
    "written", ["", "claude", "open", "octopus", "corpus", "Head", "Rest", "us.claude-opus-5", "op"]
)
def test_what_is_merely_alike_is_not_proposed(written: str) -> None:
    assert slip_of(written, KNOWN) is None


def test_of_several_the_nearest_is_meant() -> None:
    assert slip_of("modell", ["mode", "model", "models"]) == "model"
