"""Grants that a dialog offers."""

import pytest
from pilotfish.config.rule_syntax import parse_rule

from tests.support.permission_state import Judge


def offered(judge: Judge, command: str) -> list[str]:
    rules = [suggestion.rule for suggestion in judge.bash(command).suggestions]
    return [rule.text() for rule in rules if rule]


@pytest.mark.parametrize(
    ("command", "first"),
    [
        ("pytest -q", "Bash(pytest:*)"),
        ("git push origin main", "Bash(git push:*)"),
        ("npm run build -- --x", "Bash(npm run build:*)"),
        ("npm test 2>&1 | tail -3", "Bash(npm test:*)"),
        ("timeout 60 cargo test --all", "Bash(cargo test:*)"),
        ("cd sub && make all", "Bash(make all:*)"),
        ("python x.py", "Bash(python x.py)"),
        ("rm a*", r"Bash(rm a\*)"),
        ("./run.sh --fast", "Bash(./run.sh --fast)"),
        ("git -c a=b push", "Bash(git -c a=b push)"),
        ("make a && make b", "Bash(make a && make b)"),
        ("echo x > a", "Bash(echo x > a)"),
    ],
)
def test_the_first_offer_is_the_most_useful_narrow_rule(
    judge: Judge, command: str, first: str
) -> None:
    assert offered(judge, command)[0] == first


@pytest.mark.parametrize(
    "command",
    ["pytest -q", "python x.py", r"echo 'a\b' > x\*", "rm a* (b)", "for f in *; do x $f; done",
     "make a && make b", "git commit -m 'x (y) \\( z'", "npm test 2>&1 | tail", "x  y   'a  b'"],
)  # fmt: skip
def test_every_offered_rule_would_have_allowed_the_command(judge: Judge, command: str) -> None:
    start = judge.state
    for text in offered(judge, command):
        judge.state = start
        rule = parse_rule(text, "allow", "session").rule
        assert rule is not None
        judge.set(rules=(rule,))
        assert judge.bash(command).phase == "trusted_allow", text


def test_nothing_lasting_is_offered_for_what_always_asks(judge: Judge) -> None:
    assert judge.bash("rm -rf /").suggestions == ()
    assert judge.decide("Edit", file_path=str(judge.outside / "a")).suggestions == ()
    assert offered(judge, "ls 'x") == []


def test_an_edit_offers_all_edits_for_this_session(judge: Judge) -> None:
    (offer,) = judge.decide("Edit", file_path=str(judge.root / "a.py")).suggestions

    assert (offer.mode, offer.rule, offer.destinations) == ("acceptEdits", None, ("session",))


def test_a_protected_file_is_offered_by_its_name_alone(judge: Judge) -> None:
    path = str(judge.root / ".npmrc")
    (offer,) = judge.decide("Edit", file_path=path).suggestions
    assert offer.rule is not None

    judge.set(rules=(offer.rule,))
    assert judge.decide("Edit", file_path=path).behavior == "allow"
    assert judge.decide("Edit", file_path=str(judge.root / ".envrc")).behavior == "ask"


def test_a_read_outside_offers_its_folder_for_this_session(judge: Judge) -> None:
    path = str(judge.outside / "lib" / "a.py")
    (offer,) = judge.decide("Read", file_path=path).suggestions
    assert offer.rule is not None
    assert offer.destinations == ("session",)

    judge.set(rules=(offer.rule,))
    assert judge.decide("Read", file_path=path).behavior == "allow"
    assert judge.decide("Read", file_path=str(judge.outside / "b")).behavior == "ask"
