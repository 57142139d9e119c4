"""Files of the state folder that are torn, empty or something else stop no server and no session."""

import shutil
from pathlib import Path

import pytest
from pilotfish.app.engine import EngineOptions, build_engine

from tests.support.engine_stage import EngineStage, ask
from tests.support.stage import environment
from tools.fake_model import ToolUse, Turn

DAMAGE = {
    "torn": b'{"id": "one", "path": "/p',
    "empty": b"",
    "binary": b"\xff\x00\xfe[" * 100,
    "other JSON": b'[1, {"skillUsage": 3}]\n"text"\nnull\n',
    "a folder": None,
}


def break_files(home: Path, transcript: Path, damage: bytes | None) -> None:
    """Put something else in the place of every file of a session but its transcript."""
    name = transcript.stem
    places = [
        home / "settings.json",
        home / "skill-usage.json",
        home / "file-history" / name / "checkpoints.jsonl",
        home / "tasks" / name / "1.json",
        home / "tasks" / name / ".highwatermark",
        home / "plans" / f"write-it.{name}.md",
        home / "processes" / "1.jsonl",
        home / "unfinished" / "one" / "path",
        home / "locks" / f"{name}.owner",
        transcript.with_suffix(".draft"),
        transcript.with_suffix(".draft.part"),
        transcript.with_name("0a1b2c3d-0000-4000-8000-000000000001.jsonl"),
        transcript.with_suffix("") / "agent-a1.jsonl",
        *(home / "index").glob("*.sqlite"),
    ]
    for place in places:
        if place.is_dir():
            shutil.rmtree(place)
        place.unlink(missing_ok=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        if damage is None:
            place.mkdir()
        else:
            place.write_bytes(damage)


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
async def test_a_session_goes_on_whatever_stands_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes | None
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        wanted = stage.project / "a.txt"
        write = ToolUse("Write", {"file_path": str(wanted), "content": "one\n"})
        stage.play([Turn([write]), Turn("Written.")])
        session = await stage.session()
        assert (await ask(session, "Write it.")).reason == "completed"
        await stage.manager.suspend_all()
        home = tmp_path / "home" / ".pilotfish"
        break_files(home, session.log.path, damage)

        manager, _ = build_engine(
            EngineOptions(
                environment=environment(tmp_path / "home", stage.fake.url),
                roots=(stage.project,),
                editor_settings={},
                trusted_by_editor=True,
            )
        )
        try:
            assert [one.session_id for one in await manager.list_sessions()] == [session.id]
            again = await manager.load(session.id)
            stage.play([Turn("I go on.")])
            assert (await ask(again, "Go on.")).reason == "completed"
            await manager.close(session.id)
            await manager.delete(session.id)
            assert not session.log.path.exists()
        finally:
            await manager.suspend_all()
        assert stage.fake.problems == []
        assert wanted.read_text("utf-8") == "one\n"
