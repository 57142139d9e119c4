"""``pilotfish permissions``: what the commands print and how they end."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from pilotfish.app.permissions import PermissionTools
from pilotfish.edges.headless.permissions_cli import permissions_group

from tests.support.permission_cases import FILE


class Folder:
    """A home and a project, and the commands run in it."""

    def __init__(self, place: Path) -> None:
        self.home = place / "home"
        self.root = place / "project"
        self.user = self.home / ".pilotfish" / "settings.json"
        self.project = self.root / ".pilotfish" / "settings.json"
        for file in (self.user, self.project):
            file.parent.mkdir(parents=True)

    def run(self, *arguments: str) -> Result:
        environment = {"HOME": str(self.home), "PILOTFISH_SANDBOX": "1"}
        group = permissions_group(lambda: PermissionTools(self.root, environment))
        return CliRunner().invoke(group, arguments, catch_exceptions=False)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def write(file: Path, **permissions: Any) -> None:
    file.write_text(json.dumps({"permissions": permissions}, indent=2), encoding="utf-8")


def case(**changes: Any) -> str:
    return json.dumps({"id": "c1", "tool": "Bash", "input": {"command": "make"}} | changes)


# --- check ---


def test_all_recorded_cases_are_decided_as_expected(folder: Folder) -> None:
    result = folder.run("check", str(FILE), "--expect")

    assert result.exit_code == 0, result.stderr
    answers = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(answers) > 400
    assert all(list(one) == ["id", "behavior", "hide_always", "phase", "reason"] for one in answers)


def test_a_difference_is_named_and_ends_with_one(folder: Folder, tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join([case(expect="allow"), "", case(id="c2", expect="ask")]))

    result = folder.run("check", str(file), "--expect")

    assert result.exit_code == 1
    assert "c1: ask, but allow is expected" in result.stderr
    assert "2 cases, 1 different" in result.stderr
    assert folder.run("check", str(file)).exit_code == 0


def test_what_also_counts_is_no_difference(folder: Folder, tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(case(expect="deny", also_ok=["ask"]))

    assert folder.run("check", str(file), "--expect").exit_code == 0


@pytest.mark.parametrize(
    ("line", "problem"),
    [("{", "Invalid JSON"), ("[]", "object"), ('{"id": "x"}', "tool"),
     (case(state={"rules": {"allow": "x"}}), "state.rules.allow"), (case(expect="maybe"), "expect")],
)  # fmt: skip
def test_a_line_that_is_no_case_is_a_usage_error(
    folder: Folder, tmp_path: Path, line: str, problem: str
) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(f"{case()}\n{line}\n")

    result = folder.run("check", str(file))

    assert (result.exit_code, result.stdout) == (2, "")
    assert "case 2" in result.stderr
    assert problem in result.stderr


def test_fixtures_stay_in_a_scratch_folder_that_is_gone_afterwards(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    outside = tmp_path / "outside"
    outside.mkdir()
    file = tmp_path / "cases.jsonl"
    fixtures = [{"file": "a/b.txt"}, {"dir": "d"}, {"bare_repo": "r"}]
    file.write_text(case(fs=[*fixtures, {"symlink": "l", "to": str(outside)}]))
    assert folder.run("check", str(file)).exit_code == 0

    for name in ("../../../x", "/x", f"{outside}/x", "l/x"):
        file.write_text(case(fs=[{"symlink": "l", "to": str(outside)}, {"file": name}]))
        result = folder.run("check", str(file))
        assert result.exit_code == 2
        assert "leads out of the scratch folder" in result.stderr
    assert list(outside.iterdir()) == list(scratch.iterdir()) == []


def test_the_places_of_a_case_stand_where_its_placeholders_do(
    folder: Folder, tmp_path: Path
) -> None:
    file = tmp_path / "cases.jsonl"
    edit: dict[str, Any] = {"tool": "Edit", "state": {"mode": "acceptEdits"}}
    paths = ["$PROJ/a", "$PROJ-evil/a", "$OUT/a", "$OUT2/a", "$USERHOME/a", "$PROJ/$CFG/s.json"]
    lines = [case(id=path, input={"file_path": path}, **edit) for path in paths]
    edit["state"] = {"mode": "acceptEdits", "cwd": "$OUT"}
    lines += [case(id="root", input={"file_path": "$OUT/a"}, **edit)]
    file.write_text("\n".join(lines))

    answers = [json.loads(line) for line in folder.run("check", str(file)).stdout.splitlines()]

    assert {one["id"]: one["behavior"] for one in answers} == {
        **dict.fromkeys(paths, "ask"), "$PROJ/a": "allow", "root": "allow",
    }  # fmt: skip


# --- list and explain ---


def test_list_names_rule_file_and_line(folder: Folder) -> None:
    write(folder.user, deny=["Read(.env)"], allow=["Bash(npm test:*)"])
    write(folder.project, ask=["Bash(git push:*)"])

    rows = json.loads(folder.run("list", "--json").stdout)

    assert [(row["behavior"], row["rule"], row["line"]) for row in rows] == [
        ("allow", "Bash(npm test:*)", 7),
        ("deny", "Read(.env)", 4),
        ("ask", "Bash(git push:*)", 4),
    ]
    assert f"{folder.user}:7" in folder.run("list").stdout


def test_explain_decides_with_the_folders_rules_and_shows_each_phase(folder: Folder) -> None:
    write(folder.user, deny=["Bash(rm:*)"])

    result = folder.run("explain", "Bash", '{"command": "ls && rm x"}')
    answer = json.loads(folder.run("explain", "Bash", '{"command": "ls && rm x"}', "--json").stdout)

    assert result.exit_code == 0
    assert result.stdout.startswith("deny: The rule `Bash(rm:*)` of your settings refuses it.")
    assert (answer["behavior"], answer["phase"], answer["rule"]) == (
        "deny", "deny_rules", "Bash(rm:*)",
    )  # fmt: skip
    assert [step["phase"] for step in answer["trace"]] == ["hooks", "deny_rules"]


def test_explain_takes_a_mode(folder: Folder) -> None:
    def behavior(mode: str) -> str:
        call = ('{"command": "rm -rf dist"}', "--json", "--mode", mode)
        return str(json.loads(folder.run("explain", "Bash", *call).stdout)["behavior"])

    assert [behavior(m) for m in ("default", "autoInProject", "plan", "dontAsk")] == [
        "ask", "allow", "deny", "deny",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["{", "[]", "7"])
def test_explain_wants_an_object(folder: Folder, text: str) -> None:
    assert folder.run("explain", "Bash", text).exit_code == 2


# --- lint ---


def test_clean_rules_pass(folder: Folder) -> None:
    write(folder.user, allow=["Bash(npm test:*)", "Edit(/src/**)"], deny=["Read(.env)"])

    result = folder.run("lint")

    assert (result.exit_code, result.stdout) == (0, "")


def test_everything_that_does_not_work_is_reported_with_file_and_line(folder: Folder) -> None:
    write(folder.user, allow=["Bash(ls", "Bsh(x)", "Bash(rm x)"], deny=["Bash(rm:*)"], alow=["X"])

    result = folder.run("lint")

    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert [line.removeprefix(f"{folder.user}:").partition(":")[0] for line in lines] == [
        "4", "5", "11", "6",
    ]  # fmt: skip
    assert "did you mean Bash?" in result.stdout
    assert "shadowed: Rule `Bash(rm x)` in allow: it never acts" in result.stdout


def test_explain_names_the_broken_file_and_its_line(folder: Folder) -> None:
    folder.user.write_text('{\n  "permissions": {\n    oops', encoding="utf-8")
    write(folder.project, allow=["Bash(npm test)"])

    asked = folder.run("explain", "Bash", '{"command": "npm test"}')
    read = folder.run("explain", "Bash", '{"command": "git log"}')

    assert asked.stdout.startswith(f"ask: {folder.user}:3 is broken")
    assert read.stdout.startswith("allow")
