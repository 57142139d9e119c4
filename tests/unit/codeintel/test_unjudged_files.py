"""Files that a server does not judge: what the others have to tell is told all the same."""

from typing import Any

import pytest
from pilotfish.codeintel.servers import round as rounds

from tests.support.servers import FakeScript, Workshop

KINDS = [{"pull": True}, {"versions": True}, {"versions": False}]
"""How servers tell of diagnostics."""

NAMES = ["pulled", "pushed", "pushed without versions"]


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "STRAGGLER_LIMIT_S", 0.3)


async def edit_both(shop: Workshop, *, first: str, then: str) -> str:
    """Edit a file that the server keeps quiet about before the edit, and one that it judges."""
    shop.write("odd.fk", f"ODD\n{first}\n")
    shop.write("good.fk", "ERR(old)\n")
    await shop.edit("odd.fk", then)
    await shop.edit("good.fk", "ERR(old)\nERR(new)\n")
    return await shop.note()


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
async def test_a_file_that_was_not_judged_before_an_edit_costs_what_it_would_tell_alone(
    shop: Workshop, fake: FakeScript, kind: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "JUDGE_LIMIT_S", 3.0)
    fake.set(**kind, silent_on="ODD")
    note = await edit_both(shop, first="ERR(old)", then="ODD\nERR(old)\nERR(odd)\n")
    assert "good.fk:2:1: error: new" in note
    assert "error: old" not in note
    assert "(partial, from fake)" in note
    assert "Not judged by fake (odd.fk): it gave no answer in time." in note


async def test_a_server_that_refuses_a_file_tells_of_the_others(
    shop: Workshop, fake: FakeScript
) -> None:
    fake.set(pull=True, refuses="ODD")
    note = await edit_both(shop, first="fine", then="ODD\nERR(odd)\n")
    assert "good.fk:2:1: error: new" in note
    assert "Not judged by fake (odd.fk)" in note


@pytest.mark.parametrize("kind", KINDS[:2], ids=NAMES[:2])
async def test_what_was_not_judged_before_is_told_where_the_edit_must_have_brought_it(
    shop: Workshop, fake: FakeScript, kind: dict[str, Any]
) -> None:
    fake.set(**kind, silent_on="ODD")
    note = await edit_both(shop, first="ERR(older)", then="fine\nERR(older)\nERR(odd)\n")
    assert "odd.fk:3:1: error: odd" in note
    assert "good.fk:2:1: error: new" in note
    assert "error: older" not in note
    assert "(1 more in odd.fk, not on lines of the edit: they may be older" in note


async def test_a_list_that_may_be_of_the_text_before_the_edit_is_not_believed(
    shop: Workshop, fake: FakeScript, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "JUDGE_LIMIT_S", 3.0)
    fake.set(versions=False, silent_on="ODD")
    note = await edit_both(shop, first="fine", then="ERR(may be old)\n")
    assert "may be old" not in note
    assert "good.fk:2:1: error: new" in note
    assert "Not judged by fake (odd.fk)" in note
