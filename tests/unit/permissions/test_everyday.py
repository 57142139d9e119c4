"""An everyday job: how often the user is asked."""

import subprocess
from collections.abc import Iterator
from typing import Any

from pilotfish.core.permission import PermissionDecision

from tests.support.permission_state import Judge

Step = tuple[str, dict[str, Any]]


def bash(command: str) -> Step:
    return "Bash", {"command": command}


def on(tool: str, name: str, **more: Any) -> Step:
    return tool, {"file_path": name, **more}


JOB: list[Step] = [
    ("TodoWrite", {"todos": []}),
    bash("git status"),
    bash("git log --oneline -5"),
    ("Glob", {"path": ".", "pattern": "**/*.py"}),
    ("Grep", {"path": "src", "pattern": "def main"}),
    on("Read", "src/app.py"),
    on("Read", "tests/test_app.py"),
    bash("ls -la src tests"),
    bash("grep -rn 'TODO' src | head -20"),
    bash("find . -name '*.py' -not -path './.venv/*' | wc -l"),
    bash("cat pyproject.toml | head -40"),
    bash("pytest -q 2>&1 | tail -20"),
    on("Edit", "src/app.py", old_string="a", new_string="b"),
    bash("pytest -q tests/test_app.py"),
    on("Edit", "src/app.py", old_string="b", new_string="c"),
    on("Write", "src/new.py", content="x"),
    on("Write", "tests/test_new.py", content="x"),
    bash("pytest -q tests/test_new.py 2>&1 | tail -5"),
    bash("cd src && ls | sort | uniq"),
    bash("git diff --stat"),
    bash("git diff src/app.py | head -100"),
    bash("npm run lint"),
    bash("npm run lint 2>&1 | grep -c error"),
    on("MultiEdit", "src/app.py", edits=[]),
    bash("npm run lint -- --fix"),
    bash("npm test -- --run"),
    bash("npm test 2>/dev/null"),
    bash("python3 --version && node --version"),
    bash("wc -l src/*.py"),
    bash("pytest -x -q; git status --short"),
    on("Read", "README.md"),
    on("Edit", "README.md", old_string="x", new_string="y"),
    bash("git add -A"),
    bash("git status && git diff --cached | head -50"),
    bash("git commit -m 'Add the new thing'"),
    bash("git commit --amend -m \"$(cat <<'EOF'\nAdd the new thing\n\nIt's $5 cheaper.\nEOF\n)\""),
    bash("git log -1 --stat"),
    bash("git show HEAD --name-only"),
    bash("git add README.md && git commit -m 'Say so' && git status"),
    bash("git branch --show-current && pwd && date"),
    ("TodoWrite", {"todos": []}),
]

SIDE_EFFECTS = {
    "runs the tests": "pytest",
    "runs the linter": "npm run lint",
    "runs the other tests": "npm test",
    "stages": "git add",
    "commits": "git commit",
}


def questions(judge: Judge) -> Iterator[tuple[Step, PermissionDecision]]:
    """Play the job; every question is answered with its first lasting offer."""
    for tool, given in JOB:
        names = {key: str(judge.root / given[key]) for key in ("file_path", "path") if key in given}
        decision = judge.decide(tool, **given | names)
        assert decision.behavior != "deny", (tool, given, decision.trace)
        if decision.behavior == "ask":
            yield (tool, given), decision
            rule = decision.suggestions[0].rule
            assert rule is not None
            judge.set(rules=(*judge.state.rules, rule))


def test_the_job_asks_once_for_each_kind_of_side_effect(judge: Judge) -> None:
    subprocess.run(["git", "init", "-q", str(judge.root)], check=True)
    for name in ("src", "tests"):
        (judge.root / name).mkdir()
    judge.set(mode="acceptEdits")

    asked = list(questions(judge))

    assert len(JOB) >= 40
    commands = [given.get("command", "") for (_, given), _ in asked]
    for command in commands:
        assert any(effect in command for effect in SIDE_EFFECTS.values()), command
    assert 1 < len(asked) <= len(SIDE_EFFECTS), commands
    assert len(judge.state.rules) == len(asked)


def test_twenty_similar_commands_leave_one_rule(judge: Judge) -> None:
    for number in range(20):
        decision = judge.bash(f"npm test -- --shard={number} 2>&1 | tail -{number}")
        if decision.behavior == "ask":
            rule = decision.suggestions[0].rule
            assert rule is not None
            judge.set(rules=(*judge.state.rules, rule))

    assert [rule.text() for rule in judge.state.rules] == ["Bash(npm test:*)"]


def test_allowing_a_line_never_grants_its_second_half(judge: Judge) -> None:
    decision = judge.bash("make && npm publish")
    for suggestion in decision.suggestions:
        assert suggestion.rule is not None
        assert judge.set(rules=(suggestion.rule,)).bash("npm publish").behavior == "ask"
