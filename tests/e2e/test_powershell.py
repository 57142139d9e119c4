"""PowerShell where a setting asks for it, with a stand-in for ``pwsh`` (there is none here)."""

import json
from pathlib import Path
from typing import Any

from tests.support.fake_powershell import install_fake_powershell
from tests.support.stage import Stage, text_of, usual_path
from tools.fake_model import ToolUse, Turn


def call(command: str) -> ToolUse:
    return ToolUse("PowerShell", {"command": command}, id="toolu_ps")


def open_stage(tmp_path: Path, *, wanted: bool, there: bool = True) -> Any:
    folder = tmp_path / "bin"
    if there:
        install_fake_powershell(folder)
    home = tmp_path / "home" / ".pilotfish"
    home.mkdir(parents=True)
    settings = {"shell": {"powershell": wanted}}
    (home / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    return Stage.open(tmp_path, variables={"PATH": f"{folder}:{usual_path()}"})


def offered(stage: Stage) -> set[str]:
    return {tool["name"] for tool in stage.body(0)["tools"]}


async def test_it_asks_for_everything_and_follows_its_rules(tmp_path: Path) -> None:
    async with open_stage(tmp_path, wanted=True) as stage:
        stage.play([Turn([call("echo one")]), Turn([call("echo two")]), "Done."])
        chat = await stage.chat()
        prompt = chat.send("Go")
        question = await chat.question(1)
        assert (question.call["title"], question.call["kind"]) == ("echo one", "execute")
        [always] = question.meta["suggestions"]
        assert always["rule"] == "PowerShell(echo one)"
        question.answer("allow_once")
        second = await chat.question(2)
        assert text_of(stage.results()[0]) == "one"
        second.answer("allow_once")
        assert await prompt.stop_reason() == "end_turn"
        assert {"Bash", "PowerShell"} <= offered(stage)


async def test_a_rule_lets_a_command_pass_and_a_deny_rule_finds_its_aliases(
    tmp_path: Path,
) -> None:
    async with open_stage(tmp_path, wanted=True) as stage:
        stage.play([Turn([call("PWD -P")]), Turn([call("echo one")]), "Done."])
        chat = await stage.chat(
            allowedTools=["PowerShell(pwd:*)", "PowerShell(echo:*)"],
            disallowedTools=["PowerShell(Write-Output:*)"],
        )
        await chat.ask("Go")
        assert chat.questions() == []
        decisions = [one["decision"]["behavior"] for one in chat.facts("decision")]
        assert decisions == ["allow", "deny"]


async def test_it_is_not_offered_unasked_or_where_it_is_missing(tmp_path: Path) -> None:
    async with open_stage(tmp_path, wanted=False) as stage:
        stage.play(["Hello."])
        await (await stage.chat()).ask("Hi")
        assert "PowerShell" not in offered(stage)


async def test_a_setting_alone_brings_none(tmp_path: Path) -> None:
    async with open_stage(tmp_path, wanted=True, there=False) as stage:
        stage.play(["Hello."])
        await (await stage.chat()).ask("Hi")
        assert "PowerShell" not in offered(stage)
