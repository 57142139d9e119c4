"""What plans are called, and whose they are."""

from pathlib import Path

from pilotfish.session.plan_files import plan_name, plans_of

LONG = "9b0f3c52-1111-4222-8333-000012345678"
SHORT = "12345678"


def test_a_plan_belongs_to_the_session_whose_whole_id_it_has(tmp_path: Path) -> None:
    """Deleting a session deletes its plans: a shorter id must not take those of a longer one."""
    named, plain = tmp_path / plan_name("Do it", LONG), tmp_path / f"{LONG}.md"
    own = tmp_path / plan_name("Other", SHORT)
    for each in (named, plain, own):
        each.touch()
    assert plans_of(tmp_path, LONG) == sorted([named, plain])
    assert plans_of(tmp_path, SHORT) == [own]
