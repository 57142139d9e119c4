"""``pilotfish trust``: vouching for a folder without an editor."""

import json
from pathlib import Path

import pytest
from pilotfish.config.trust import trust_file
from pilotfish.workspace.marks import MARK_NAME

from tests.support.command_line import pilotfish, terminal
from tests.support.stage import environment

pytestmark = pytest.mark.asyncio(loop_scope="session")


def trusted(env: dict[str, str]) -> list[str]:
    """Return the list, as every session reads it."""
    file = trust_file(Path(env["PILOTFISH_HOME"]))
    return list(json.loads(file.read_text())) if file.exists() else []


async def test_a_person_vouches_for_a_folder_and_takes_it_back(tmp_path: Path) -> None:
    env = environment(tmp_path / "home")
    folder = tmp_path / "project"
    folder.mkdir()
    async with terminal("trust", env=env, cwd=folder) as person:
        await person.see("Do you trust what is in")
        person.enter("y")
        assert await person.ended() == 0
    assert trusted(env) == [str(folder.resolve())]
    told = await pilotfish("doctor", "--json", env=env, cwd=folder)
    assert str(json.loads(told.stdout)["checks"]["settings"]).endswith("folder trusted")
    forgotten = await pilotfish("trust", "--forget", str(folder), env=env, cwd=tmp_path)
    assert forgotten.code == 0
    assert trusted(env) == []


async def test_a_name_does_not_draw_on_the_terminal_and_a_folder_that_is_gone_is_forgotten(
    tmp_path: Path,
) -> None:
    env = environment(tmp_path / "home")
    folder = tmp_path / "mine\x1b[2K\rDo you trust what is in your home"
    folder.mkdir()
    async with terminal("trust", str(folder), env=env, cwd=tmp_path) as person:
        await person.see("mine\\x1b[2K\\x0dDo you trust")
        assert "\x1b[2K" not in person.screen
        person.enter("y")
        assert await person.ended() == 0
    assert trusted(env) == [str(folder.resolve())]
    folder.rmdir()
    forgotten = await pilotfish("trust", "--forget", str(folder), env=env, cwd=tmp_path)
    assert (forgotten.code, trusted(env)) == (0, []), forgotten.stderr


async def test_a_program_cannot_vouch_by_a_pipe(tmp_path: Path) -> None:
    """Else a command that an agent may run would be a way around its questions."""
    env = environment(tmp_path / "home")
    refused = await pilotfish("trust", env=env, cwd=tmp_path, stdin="y\n")
    assert refused.code == 1
    assert "asked on a terminal only" in refused.stderr
    assert trusted(env) == []


async def test_what_an_agent_has_started_cannot_vouch_on_a_terminal_that_it_made(
    tmp_path: Path,
) -> None:
    env = environment(tmp_path / "home", **{MARK_NAME: "mark-1."})
    async with terminal("trust", env=env, cwd=tmp_path) as program:
        await program.see("Only a person can vouch for a folder")
        assert await program.ended() == 1
    assert trusted(env) == []


async def test_who_declines_does_not_vouch(tmp_path: Path) -> None:
    env = environment(tmp_path / "home")
    async with terminal("trust", env=env, cwd=tmp_path) as person:
        await person.see("Do you trust what is in")
        person.enter("n")
        assert await person.ended() == 1
    assert trusted(env) == []


async def test_a_folder_that_is_not_there_is_wrong_use(tmp_path: Path) -> None:
    env = environment(tmp_path / "home")
    refused = await pilotfish("trust", "gone", env=env, cwd=tmp_path)
    assert refused.code == 2
    assert "there is no folder gone" in refused.stderr
