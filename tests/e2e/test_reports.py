"""The doctor's report in the editor, and words for a commit, through the real server."""

from pathlib import Path

import pytest

from tests.support.git_folder import commit, git, make_repository
from tests.support.stage import Stage, all_text
from tests.support.wire_client import Json, WireError

SECRET = "sk-ant-0123456789abcdefghij"


async def doctor(stage: Stage) -> dict[str, Json]:
    answer = await stage.client.request("_pilotfish/doctor", {"cwd": str(stage.project)})
    return {check["name"]: check for check in answer["checks"]}


async def test_the_report_says_what_is_well_and_names_what_is_not(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        found = await doctor(stage)
        assert found["model"]["problem"] == ""
        assert found["settings"]["problem"] == ""
        assert found["git"]["value"].endswith("git")
        folder = stage.project / ".pilotfish"
        folder.mkdir()
        (folder / "settings.json").write_text("{", encoding="utf-8")
        broken = await doctor(stage)
        assert str(folder / "settings.json") in broken["settings"]["problem"]


async def message(stage: Stage, session_id: str, folder: Path) -> str:
    params = {"sessionId": session_id, "cwd": str(folder)}
    answer = await stage.client.request("_pilotfish/commit/message", params)
    return answer["message"]


async def test_a_message_is_written_for_what_is_staged(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        make_repository(stage.project)
        commit_subject = "feat(pond): let fish swim"
        (stage.project / "a.txt").write_text("one\nTWO\nthree\n", encoding="utf-8")
        commit(stage.project, commit_subject)
        (stage.project / "a.txt").write_text(f"one\nTWO\n{SECRET}\n", encoding="utf-8")
        git(stage.project, "add", "a.txt")
        (stage.project / "a.txt").write_text("not staged\n", encoding="utf-8")
        stage.play(["```\nfeat(pond): let fish jump\n\nThey like it.\n```"])
        chat = await stage.chat()
        wording = await message(stage, chat.id, stage.project)
        assert wording == "feat(pond): let fish jump\n\nThey like it."
        asked = all_text(stage.body())
        assert commit_subject in asked
        assert "-three" in asked
        assert SECRET not in asked
        assert "not staged" not in asked
        status = (await chat.snapshot())["status"]
        assert status["outputTokens"] > 0


async def test_what_nobody_staged_counts_where_nothing_is_staged(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        make_repository(stage.project, a="one\n", private="hush\n")
        stage.settings(deny=["Read(private.txt)"])
        (stage.project / "a.txt").write_text("two\n", encoding="utf-8")
        (stage.project / "private.txt").write_text("hush hush\n", encoding="utf-8")
        stage.play(["Count to two"])
        chat = await stage.chat()
        assert await message(stage, chat.id, stage.project) == "Count to two"
        asked = all_text(stage.body())
        assert "+two" in asked
        assert "hush" not in asked


async def test_without_a_repository_or_changes_it_says_so_and_asks_nobody(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        chat = await stage.chat()
        with pytest.raises(WireError, match="no git repository"):
            await message(stage, chat.id, stage.project)
        make_repository(stage.project)
        with pytest.raises(WireError, match="Nothing has changed"):
            await message(stage, chat.id, stage.project)
        assert stage.fake.requests == []


async def test_a_repository_that_would_run_a_program_is_not_looked_at(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        make_repository(stage.project)
        (stage.project / "a.txt").write_text("two\n", encoding="utf-8")
        trap = tmp_path / "trapped"
        git(stage.project, "config", "diff.external", f"touch {trap}")
        git(stage.project, "config", "filter.x.clean", f"touch {trap}")
        chat = await stage.chat()
        with pytest.raises(WireError, match="might run a program"):
            await message(stage, chat.id, stage.project)
        assert not trap.exists()
        assert stage.fake.requests == []
