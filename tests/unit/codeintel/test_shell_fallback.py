"""The fallback tokenizer, held to the grammar."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pilotfish.codeintel.shell_ast import MAX_SUBCOMMANDS, odd_character, parse_shell
from pilotfish.codeintel.shell_fallback import parse_without_grammar

from tests.support.permission_cases import load_cases

RECORDED = [
    command
    for line in load_cases()
    if isinstance(command := line.case.input.get("command"), str) and not odd_character(command)
]

PIECES = [
    "ls", "cat", "rm -rf", "git log", "echo", "cd", "a.txt", "src/*.py", "~", "~/x", "-n", "--o=x",
    " ", "  ", "\t", "\n", "\\\n", "&&", "||", ";", "|", "|&", "&", "&>", ">", ">>", ">|", "<", "<<",
    "<<<", "2>&1", "2>", ">&2", "1", "$A", "${A}", "${A:-b}", "$(", "$((", "`", "(", ")", "{", "}",
    "{a,b}", "'", '"', "'a b'", '"a b"', '"$A"', "\\", "\\ ", "\\'", "#", "# x", "!", "=", "A=1",
    "A=", "PATH=x", "time", "if", "then", "fi", "do", "[[", "]]", "[", "]", "*", "?", "$'a'", '$"a"',
    "eval", "command", "e", "EOF", "%", "^", "@", "+", ",", ".", "/", "..", "é", "$", "$?", "export",
]  # fmt: skip
LINES = st.lists(st.sampled_from(PIECES), max_size=9).map("".join) | st.text(
    alphabet=" \n'\"\\$`(){}<>|&;#=*?[]!~-/.ab1", max_size=24
)


def assert_not_bolder(source: str) -> None:
    ours, grammar = parse_without_grammar(source), parse_shell(source)
    if ours.kind != "simple" or len(ours.commands) > MAX_SUBCOMMANDS:
        return
    assert grammar.kind == "simple", grammar.reason
    assert ours.commands == grammar.commands
    assert ours.flags == grammar.flags
    assert ours.complete
    assert grammar.complete


@given(LINES)
@settings(max_examples=1500)
@example("a\n#x")
@example("a=b\\ c d")
@example("a 1>2")
@example("a&>b")
@example("a>b c")
@example("ls [ [[")
@example("ls>] [?]")
@example("ls == a")
def test_what_is_simple_here_is_the_same_in_the_grammar(source: str) -> None:
    assert_not_bolder(source)


@pytest.mark.parametrize("source", RECORDED)
def test_no_recorded_command_is_read_more_boldly(source: str) -> None:
    assert_not_bolder(source)


@pytest.mark.parametrize(
    "source",
    ["ls", "ls -l src", "git log --oneline | head -5", "cat a && cat b || true; pwd",
     "NODE_ENV=test npm test", "echo 'a b' \"c $D\" e=$F/g", "make 2>&1 | tee build.log",
     "cat < in > out", "grep -rn x . 2>/dev/null", "ls\npwd", "ls *.py ~/x", "A=1", "cmd &> log"],
)  # fmt: skip
def test_everyday_lines_are_understood(source: str) -> None:
    assert parse_without_grammar(source).kind == "simple"


@pytest.mark.parametrize(
    "source",
    ["echo $(x)", "echo `x`", "(x)", "{ x; }", "if x; then y; fi", "x &", "cat <<E\na\nE",
     "cat <<< x", "diff <(a) <(b)", "x $((1))", "[[ a ]]", "x 'a", 'x "a', "eval x", "$x y",
     "r* x", "! x", "x \\\ny", "&& x", "x &&", "> f", "x ;; y", "PATH=. x", "a{b,c}", "${A:-b}",
     "x # y", "time x", "export A=1"],
)  # fmt: skip
def test_all_else_is_complex_and_incomplete(source: str) -> None:
    parsed = parse_without_grammar(source)

    assert (parsed.kind, parsed.complete) == ("complex", False)
    assert "unparsed" in parsed.flags
    assert parsed.reason


@pytest.mark.parametrize(
    ("source", "name"),
    [("echo $(rm x)", "rm"), ("(rm x)", "rm"), ("echo `rm x`", "rm"), ("if a; then rm x; fi", "rm"),
     ("{ rm x; }", "rm"), ("x & rm y", "rm"), ("bash -c 'a; rm x' &", "rm"), ("r\\\nm x", "rm"),
     ("('r'm x)", "rm"), ("! rm x", "rm"), ("f() { rm x; }", "rm"), ("A=1 rm x &", "rm")],
)  # fmt: skip
def test_what_may_run_is_guessed(source: str, name: str) -> None:
    commands = parse_without_grammar(source).commands

    assert name in [command.words[0].value for command in commands if command.words]


@given(st.text(max_size=200))
def test_reading_never_raises(source: str) -> None:
    json.dumps(parse_without_grammar(source).reason)
