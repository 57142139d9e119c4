"""What ``pilotfish run`` loads: every module that it does not need makes people wait."""

import re
from pathlib import Path

import pytest

from tests.support.command_line import pilotfish
from tests.support.stage import environment
from tools.fake_model import FakeModel

pytestmark = pytest.mark.asyncio(loop_scope="session")

NOT_FOR_A_RUN = (
    # other commands of the shell
    "pilotfish.app.agents",
    "pilotfish.app.doctor",
    "pilotfish.app.permissions",
    "pilotfish.app.replay",
    # editors, and what they alone ask for
    "pilotfish.edges.acp",
    "pilotfish.edges.channel",
    "pilotfish.edges.lsp",
    "pilotfish.edges.updates",
    "pilotfish.wire",
    "pilotfish.permissions.language",
    "acp",
    "lsprotocol",
    "pygls",
    # other ways to reach models, other models, and other kinds of output
    "aiohttp",
    "openai",
    "pathspec",
    "pilotfish.edges.headless.terminal",
    "pilotfish.llm.providers.demo",
    "pilotfish.llm.providers.openai",
    # front matter that is more than plain lines
    "yaml",
)
NEEDED = ("anthropic", "pilotfish.engine.turn", "pilotfish.llm.providers.anthropic")
IMPORTED = re.compile(r"^import time: +\d+ \| +\d+ \| *(\S+)$", re.MULTILINE)


async def test_a_run_loads_nothing_that_only_others_need(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    async with FakeModel() as fake:
        fake.play(["Hello."])
        env = environment(tmp_path / "home", fake.url) | {"PYTHONPROFILEIMPORTTIME": "1"}
        ended = await pilotfish("run", "Hello", env=env, cwd=project)
    assert (ended.code, ended.stdout.strip()) == (0, "Hello.")
    loaded = set(IMPORTED.findall(ended.stderr))
    assert set(NEEDED) <= loaded
    superfluous = {
        name for name in loaded for other in NOT_FOR_A_RUN if f"{name}.".startswith(f"{other}.")
    }
    assert superfluous == set()
