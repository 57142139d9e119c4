"""Language servers that several use at once: what each hears of its own edits, and of no other's."""

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pilotfish.codeintel.servers.code import LanguageServerSource
from pilotfish.codeintel.servers.documents import Opener
from pilotfish.codeintel.servers.writers import Writers
from pilotfish.ports.code import Position
from pilotfish.session.code_servers import text_on_disk

from tests.support.servers import FakeScript, Workshop
from tests.support.waiting import WAIT_S, until

HOVER = "textDocument/hover"
CAN = {"can": {"hoverProvider": True}, "answers": {HOVER: {"contents": "here"}}}

KINDS = [{"pull": True}, {"versions": True}, {"versions": False}]
"""How servers tell of diagnostics."""


def agent_beside(shop: Workshop) -> Workshop:
    """Return another agent in the same project, with the same servers."""
    return Workshop(shop.root, shop.pool, shop.governor, shop.access)


@pytest.mark.parametrize("kind", KINDS, ids=["pulled", "pushed", "pushed without versions"])
async def test_what_a_question_shows_the_server_between_two_edits_is_news_all_the_same(
    shop: Workshop, fake: FakeScript, kind: dict[str, Any]
) -> None:
    fake.set(**CAN, **kind)
    path = shop.write("a.fk", "fine\n")
    shop.write("b.fk", "ERR(old)\n")
    await shop.edit("a.fk", "ERR(new)\n")
    assert await LanguageServerSource(shop.reach).hover(path, Position(0, 0)) == "here"
    await shop.edit("b.fk", "fine\nERR(old)\n")
    note = await shop.note()
    assert "a.fk:1:1: error: new" in note
    assert "old" not in note


@pytest.mark.parametrize("kind", KINDS, ids=["pulled", "pushed", "pushed without versions"])
async def test_an_agent_hears_nothing_of_what_another_writes_meanwhile(
    shop: Workshop, fake: FakeScript, kind: dict[str, Any]
) -> None:
    fake.set(**kind)
    ada, ben = shop, agent_beside(shop)
    for name in ("a.fk", "rest.fk", "b.fk"):
        shop.write(name, "fine\n")
    assert await ada.edited("a.fk", "fine still\n") == ""  # so that the server knows it
    await ada.edit("a.fk", "ERR(of ada)\n")
    told = await ben.edited("b.fk", "ERR(of ben)\n")
    assert ("of ben" in told, "of ada" in told) == (True, False)
    await ada.edit("rest.fk", "fine too\n")
    told = await ada.note()
    assert ("of ben" in told, "of ada" in told) == (False, True)


@pytest.mark.parametrize("kind", KINDS, ids=["pulled", "pushed", "pushed without versions"])
async def test_a_file_that_is_written_while_the_server_is_brought_up_to_date_is_not_shown_to_it(
    shop: Workshop, fake: FakeScript, kind: dict[str, Any]
) -> None:
    fake.set(**kind)
    shop.related += [
        shop.write("defs.fk", "nothing\n"),
        shop.write("caller.fk", "USE(f)\n"),
    ]
    shop.write("a.fk", "fine\n")
    assert await shop.edited("a.fk", "fine too\n") == ""  # by now all three are open
    written = threading.Event()

    def read(path: Path) -> str | None:
        if path.name == "defs.fk":
            assert written.wait(WAIT_S)
        return text_on_disk(path)

    shop.source._reach = replace(shop.source._reach, read=read)
    await shop.edit("a.fk", "fine again\n")
    await shop.edit("defs.fk", "DEF(f)\n")
    written.set()
    await until(lambda: all(one._before.taken_ns for one in shop.source._rounds.values()))
    await shop.edit("defs.fk", "nothing again\n")
    assert await shop.note() == ""


async def test_a_file_that_the_user_changes_between_two_edits_is_judged_as_it_is_then(
    shop: Workshop, fake: FakeScript
) -> None:
    shop.write("a.fk", "fine\n")
    other = shop.write("b.fk", "fine\n")
    shop.related.append(other)
    await shop.edit("a.fk", "ERR(new)\n")
    shop.write("b.fk", "ERR(of the user)\n")
    await shop.edit("b.fk", "fine\nERR(of the user)\n")
    note = await shop.note()
    assert "a.fk:1:1: error: new" in note
    assert "of the user" not in note


def test_whoever_wrote_a_file_last_counts() -> None:
    ada, ben, writers = Opener(), Opener(), Writers()
    path = Path("/a")
    start = writers.number
    writers.wrote(path, ada)
    assert not writers.is_of_another(path, ada, start)
    assert writers.is_of_another(path, ben, start)
    assert not writers.is_of_another(path, ben, writers.number)
    writers.wrote(path, ben)
    assert not writers.is_of_another(path, ben, start)


@pytest.mark.parametrize("kind", KINDS, ids=["pulled", "pushed", "pushed without versions"])
async def test_what_the_user_breaks_elsewhere_before_an_edit_is_no_news_of_it(
    shop: Workshop, fake: FakeScript, kind: dict[str, Any]
) -> None:
    fake.set(**kind)
    shop.write("a.fk", "fine\n")
    shop.write("b.fk", "fine\n")
    for name in ("a.fk", "b.fk"):
        assert await shop.edited(name, "fine still\n") == ""  # so that the server knows them
    shop.write("b.fk", "ERR(of the user)\n")
    told = await shop.edited("a.fk", "ERR(new)\n")
    assert ("new" in told, "of the user" in told) == (True, False)


@pytest.mark.parametrize("kind", KINDS, ids=["pulled", "pushed", "pushed without versions"])
async def test_what_a_change_of_the_user_breaks_in_a_third_file_is_no_news_of_an_edit(
    shop: Workshop, fake: FakeScript, kind: dict[str, Any]
) -> None:
    fake.set(**kind)
    texts = {"lib.fk": "DEF(f)\n", "caller.fk": "USE(f)\n", "a.fk": "fine\n"}
    for name, text in texts.items():
        shop.write(name, text)
        assert await shop.edited(name, text + "\n") == ""  # so that the server knows them
    shop.write("lib.fk", "DEF(g)\n")
    told = await shop.edited("a.fk", "ERR(new)\n")
    assert ("new" in told, "nobody defines f" in told) == (True, False)
