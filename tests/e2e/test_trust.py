"""``pilotfish trust``: vouching for a folder without an editor."""

import json
from pathlib import Path

import pytest

from tests.support.command_line import pilotfish, terminal
from tests.support.stage import environment

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def settings_told(env: dict[str, str], folder: Path) -> str:
    told = await pilotfish("doctor", "--json", env=env, cwd=folder)
    return str(json.loads(told.stdout)["checks"]["settings"])


async def test_a_person_vouches_for_a_folder_and_takes_it_back(tmp_path: Path) -> None:
    env = environment(tmp_path / "home")
    folder = tmp_path / "project"
    folder.mkdir()
    assert (await settings_told(env, folder)).endswith("not trusted")
    async with terminal("trust", env=env, cwd=folder) as person:
        await person.see("Do you trust what is in")
        person.enter("y")
        assert await person.ended() == 0
    assert (await settings_told(env, folder)).endswith("folder trusted")
    forgotten = await pilotfish("trust", "--forget", str(folder), env=env, cwd=tmp_path)
    assert forgotten.code == 0
    assert (await settings_told(env, folder)).endswith("not trusted")


async def test_a_program_cannot_vouch(tmp_path: Path) -> None:
    """Else a command that an agent may run would be a way around its questions."""
    env = environment(tmp_path / "home")
    refused = await pilotfish("trust", env=env, cwd=tmp_path, stdin="y\n")
    assert refused.code == 1
    assert "asked on a terminal only" in refused.stderr
    assert (await settings_told(env, tmp_path)).endswith("not trusted")


async def test_who_declines_does_not_vouch(tmp_path: Path) -> None:
    env = environment(tmp_path / "home")
    async with terminal("trust", env=env, cwd=tmp_path) as person:
        await person.see("Do you trust what is in")
        person.enter("n")
        assert await person.ended() == 1
    assert (await settings_told(env, tmp_path)).endswith("not trusted")
