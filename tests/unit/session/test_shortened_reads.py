"""What the model knows of files whose text it saw only in part."""

from pathlib import Path

import pytest

from tests.support.engine_stage import EngineStage, ask
from tests.support.stage import body_of, text_of
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

NAMES = ("a.txt", "b.txt", "c.txt")


async def test_a_file_that_was_shown_in_part_is_shown_when_it_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = [ToolUse("Read", {"file_path": name}) for name in NAMES]
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        for name in NAMES:
            lines = [f"{name} {number} {'x' * 80}" for number in range(1_000)]
            (stage.project / name).write_text("\n".join(lines), encoding="utf-8")
        stage.play([Turn(reads), Turn(reads[:1]), Turn(reads[:1]), "Seen."])
        session = await stage.session()
        await ask(session, "Read them")

        together, again, once_more = (
            [text_of(block) for block in body_of(stage.fake, at)["messages"][-1]["content"]]
            for at in (1, 2, 3)
        )
        assert sum("results of this reply together" in text for text in together) == 1
        assert "results of this reply together" in together[0]
        assert "a.txt 999" in again[0]
        assert "has not changed since you read this part" in once_more[0]
        stage.check(session)
