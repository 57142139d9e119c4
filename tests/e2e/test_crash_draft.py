"""A server is killed while a long reply streams: what the user has read of it is not lost."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_crash_matrix import kill, lines_of, start
from tests.support.stage import Stage, assert_paired, text_of
from tests.support.waiting import until
from tools.fake_model import FakeModel, Scenario, Script, Stall, Turn, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

ARTICLE = "It swims beside the shark and eats what is left over. " * 20
READ_EVENTS = 3
"""The beginning of the reply and some of its text."""


def drafts(stage: Stage) -> list[Path]:
    return sorted((stage.home / ".pilotfish" / "projects").glob("*/*.draft"))


def words_of(path: Path) -> str:
    """What a draft holds; a line that the kill cut off holds nothing."""
    lines = path.read_bytes().split(b"\n")[:-1]
    return "".join(json.loads(line)["event"]["block"]["text"] for line in lines)


async def test_what_streamed_before_a_kill_is_kept(tmp_path: Path) -> None:
    turns = [
        Turn(ARTICLE, faults=[Stall(after_events=READ_EVENTS)]),
        Turn("I go on.", repeat="forever"),
    ]
    script = Script(when=When(first_user_text="<long>"), turns=turns)
    async with FakeModel(Scenario(scripts=[script])) as fake:
        stage = await start(fake, tmp_path)
        chat = await stage.chat()
        chat.send("<long>")
        await stage.stalled()
        await until(lambda: any(words_of(path) for path in drafts(stage)))
        await kill(stage)
        # Read only now: until then it may have grown.
        (path,) = drafts(stage)
        read = words_of(path)
        assert ARTICLE.startswith(read)

        stage = await start(fake, tmp_path)
        try:
            view, _ = await stage.reload(chat.id, "resume")
            assert (await view.snapshot())["canResume"] is True
            assert said(lines_of(stage, chat.id)) == [read]
            assert drafts(stage) == []
            assert await view.ask("Go on") == "end_turn"
            assert_paired(stage.body())
            assert text_of(stage.body()["messages"][1]).strip() == read.strip()
            assert fake.problems == []
        finally:
            assert await stage.client.stop() == 0
        assert drafts(stage) == []


def said(events: list[dict[str, Any]]) -> list[str]:
    blocks = [one["block"] for one in events if one["type"] == "block_finished"]
    return [block["text"] for block in blocks if block["type"] == "text"]
