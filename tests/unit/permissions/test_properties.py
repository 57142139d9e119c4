"""What holds for any command and any set of rules."""

import time
from dataclasses import dataclass, replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pilotfish.codeintel.shell_ast import MAX_COMMAND_CHARS, parse_shell
from pilotfish.core.permission import PERMISSION_MODES, Behavior, PermissionMode

from tests.support.permission_state import Judge

ORDER: dict[Behavior, int] = {"deny": 0, "ask": 1, "allow": 2}

SIMPLE = [
    "ls", "ls -la src", "cat a.txt", "git status", "git log -3", "git push", "npm test", "make all",
    "rm x", "rm -rf build", "rm -rf /", "echo hi", "echo hi > out.txt", "cat < a.txt", "cd sub",
    "cd ..", "pwd", "env", "python3 -c x", "curl u", "tee log", "find . -delete", "cat ../x",
    "FOO=1 make", "CI=1 npm test", "sudo rm x", "touch .git/x", "grep -rn a .", "$X y", "cp a b",
]  # fmt: skip
JOINS = [" && ", " || ", "; ", " | ", "\n"]
RULES = [
    "Bash", "Bash(git:*)", "Bash(git push:*)", "Bash(npm test)", "Bash(npm test:*)", "Bash(rm:*)",
    "Bash(make *)", "Bash(ls *)", "Bash(rm x)", "Bash(cat a.txt)", "Bash(echo hi > out.txt)",
    "Read(a.txt)", "Read(/src/**)", "Read", "Edit(out.txt)", "Edit", "Write", "*", "Bash(cat:*)",
]  # fmt: skip
MODES = st.sampled_from(PERMISSION_MODES)
RULE_SETS = st.lists(st.sampled_from(RULES), max_size=4, unique=True)
LINES = st.lists(st.sampled_from(SIMPLE), min_size=1, max_size=4)
JOINED = st.lists(st.sampled_from(JOINS), min_size=3, max_size=3)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    judge = Judge(tmp_path_factory.mktemp("properties"))
    (judge.root / "sub").mkdir()
    (judge.root / "a.txt").write_text("x")
    return judge


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A mode with some rules."""

    mode: PermissionMode
    allow: list[str]
    ask: list[str]
    deny: list[str]

    def rank(self, judge: Judge, command: str) -> int:
        """Return how much is allowed: 0 deny, 1 ask, 2 allow. The judge stays as it was."""
        before = judge.state
        judge.set(mode=self.mode).rules(allow=self.allow, ask=self.ask, deny=self.deny)
        try:
            return ORDER[judge.bash(command).behavior]
        finally:
            judge.state = before


REDIRECT_DENIED = Setting(mode="default", allow=[], ask=[], deny=["Bash(echo hi > out.txt)"])
SETTINGS = st.builds(Setting, mode=MODES, allow=RULE_SETS, ask=RULE_SETS, deny=RULE_SETS)


def join(parts: list[str], joins: list[str]) -> str:
    return parts[0] + "".join(a + b for a, b in zip(joins, parts[1:], strict=False))


@given(SETTINGS, st.sampled_from(RULES), LINES, JOINED)
def test_one_more_deny_rule_never_allows_more(
    shared: Judge,
    setting: Setting,
    more: str,
    parts: list[str],
    joins: list[str],
) -> None:
    command = join(parts, joins)
    stricter = replace(setting, deny=[*setting.deny, more])

    assert stricter.rank(shared, command) <= setting.rank(shared, command)


@given(SETTINGS, LINES, JOINED)
@settings(max_examples=300)
def test_a_line_is_never_more_allowed_than_its_most_restricted_part(
    shared: Judge,
    setting: Setting,
    parts: list[str],
    joins: list[str],
) -> None:
    # A folder change gives the parts after it another meaning than they have alone.
    parts = [part for part in parts if not part.startswith("cd")] or ["ls"]
    whole = setting.rank(shared, join(parts, joins))

    assert whole <= min(setting.rank(shared, part) for part in parts)


WRAPS = [
    "  {}", "{}  ", "\n{}\n", "({})", "{{ {}; }}", "echo $({})", 'echo "$({})"', "echo `{}`",
    "bash -c '{}'", "sh -c \"{}\"", "eval '{}'", "if true; then {}; fi", "! {}", "time {}",
    "timeout 5 {}", "nice {}", "env {}", "nohup {}", "{} &", "{} # done", "f() {{ {}; }}; f",
    "while {}; do :; done", "cat <<E\n$({})\nE", "diff <({}) a.txt", "xargs {}", "sudo {}",
    "command {}", "{} 2>&1", "{} 2>/dev/null", "A=$({})", "for i in 1; do {}; done",
]  # fmt: skip


@given(SETTINGS, st.sampled_from(SIMPLE), st.sampled_from(WRAPS))
@example(REDIRECT_DENIED, "echo hi > out.txt", "time {}")
@example(REDIRECT_DENIED, "echo hi > out.txt", "nice {}")
@settings(max_examples=400)
def test_wrapping_a_command_never_allows_more(
    shared: Judge,
    setting: Setting,
    command: str,
    wrap: str,
) -> None:
    # A program that starts another one takes no assignment in front of it.
    starts = wrap.split(" ", maxsplit=1)[0] in ("timeout", "nice", "nohup", "xargs", "command")
    command = command.rpartition("=1 ")[2] if starts else command

    assert setting.rank(shared, wrap.format(command)) <= setting.rank(shared, command)


def _quoted(command: str) -> list[str]:
    """Spell the words of a plain command in other ways that mean the same to the shell."""
    words = command.split(" ")
    return [
        " ".join([f"'{words[0]}'", *words[1:]]),
        " ".join([f'"{words[0]}"', *words[1:]]),
        " ".join([f"\\{words[0]}", *words[1:]]),
        " ".join([words[0][0] + "''" + words[0][1:], *words[1:]]),
        "  ".join(words),
        " \\\n".join(words),
        " ".join([words[0], *(f"'{word}'" for word in words[1:])]),
    ]


PLAIN = [text for text in SIMPLE if not set(text) & set("<>$=")]


@given(SETTINGS, st.sampled_from(PLAIN), st.integers(0, 6))
def test_another_spelling_of_a_command_never_allows_more(
    shared: Judge,
    setting: Setting,
    command: str,
    way: int,
) -> None:
    assert setting.rank(shared, _quoted(command)[way]) <= setting.rank(shared, command)


# --- bounded work ---

LONG = {
    "words": "ls " + "a" * 9_900,
    "arguments": "ls" + " a" * 4_900,
    "pipes": "ls" + " | cat" * 1_600,
    "substitutions": "$(" * 3_000,
    "closed substitutions": "$(" * 3_000 + "x" + ")" * 3_000,
    "subshells": "(" * 4_900 + "x" + ")" * 4_900,
    "quotes": "'\"" * 4_900,
    "backticks": "`" * 9_900,
    "heredocs": "cat " + "<<E " * 2_000,
    "redirections": "x" + " >a" * 3_000,
    "stars": "ls " + "*" * 9_900,
    "braces": "ls " + "{a," * 3_000,
    "variables": "x " + "$a" * 4_900,
    "newlines": "x\n" * 4_900,
    "backslashes": "\\" * 9_900,
    "assignments": "a=b " * 2_400,
    "scripts": "bash -c '" * 1_000,
    "wrappers": "env " * 2_400 + "x",
}


@pytest.mark.parametrize("shape", LONG)
def test_a_long_command_is_judged_within_bounds(shared: Judge, shape: str) -> None:
    command = LONG[shape]
    assert len(command) <= MAX_COMMAND_CHARS
    shared.bash("warm up")
    began = time.process_time()

    assert shared.bash(command).behavior in ORDER
    parse_shell(command)

    # No speed limit (the benchmark has that): only that nothing grows out of all bounds.
    assert time.process_time() - began < 5


def test_a_command_that_is_too_long_is_not_read_at_all(shared: Judge) -> None:
    parsed = parse_shell("ls " + "a" * MAX_COMMAND_CHARS)

    assert (parsed.kind, parsed.commands, parsed.complete) == ("complex", (), False)


def test_padding_does_not_hide_a_catastrophe(shared: Judge) -> None:
    setting = Setting(mode="bypassPermissions", allow=["Bash"], ask=[], deny=[])

    assert setting.rank(shared, "rm -rf / " + "#" * MAX_COMMAND_CHARS) == ORDER["ask"]
    assert setting.rank(shared, "rm -rf /\u200b") == ORDER["ask"]
    assert setting.rank(shared, "npm test") == ORDER["allow"]
