"""The editor's own ripgrep searches where it has one that works."""

import shutil
import sysconfig
from pathlib import Path

import pytest

from tests.support.stage import Stage, environment, text_of
from tests.support.waiting import until
from tests.support.wire_client import WireClient, WireError
from tools.fake_model import ToolUse, Turn

FIND = ToolUse("Grep", {"pattern": "needle"})


def script(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(("#!/bin/sh", *lines, "")), encoding="utf-8")
    path.chmod(0o755)
    return path


def editors_own(folder: Path) -> tuple[Path, Path]:
    """Return a ripgrep that notes how it is called, and its notes."""
    real = shutil.which("rg") or str(Path(sysconfig.get_path("scripts")) / "rg")
    notes = folder / "calls"
    own = script(folder / "editor app" / "rg", f'echo "$@" >> "{notes}"', f'exec "{real}" "$@"')
    return own, notes


async def search(stage: Stage) -> str:
    """Let the model search the project once; returns what it was told."""
    stage.play([Turn([FIND]), "Found."])
    chat = await stage.chat()
    assert await chat.ask("Find it") == "end_turn"
    return text_of(stage.results()[0])


async def doctors_word(stage: Stage) -> str:
    answer = await stage.client.request("_pilotfish/doctor", {"cwd": str(stage.project)})
    [check] = [check for check in answer["checks"] if check["name"] == "ripgrep"]
    assert check["problem"] == ""
    return check["value"]


async def test_the_editors_own_is_taken_and_left_when_it_is_gone(tmp_path: Path) -> None:
    own, notes = editors_own(tmp_path)
    async with Stage.open(tmp_path, options={"ripgrep": str(own)}) as stage:
        stage.write("hay.txt", "a needle\n")
        assert "hay.txt" in await search(stage)
        calls = notes.read_text(encoding="utf-8").splitlines()
        assert calls[0] == "--no-config --version"
        assert calls.count("--no-config --version") == 1
        assert any("--regexp=needle" in call for call in calls)
        assert await doctors_word(stage) == f"{own}, the editor's own"

        own.unlink()  # the editor was updated
        assert "hay.txt" in await search(stage)
        assert str(own) not in await doctors_word(stage)


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("missing", "no file that can be run"),
        ("folder", "no file that can be run"),
        ("text", "no file that can be run"),
        ("relative", "not an absolute path"),
        ("nul", "it is no"),
        ("another", "does not say that it is ripgrep"),
        ("broken", "does not say that it is ripgrep"),
    ],
)
async def test_what_is_no_ripgrep_is_not_taken(tmp_path: Path, kind: str, why: str) -> None:
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "text").write_text("ripgrep 15", encoding="utf-8")
    script(folder / "another", "echo grep 3.8")
    script(folder / "broken", "echo ripgrep 15.0.0", "exit 1")
    (folder / "folder").mkdir()
    named = {"relative": "app/another", "nul": "/\x00"}.get(kind, str(folder / kind))
    async with Stage.open(tmp_path, options={"ripgrep": named}) as stage:
        stage.write("hay.txt", "a needle\n")
        assert "hay.txt" in await search(stage)
        assert why in await doctors_word(stage)
        await until(lambda: any("is not taken" in line for line in stage.client.stderr))


async def test_one_of_a_wrong_type_is_refused_by_its_field(tmp_path: Path) -> None:
    client = await WireClient.start(environment(tmp_path / "home"), cwd=tmp_path)
    with pytest.raises(WireError, match=r"initializationOptions\.ripgrep: must be a string"):
        await client.initialize(tmp_path, options={"ripgrep": 5})
    await client.initialize(tmp_path)
    assert await client.stop() == 0
