"""Skills on the command line."""

import json
from pathlib import Path

import pytest
from pilotfish.config.trust import TrustStore

from tests.support.command_line import pilotfish
from tests.support.stage import environment
from tools.fake_model import FakeModel

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_command_line_lists_skills_and_uses_one(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    folder = project / ".pilotfish" / "skills" / "greet"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\ndescription: d\n---\nGreet $0.", "utf-8")

    async with FakeModel() as fake:
        env = environment(home, fake.url)
        untrusted = await pilotfish("skills", "list", env=env, cwd=project)
        assert untrusted.code == 0
        assert "/greet" not in untrusted.stdout
        assert "not trusted" in untrusted.stderr
        TrustStore(home / ".pilotfish").trust(project, now_ms=1)
        trusted = await pilotfish("skills", "list", "--json", env=env, cwd=project)
        names = {one["name"]: one for one in json.loads(trusted.stdout)["skills"]}
        assert names["greet"]["source"] == "projectSettings"
        assert {"code-review", "git-workflow", "tdd", "init"} <= set(names)

        fake.play(["Dear Ada!"])
        ran = await pilotfish("run", "/greet Ada", env=env, cwd=project)
        assert ran.code == 0
        assert ran.stdout == "Dear Ada!\n"
        assert "Greet Ada." in str(fake.requests[-1].body["messages"])

        helped = await pilotfish("run", "/help", env=env, cwd=project)
        assert helped.code == 0
        assert "- `/greet`: d" in helped.stdout
        wrong = await pilotfish("run", "/mode sideways", env=env, cwd=project)
        assert wrong.code == 1

        asking = project / ".pilotfish" / "skills" / "asking"
        asking.mkdir()
        (asking / "SKILL.md").write_text("---\ndescription: d\n---\n!`rm -r x`", "utf-8")
        said = await pilotfish("run", "--output-format", "json", "/asking", env=env, cwd=project)
        assert said.code == 3, "what was denied is told from what failed"
        result = json.loads(said.stdout)
        assert (result["is_error"], result["num_denials"]) == (True, 1)
        assert "`asking` was not used" in result["text"]
        (denied,) = result["permission_denials"]
        assert (denied["tool_name"], denied["tool_input"]["command"]) == ("Bash", "rm -r x")

    broken = project / ".pilotfish" / "skills" / "broken"
    broken.mkdir()
    (broken / "SKILL.md").write_text("---\n- a\n---\nText", "utf-8")
    listed = await pilotfish("skills", "list", env=env, cwd=project)
    assert listed.code == 1
    assert f"{broken / 'SKILL.md'}:2: error: " in listed.stderr
    doctor = await pilotfish("doctor", env=env, cwd=project)
    assert "✗ skills     6" in doctor.stdout
