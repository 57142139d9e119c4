"""``pilotfish doctor --connect``: whether the model answers, and if not, why."""

import json
from pathlib import Path

import pytest

from tests.support.command_line import pilotfish
from tests.support.stage import environment
from tools.fake_model import FakeModel, HttpError, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

KEY = "sk-ant-secret-of-the-user"


async def connect(folder: Path, url: str | None, **more: str) -> dict[str, object]:
    env = environment(folder / "home", url, **more)
    ended = await pilotfish("doctor", "--connect", "--json", env=env, cwd=folder)
    assert KEY not in ended.stdout + ended.stderr
    found: dict[str, object] = json.loads(ended.stdout)["connection"]
    assert (ended.code == 0) == found["ok"]
    return found


async def test_a_model_that_answers_is_asked_once_for_little(tmp_path: Path) -> None:
    async with FakeModel(["ready"]) as fake:
        found = await connect(tmp_path, fake.url, ANTHROPIC_API_KEY=KEY)
        assert found["ok"] is True
        (request,) = fake.requests
        assert request.body["max_tokens"] == 16
        assert "tools" not in request.body


async def test_a_wrong_key_is_called_one_and_is_not_tried_again(tmp_path: Path) -> None:
    async with FakeModel([Turn(error=HttpError(status=401))]) as fake:
        found = await connect(tmp_path, fake.url, ANTHROPIC_API_KEY=KEY)
        assert found["kind"] == "authentication"
        assert "did not accept the key" in str(found["text"])
        assert len(fake.requests) == 1


async def test_what_is_wrong_is_told_in_the_editors_language(tmp_path: Path) -> None:
    async with FakeModel([Turn(error=HttpError(status=404, message="no such model"))]) as fake:
        found = await connect(tmp_path, fake.url, ANTHROPIC_API_KEY=KEY, LC_ALL="zh-cn")
        assert found["kind"] == "not_found"
        assert "没有模型" in str(found["text"])
    found = await connect(tmp_path, None, LC_ALL="zh-cn")
    assert str(found["text"]).startswith("尚未配置模型")


async def test_nobody_at_the_address_is_told_from_a_wrong_key(tmp_path: Path) -> None:
    found = await connect(tmp_path, "http://127.0.0.1:1", ANTHROPIC_API_KEY=KEY)
    assert found["kind"] == "connection"


async def test_a_terminal_hears_which_variables_to_set(tmp_path: Path) -> None:
    env = environment(tmp_path / "home")
    ended = await pilotfish("doctor", "--connect", env=env, cwd=tmp_path)
    assert ended.code == 1
    assert "ANTHROPIC_API_KEY or OPENAI_API_KEY" in ended.stdout
