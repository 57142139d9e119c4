"""A model in a cloud, through the real server and the command line."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.command_line import pilotfish
from tests.support.stage import KEY, Stage, environment
from tools.fake_model import FakeModel, Text, ToolUse, Turn
from tools.fake_model import Usage as FakeUsage

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def fake() -> AsyncIterator[FakeModel]:
    async with FakeModel() as server:
        yield server
        assert server.problems == []


async def test_foundry_edits_a_file_and_is_counted(fake: FakeModel, tmp_path: Path) -> None:
    usage = FakeUsage(input=1_000, output=50)
    fake.play(
        [
            Turn([ToolUse("Read", {"file_path": "a.py"})], usage=usage),
            Turn(
                [ToolUse("Edit", {"file_path": "a.py", "old_string": "1", "new_string": "2"})],
                usage=usage,
            ),
            Turn([Text("Changed.")], usage=usage),
        ]
    )
    variables = {
        "PILOTFISH_PROVIDER": "foundry",
        "ANTHROPIC_FOUNDRY_BASE_URL": fake.url,
        "ANTHROPIC_FOUNDRY_API_KEY": KEY,
        "ANTHROPIC_MODEL": "our-deployment",
    }
    async with Stage.open(tmp_path, url=None, variables=variables) as stage:
        file = stage.write("a.py", "x = 1\n")
        chat = await stage.chat(permissionMode="acceptEdits")
        assert await chat.ask("Change x") == "end_turn"
        assert file.read_text() == "x = 2\n"
        assert chat.text() == "Changed."
        status = (await chat.snapshot())["status"]
        assert status["model"] == "our-deployment"
        assert (status["inputTokens"], status["outputTokens"]) == (3_000, 150)
    main = [one for one in fake.requests if one.body.get("tools")]
    assert len(main) == 3
    assert [one.body["model"] for one in main] == ["our-deployment"] * 3


UNUSABLE = {
    "no region": ({"PILOTFISH_PROVIDER": "bedrock"}, "AWS_REGION"),
    "no project": (
        {"PILOTFISH_PROVIDER": "vertex", "CLOUD_ML_REGION": "global"},
        "ANTHROPIC_VERTEX_PROJECT_ID",
    ),
    "no key": (
        {"PILOTFISH_PROVIDER": "foundry", "ANTHROPIC_FOUNDRY_RESOURCE": "r"},
        "ANTHROPIC_FOUNDRY_API_KEY",
    ),
    "nobody signed in": (
        {
            "PILOTFISH_PROVIDER": "bedrock",
            "AWS_REGION": "eu-west-1",
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CONFIG_FILE": "/nowhere",
            "AWS_SHARED_CREDENTIALS_FILE": "/nowhere",
            "ANTHROPIC_BEDROCK_BASE_URL": "http://127.0.0.1:9",
            "ANTHROPIC_MODEL": "m",
        },
        "AWS_BEARER_TOKEN_BEDROCK",
    ),
}


@pytest.mark.parametrize("case", UNUSABLE)
async def test_what_is_missing_is_said_with_the_way_out(case: str, tmp_path: Path) -> None:
    variables, way_out = UNUSABLE[case]
    ended = await pilotfish(
        "run", "Hi", env=environment(tmp_path / "home", **variables), cwd=tmp_path
    )
    assert ended.code != 0
    assert way_out in ended.stderr
    assert "Traceback" not in ended.stderr
