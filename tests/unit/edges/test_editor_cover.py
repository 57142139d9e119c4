"""Who serves a document, as the editor is asked."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pilotfish.edges.lsp import editor_cover
from pilotfish.edges.lsp.editor_cover import EditorCover

from tests.support.waiting import until

FILE = Path("/work/a.py")
OTHER = Path("/work/b.py")


class SlowEditor:
    """Answers each question when it is told to."""

    def __init__(self) -> None:
        self.answers: list[asyncio.Future[dict[str, Any]]] = []

    def notify(self, method: str, params: dict[str, Any]) -> None:
        raise AssertionError(f"{method} {params}")

    async def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert params["uri"] == FILE.as_uri(), method
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self.answers.append(answer)
        return await answer


async def test_we_are_not_meant_until_the_last_question_about_a_document_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(editor_cover, "LIMIT_S", 30.0)
    editor = SlowEditor()
    cover = EditorCover(lambda: editor)
    async with asyncio.TaskGroup() as group:
        first = group.create_task(cover.serves(FILE))
        group.create_task(cover.serves(FILE))
        await until(lambda: len(editor.answers) == 2)
        assert cover.is_asking(FILE.as_uri())
        assert not cover.is_asking(OTHER.as_uri())
        editor.answers[0].set_result({"served": True})
        assert await first
        assert cover.is_asking(FILE.as_uri())
        editor.answers[1].set_result({"served": True})
    assert not cover.is_asking(FILE.as_uri())
    assert await cover.serves(OTHER)
