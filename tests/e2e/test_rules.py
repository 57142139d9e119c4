"""Rules as things that people manage: listed, changed and tried out over the wire."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.chat import Chat
from tests.support.command_line import pilotfish
from tests.support.stage import Stage, environment, text_of
from tests.support.wire_client import Json, WireError
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

INVALID_PARAMS = -32602

FILE = """\
{
    "permissions": {
        "deny": ["Read(secret/**)"],
        "later": {"kept":   true}
    }
}
"""


def bash(command: str) -> ToolUse:
    return ToolUse("Bash", {"command": command})


def change(kind: str, *rules: str, behavior: str = "allow", destination: str = "local") -> Json:
    return {"kind": kind, "destination": destination, "behavior": behavior, "rules": list(rules)}


class Panel:
    """The rules panel of a folder, with or without a session."""

    def __init__(self, stage: Stage, chat: Chat | None = None) -> None:
        self.client = stage.client
        self.where: Json = {"cwd": str(stage.project)}
        if chat is not None:
            self.where = {"sessionId": chat.id}

    async def list(self) -> Json:
        return await self.ask("list")

    async def rules(self) -> set[tuple[str, str, str]]:
        """Return behaviour, text and source of each rule."""
        found = (await self.list())["rules"]
        return {(one["behavior"], one["rule"], one["source"]) for one in found}

    async def update(self, *updates: Json) -> bool:
        return (await self.ask("update", updates=list(updates)))["changed"]

    async def ask(self, verb: str, **more: Any) -> Json:
        return await self.client.request(f"_pilotfish/permissions/{verb}", self.where | more)

    async def changed(self, seen: int) -> None:
        """Wait for news of changed rules beyond those seen."""
        await self.client.wait_until(lambda: self.news() > seen or None, "permissions/changed")

    def news(self) -> int:
        return sum(
            one["method"] == "_pilotfish/permissions/changed" for one in self.client.notifications
        )


async def test_a_rule_is_added_and_removed_before_any_session_exists(stage: Stage) -> None:
    file = stage.project / ".pilotfish" / "settings.json"
    file.parent.mkdir()
    file.write_text(FILE)
    panel = Panel(stage)
    seen = panel.news()

    deny = change("addRules", "Bash(curl:*)", behavior="deny", destination="project")
    assert await panel.update(deny)
    await panel.changed(seen)

    listed = await panel.list()
    entry = next(one for one in listed["rules"] if one["rule"] == "Bash(curl:*)")
    assert (entry["path"], entry["line"], entry["destination"], entry["counts"]) == (
        str(file), 3, "project", True,
    )  # fmt: skip
    assert file.read_text() == FILE.replace('**)"]', '**)", "Bash(curl:*)"]')
    assert not await panel.update(deny)
    assert await panel.update(deny | {"kind": "removeRules"})
    assert file.read_text() == FILE


async def test_a_rule_that_cannot_act_is_refused_by_its_field(stage: Stage) -> None:
    panel = Panel(stage)
    for rule, why in [("Bash(x", "parenthesis"), ("Bahs(x)", "did you mean Bash"), ("", "name")]:
        with pytest.raises(WireError, match=f"updates.0.rules.1: .*{why}") as refused:
            await panel.update(change("addRules", "Bash(ls)", rule))
        assert refused.value.code == INVALID_PARAMS
    with pytest.raises(WireError, match="destination") as refused:
        await panel.update(change("addRules", "Bash(x)", destination="policy"))
    assert refused.value.code == INVALID_PARAMS
    with pytest.raises(WireError, match="sessionId"):
        await panel.update(change("addRules", "Bash(x)", destination="session"))
    assert not (stage.project / ".pilotfish").exists()
    assert await panel.update(change("addRules", "Bash(*)"))


async def test_a_rule_that_comes_from_elsewhere_is_not_removed(stage: Stage) -> None:
    chat = await stage.chat(disallowedTools=["Bash(curl:*)"])
    panel = Panel(stage, chat)
    assert ("deny", "Bash(curl:*)", "cliArg") in await panel.rules()

    with pytest.raises(WireError, match="command line, which cannot be changed"):
        await panel.update(change("removeRules", "Bash(curl:*)", behavior="deny"))


async def test_a_broken_file_stays_as_it_is_and_says_so(stage: Stage) -> None:
    file = stage.project / ".pilotfish" / "settings.local.json"
    file.parent.mkdir()
    file.write_text("// mine\n{}")

    with pytest.raises(WireError, match=r"settings\.local\.json is not valid JSON"):
        await Panel(stage).update(change("addRules", "Bash(ls)"))
    assert file.read_text() == "// mine\n{}"


async def test_a_rule_of_the_panel_answers_the_questions_that_wait(stage: Stage) -> None:
    """Two chats wait; one rule lets both go on, and nobody answered."""
    stage.play([Turn([bash("touch a")]), Turn([bash("touch b")]), "Done.", "Done."])
    one, two = await stage.chat(), await stage.chat()
    first = one.send("a")
    await one.question()
    second = two.send("b")
    waiting = await two.question()

    assert await Panel(stage).update(change("addRules", "Bash(touch:*)"))

    assert await first.stop_reason() == "end_turn"
    assert await second.stop_reason() == "end_turn"
    await waiting.withdrawn()
    assert {path.name for path in stage.project.iterdir()} == {".pilotfish", "a", "b"}


async def test_a_dialogs_saved_rule_answers_the_question_of_another_chat(stage: Stage) -> None:
    stage.play([Turn([bash("touch a")]), Turn([bash("touch b")]), "Done.", "Done."])
    one, two = await stage.chat(), await stage.chat()
    first = one.send("a")
    question = await one.question()
    second = two.send("b")
    await two.question()

    question.answer("allow_always", destination="local")

    assert await first.stop_reason() == "end_turn"
    assert await second.stop_reason() == "end_turn"


async def test_a_deny_of_the_panel_refuses_the_call_that_waits(stage: Stage) -> None:
    stage.play([Turn([bash("touch a")]), "Not then."])
    chat = await stage.chat()
    prompt = chat.send("a")
    await chat.question()

    panel = Panel(stage, chat)
    await panel.update(change("addRules", "Bash(touch:*)", behavior="deny", destination="session"))

    assert await prompt.stop_reason() == "end_turn"
    assert "Bash(touch:*)" in text_of(stage.results()[0])
    assert ("deny", "Bash(touch:*)", "session") in await panel.rules()
    (decision,) = (await panel.ask("decisions"))["decisions"]
    assert (decision["title"], decision["behavior"], decision["rule"]) == (
        "touch a", "deny", "Bash(touch:*)",
    )  # fmt: skip


async def test_removing_a_rule_takes_the_dialogs_grant_with_it(stage: Stage) -> None:
    stage.play([Turn([bash("touch a")]), "One.", Turn([bash("touch b")])])
    chat = await stage.chat()
    panel = Panel(stage, chat)
    seen = panel.news()
    first = chat.send("a")
    (await chat.question()).answer("allow_always", destination="local")
    assert await first.stop_reason() == "end_turn"
    await panel.changed(seen)
    assert [rule for rule in await panel.rules() if rule[1] == "Bash(touch:*)"] == [
        ("allow", "Bash(touch:*)", "localSettings")
    ]

    assert await panel.update(change("removeRules", "Bash(touch:*)"))

    second = chat.send("b")
    (await chat.question(2)).answer("reject_once")
    await second.stop_reason()
    assert all(rule[1] != "Bash(touch:*)" for rule in await panel.rules())


async def test_an_edited_rule_is_saved_in_the_place_of_the_offered_one(stage: Stage) -> None:
    stage.play([Turn([bash("touch a")]), "Done."])
    chat = await stage.chat()
    prompt = chat.send("a")
    (await chat.question()).answer(
        "allow_always", destination="project", editedRule="Bash(touch a*)"
    )
    assert await prompt.stop_reason() == "end_turn"
    saved = json.loads((stage.project / ".pilotfish/settings.json").read_text())
    assert saved == {"permissions": {"allow": ["Bash(touch a*)"]}}


async def test_an_edited_rule_that_grants_too_much_is_not_saved_and_the_user_hears_why(
    stage: Stage,
) -> None:
    stage.play([Turn([bash("touch a")]), "Done."])
    chat = await stage.chat()
    prompt = chat.send("a")
    (await chat.question()).answer("allow_always", destination="project", editedRule="Bash")
    assert await prompt.stop_reason() == "end_turn"
    assert [path.name for path in stage.project.iterdir()] == ["a"]
    told = await chat.client.wait_for(
        "window/showMessage", lambda params: "`Bash` was not saved" in params["message"]
    )
    assert "runs once" in told["message"]


async def test_an_untrusted_projects_allow_is_marked_as_not_counting(stage: Stage) -> None:
    stage.settings(allow=["Bash(make:*)"], deny=["Bash(curl:*)"])
    panel = Panel(stage)
    seen = panel.news()
    trust(stage, trusted=False)
    try:
        await panel.changed(seen)
        listed = await panel.list()
    finally:
        trust(stage, trusted=True)
    counts = {one["rule"]: one["counts"] for one in listed["rules"]}
    assert (listed["trusted"], counts["Bash(make:*)"], counts["Bash(curl:*)"]) == (
        False, False, True,
    )  # fmt: skip


def trust(stage: Stage, *, trusted: bool) -> None:
    settings = {"pilotfish": {"workspaceTrusted": trusted}}
    stage.client.notify("workspace/didChangeConfiguration", {"settings": settings})


async def test_problems_are_those_of_the_lint_command(stage: Stage) -> None:
    stage.settings(allow=["Bash(a && b:*)", "Bash(x"], deny=["Bash(ls)"], ask=["Bash(ls)"])
    listed = await Panel(stage).list()
    shown = {(one["kind"], one["message"]) for one in listed["problems"]}
    done = await pilotfish("permissions", "lint", env=environment(stage.home), cwd=stage.project)
    printed = {line.split(": ", 2)[1:][0] for line in done.stdout.splitlines()}
    assert {kind for kind, _ in shown} == printed == {"settings", "inert", "contradictory"}
    assert all(message in done.stdout for _, message in shown)


async def test_folders_and_modes_are_managed_the_same_way(
    stage: Stage, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("elsewhere")
    (other / "a.txt").write_text("text\n")
    stage.play([Turn([ToolUse("Read", {"file_path": str(other / "a.txt")})]), "Read."])
    chat = await stage.chat()
    panel = Panel(stage, chat)
    add = {"kind": "addDirectories", "destination": "session", "directories": [str(other)]}
    assert await panel.update(add)
    assert await chat.ask("Read it") == "end_turn"
    assert chat.questions() == []
    folders = {(one["path"], one["source"]) for one in (await panel.list())["folders"]}
    assert (str(other), "session") in folders
    assert (str(stage.project), "workspace") in folders
    assert await panel.update(add | {"kind": "removeDirectories"})

    with pytest.raises(WireError, match=r"updates\.0\.directories\.0"):
        await panel.update(add | {"directories": [str(other / "none")]})
    await panel.update({"kind": "setMode", "destination": "session", "mode": "plan"})
    await panel.update({"kind": "setMode", "destination": "local", "mode": "acceptEdits"})
    assert (await panel.list())["mode"] == "plan"
    assert (await Panel(stage).list())["mode"] == "acceptEdits"
    bypass = {"kind": "setMode", "destination": "local", "mode": "bypassPermissions"}
    with pytest.raises(WireError, match="a project cannot choose"):
        await panel.update(bypass)


async def test_a_call_is_explained_without_a_session(stage: Stage) -> None:
    stage.settings(deny=["Bash(touch:*)"])
    told = await Panel(stage).ask("explain", tool="Bash", input={"command": "touch a"})
    assert (told["behavior"], told["phase"], told["rule"]) == (
        "deny",
        "deny_rules",
        "Bash(touch:*)",
    )


async def test_replay_and_suggest_look_at_what_was_asked(stage: Stage) -> None:
    commands = ["touch a", "touch b", "touch c", "mkdir d"]
    stage.play([Turn([bash(command)]) for command in commands])
    chat = await stage.chat()
    prompt = chat.send("Do it")
    for number in range(1, 4):
        (await chat.question(number)).answer("allow_once")
    (await chat.question(4)).answer("reject_once")
    await prompt.stop_reason()
    panel = Panel(stage, chat)

    suggested = (await panel.ask("suggest"))["proposals"]
    assert [(one["rule"], one["approvals"]) for one in suggested] == [("Bash(touch:*)", 3)]
    rules = {"allow": ["Bash(touch:*)"], "deny": ["Bash(mkdir:*)"]}
    told = await panel.ask("replay", rules=rules)
    assert (told["calls"], told["prompts"], told["promptsNow"]) == (4, 4, 0)
    groups = {(one["difference"], one["kind"]): one["count"] for one in told["groups"]}
    assert groups == {("no_prompt", "touch"): 3, ("now_refused", "mkdir"): 1}
    with pytest.raises(WireError, match=r"rules\.allow\.0"):
        await panel.ask("replay", rules={"allow": ["Bash(x"]})

    await replay_in_the_terminal(stage, chat)


def rules_file(folder: Path) -> Path:
    file = folder / "rules.json"
    file.write_text('{"permissions": {"allow": ["Bash(touch:*)"]}}')
    return file


async def replay_in_the_terminal(stage: Stage, chat: Chat) -> None:
    """The same from the command line."""
    env = environment(stage.home)

    async def run(*arguments: str) -> str:
        done = await pilotfish("permissions", *arguments, env=env, cwd=stage.project)
        assert done.code == 0, done.stderr
        return done.stdout

    rules = rules_file(stage.project)
    told = await run("replay", "--rules-file", str(rules), "--session", chat.id)
    assert told.startswith("4 calls in 1 session: 4 questions at the time, 1 with these rules.")
    assert "3 calls would no longer be asked about" in told
    as_data = json.loads(await run("replay", "--settings", str(rules), "--json", "--since", "1"))
    assert as_data["counts"]["no_prompt"] == 3
    assert "Bash(touch:*)  (3 approvals)" in await run("suggest")
    await run("suggest", "--apply", "local")
    saved = json.loads((stage.project / ".pilotfish/settings.local.json").read_text())
    assert saved == {"permissions": {"allow": ["Bash(touch:*)"]}}
    assert "0 questions" not in await run("replay")
    assert (await run("suggest")).startswith("Nothing to propose")
    refused = await pilotfish(
        "permissions", "replay", "--session", "00000000-0", env=env, cwd=stage.project
    )
    assert (refused.code, "There is no session" in refused.stderr) == (2, True)
