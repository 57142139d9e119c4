"""A recording holds how calls were decided; a replay decides again and names what comes out otherwise."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.command_line import Finished, pilotfish, terminal
from tests.support.stage import environment
from tools.fake_model import FakeModel, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

SECRET = "sk-" + "q1" * 18


def touch(name: str) -> Turn:
    return Turn([ToolUse("Bash", {"command": f"touch {name}"}, id=f"toolu_{name}")])


def summary(judgement: dict[str, Any]) -> tuple[str, str, str | None]:
    """Return call, behaviour and the content of the rule that decided."""
    decision = judgement["decision"]
    return judgement["id"], decision["behavior"], decision["rule"] and decision["rule"]["content"]


TURNS = [
    Turn([ToolUse("Read", {"file_path": "a.txt"}, id="toolu_read")]),
    touch("b"),
    touch("c"),
    Turn([ToolUse("Write", {"file_path": "d.txt", "content": "d\n"}, id="toolu_d")]),
    Turn([ToolUse("Write", {"file_path": "e.txt", "content": "e\n"}, id="toolu_e")]),
    Turn([ToolUse("Bash", {"command": 'cat "$HOME/x"'}, id="toolu_f")]),
]
ANSWERS = ("a", "y", "no, call it f.txt", "n")


async def answered(home: Path, turns: list[Any], answers: Sequence[str]) -> Path:
    """Run a prompt at a terminal below a home folder, answer its questions, return the recording."""
    project = home / "project"
    project.mkdir(parents=True)
    (project / "a.txt").write_text("one\n", encoding="utf-8")
    async with FakeModel(turns) as fake:
        env = environment(home, fake.url)
        arguments = ("run", "Do it", "--record", str(home / "rec"))
        async with terminal(*arguments, env=env, cwd=project) as person:
            for count, answer in enumerate(answers, 1):
                await person.see("[y] once", count)
                person.enter(answer)
            assert await person.ended() in (0, 3), person.screen
    (path,) = (home / "rec").glob("*.jsonl")
    return path


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run with every kind of answer."""
    return await answered(tmp_path_factory.mktemp("recorded") / "somebody", TURNS, ANSWERS)


async def play(path: Path, *arguments: str) -> Finished:
    """Play it somewhere else, without model."""
    elsewhere = path.parent.parent.parent / "elsewhere"
    env = environment(elsewhere / "home")
    return await pilotfish("replay", str(path), *arguments, env=env, cwd=elsewhere)


def lines_of(path: Path, kind: str) -> list[dict[str, Any]]:
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line["type"] == kind]


async def test_rules_mode_and_answers_are_recorded_and_decide_the_same_again(
    recording: Path,
) -> None:
    path = recording
    assert str(path.parents[1]) not in path.read_text(encoding="utf-8")
    decided = [summary(line) for line in lines_of(path, "judgement")]
    assert decided == [
        ("toolu_read", "allow", None),
        ("toolu_b", "ask", None),
        ("toolu_c", "allow", "touch:*"),
        ("toolu_d", "ask", None),
        ("toolu_e", "ask", None),
        ("toolu_f", "ask", None),
    ]
    answers = [(line["id"], line["answer"]["kind"]) for line in lines_of(path, "answer")]
    assert answers == [
        ("toolu_b", "allow_always"),
        ("toolu_d", "allow_once"),
        ("toolu_e", "feedback"),
        ("toolu_f", "reject"),
    ]
    standings = [line["standing"] for line in lines_of(path, "standing")]
    assert [one["mode"] for one in standings] == ["default", "default"]
    assert [len(one["rules"]) for one in standings] == [0, 1]

    played = await play(path)
    assert played.code == 0, played
    assert "as recorded, 1 turn, 6 model calls, 6 permission decisions\n" in played.stdout


async def test_each_decision_that_other_rules_change_is_named(
    recording: Path, tmp_path: Path
) -> None:
    path = recording
    rules = tmp_path / "rules.json"
    rules.write_text('{"permissions": {"deny": ["Bash(touch:*)"]}}', encoding="utf-8")
    played = await play(path, "--rules-file", str(rules))
    assert played.code == 1, played
    told = played.stdout.splitlines()
    assert len(told) == 2
    assert "decided differently: touch b (toolu_b, mode default): recorded was ask" in told[0]
    assert "Now it is deny (deny_rules): The rule `Bash(touch:*)` of your settings" in told[0]
    assert "touch c (toolu_c, mode default): recorded was allow" in told[1]

    # The rules of the folder where it is played count only when somebody asks for that.
    folder = path.parents[2] / "elsewhere" / "home" / ".pilotfish"
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text('{"permissions": {"allow": ["Write"]}}', encoding="utf-8")
    assert (await play(path)).code == 0
    played = await play(path, "--current-rules")
    assert played.code == 1, played
    told = played.stdout.splitlines()
    assert [line.split("(toolu_")[1][0] for line in told] == ["d", "e"]
    assert "Now it is allow (trusted_allow): The rule `Write` of your settings" in told[0]


async def test_code_that_decides_differently_is_found_out(recording: Path, tmp_path: Path) -> None:
    path = tmp_path / "somebody" / "rec" / "changed.jsonl"
    path.parent.mkdir(parents=True)
    shutil.copy(recording, path)
    text = path.read_text(encoding="utf-8")
    # As if what is asked about had not been when it was recorded.
    path.write_text(
        text.replace('"decision": {"behavior": "ask"', '"decision": {"behavior": "allow"'),
        encoding="utf-8",
    )
    played = await play(path)
    assert played.code == 1, played
    assert "touch b (toolu_b, mode default): recorded was allow (mode)" in played.stdout
    assert "Now it is ask (mode)" in played.stdout
    # The loop goes on with what was decided then, and the answers belong to nothing.
    assert "Turn 1: recorded was" in played.stdout


async def test_an_answer_to_one_of_two_calls_side_by_side_plays_again(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("x", "y"):
        (outside / name).write_text(name, encoding="utf-8")
    both = Turn(
        [
            ToolUse("Read", {"file_path": str(outside / one)}, id=f"toolu_{one}")
            for one in ("x", "y")
        ]
    )
    path = await answered(tmp_path / "somebody", [both, "Read."], ("a",))
    # Which one is put first, and whether the other one waits already, is left to chance.
    assert len(lines_of(path, "answer")) == 1
    played = await play(path)
    assert played.code == 0, played
    assert f"{len(lines_of(path, 'judgement'))} permission decisions" in played.stdout


async def test_a_secret_in_a_command_is_not_recorded_and_spoils_no_replay(tmp_path: Path) -> None:
    command = f"curl -H 'X-Key: {SECRET}' https://example.org/"
    # The mark that ends a line elsewhere stands in a recording as it is.
    turns = [Turn(["I\u2028ask.", ToolUse("Bash", {"command": command}, id="toolu_1")])]
    path = await answered(tmp_path / "somebody", turns, ("n",))
    assert SECRET not in path.read_text(encoding="utf-8")
    played = await play(path)
    assert played.code == 0, played
    assert "1 permission decision" in played.stdout
