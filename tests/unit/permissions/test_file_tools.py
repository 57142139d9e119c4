"""Which rules govern the tools that read and write files, and the session's own results."""

from pathlib import Path

import pytest

from tests.support.permission_state import Judge

CHANGES = {
    "Edit": {"file_path": "a.ipynb", "old_string": "a", "new_string": "b"},
    "MultiEdit": {"file_path": "a.ipynb", "edits": [{"old_string": "a", "new_string": "b"}]},
    "Write": {"file_path": "a.ipynb", "content": "x"},
    "NotebookEdit": {"notebook_path": "a.ipynb", "cell_id": "c", "new_source": "x"},
}
READS = {
    "Read": {"file_path": "a.ipynb"},
    "NotebookRead": {"notebook_path": "a.ipynb"},
    "Grep": {"pattern": "x", "path": "a.ipynb"},
}


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    return Judge(tmp_path)


@pytest.mark.parametrize("tool", CHANGES)
def test_edit_rules_govern_every_tool_that_changes_a_file(judge: Judge, tool: str) -> None:
    given = CHANGES[tool]
    assert judge.decide(tool, **given).behavior == "ask"
    assert judge.rules(allow=["Edit(*.ipynb)"]).decide(tool, **given).behavior == "allow"
    assert judge.rules(deny=["Edit(a.ipynb)"]).decide(tool, **given).behavior == "deny"


@pytest.mark.parametrize("tool", CHANGES)
def test_accepted_edits_and_plan_mode_mean_them_all(judge: Judge, tool: str) -> None:
    given = CHANGES[tool]
    assert judge.set(mode="acceptEdits").decide(tool, **given).behavior == "allow"
    assert judge.set(mode="plan").decide(tool, **given).behavior == "deny"


@pytest.mark.parametrize("tool", READS)
def test_read_rules_govern_every_tool_that_reads_a_file(judge: Judge, tool: str) -> None:
    given = READS[tool]
    assert judge.decide(tool, **given).behavior == "allow"
    assert judge.rules(deny=["Read(*.ipynb)"]).decide(tool, **given).behavior == "deny"


def test_a_read_deny_rule_hides_nothing_from_a_write_rule_and_the_other_way(judge: Judge) -> None:
    judge.rules(allow=["Read(*.ipynb)"])
    assert judge.decide("NotebookEdit", **CHANGES["NotebookEdit"]).behavior == "ask"


@pytest.mark.parametrize(
    ("tool", "field", "expected"),
    [("Read", "file_path", "allow"), ("Grep", "path", "allow"), ("Write", "file_path", "ask")],
)
def test_own_results_may_be_read_and_not_be_written(
    judge: Judge, tool: str, field: str, expected: str
) -> None:
    results = judge.home / ".pilotfish" / "tool-results" / "mine"
    other = results.parent / "other"
    for folder in (results, other):
        folder.mkdir(parents=True)
        (folder / "toolu.txt").touch()
    (results / "link").symlink_to(judge.home / "secret")
    judge.set(results_folder=results)
    more = {"pattern": "x"} if tool == "Grep" else {"content": "x"} if tool == "Write" else {}
    assert judge.decide(tool, **{field: str(results / "toolu.txt")}, **more).behavior == expected
    for path in (other / "toolu.txt", results / ".." / "other" / "toolu.txt", results / "link"):
        assert judge.decide(tool, **{field: str(path)}, **more).behavior == "ask"


def test_plain_commands_may_read_own_results_too(judge: Judge) -> None:
    results = judge.home / ".pilotfish" / "tool-results" / "mine"
    results.mkdir(parents=True)
    command = f"grep x {results}/toolu.txt"
    assert judge.bash(command).behavior == "ask"
    assert judge.set(results_folder=results).bash(command).behavior == "allow"


def test_a_deny_rule_holds_for_own_results(judge: Judge) -> None:
    results = judge.home / ".pilotfish" / "tool-results" / "mine"
    results.mkdir(parents=True)
    judge.set(results_folder=results).rules(deny=["Read(//**/*.txt)"])
    assert judge.decide("Read", file_path=str(results / "toolu.txt")).behavior == "deny"
