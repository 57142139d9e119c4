"""A skill's text with what stands for its placeholders."""

import shlex
import subprocess
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pilotfish.skills.template import Command, Piece, SkillError, Values, Words, fill, has_commands


def filled(body: str, arguments: str = "", **more: Any) -> str:
    """Return a text without commands."""
    return "".join(
        piece.text for piece in parts(body, arguments, **more) if isinstance(piece, Words)
    )


def parts(body: str, arguments: str = "", **more: Any) -> list[Piece]:
    return fill(body, Values(arguments=arguments, **more))


@pytest.mark.parametrize(
    ("body", "arguments", "expected"),
    [
        ("All: $ARGUMENTS.", "a 'b c'", "All: a 'b c'."),
        ("$0|$1|$2", "a 'b c'", "a|b c|"),
        ("$ARGUMENTS[1] $ARGUMENTS[0]", "a b", "b a"),
        ("$10 and $1", "0 1 2 3 4 5 6 7 8 9 ten", "ten and 1"),
        ("It costs $100.", "", "It costs $100."),
        ("$0", "it's unbalanced", "it's"),
        ("No placeholder.", "a b", "No placeholder.\n\nArguments: a b"),
        ("No placeholder.", "", "No placeholder."),
        ("$ARGUMENTSX", "a", "$ARGUMENTSX\n\nArguments: a"),
        ("$other ${OTHER}", "", "$other ${OTHER}"),
        ("$0 stays out of $0", "$1 x", "$1 stays out of $1"),
    ],
)
def test_arguments(body: str, arguments: str, expected: str) -> None:
    assert filled(body, arguments) == expected


def test_names_and_variables() -> None:
    body = "$file at ${line} in ${PILOTFISH_SKILL_DIR}; $line2"
    found = filled(
        body, "a.py 3", names=("file", "line"), variables={"PILOTFISH_SKILL_DIR": "/skills/x"}
    )
    assert found == "a.py at 3 in /skills/x; $line2"


@given(st.text(max_size=200), st.text(max_size=80))
def test_one_pass_what_was_typed_stands_there_as_typed(before: str, arguments: str) -> None:
    """Whatever is typed, it becomes neither a placeholder nor a command."""
    body = before.replace("$", "").replace("`", "").replace("~", "") + " $ARGUMENTS end"
    found = parts(body, arguments)
    assert all(isinstance(piece, Words) for piece in found)
    assert filled(body, arguments) == body.replace("$ARGUMENTS", arguments)


def test_commands_are_found_outside_of_code_fences() -> None:
    body = "Diff: !`git diff`\n```\n!`not this`\n```\n~~~~\n~~~\n!`nor this`\n~~~~\n!`that`"
    commands = [piece.command for piece in parts(body) if isinstance(piece, Command)]
    assert commands == ["git diff", "that"]
    assert has_commands(body)
    assert not has_commands("```\n!`x`\n```\nWow!`x` and !!`x`")


@pytest.mark.parametrize(
    "body",
    ["```", "```\n$0\n", "!`", "!``", "$", "${", "${}", "\r\n```\r\n", "!`a\nb`"],
)
def test_what_is_torn_stays_text(body: str) -> None:
    assert filled(body) == body.replace("$0", "")


_PLAIN = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12
)


@settings(max_examples=25, deadline=None)
@given(st.lists(_PLAIN, min_size=3, max_size=3))
def test_an_argument_in_a_command_is_one_word_for_bash(words: list[str]) -> None:
    arguments = " ".join(map(shlex.quote, words))
    [command] = parts("!`printf '%s\\0' $0 \"x$1\" 'y$2'`", arguments)
    assert isinstance(command, Command)
    ran = subprocess.run(["bash", "-c", command.command], capture_output=True, check=True)
    said = ran.stdout.decode().split("\0")
    assert said == [words[0], f"x{words[1]}", f"y{words[2]}", ""]


@pytest.mark.parametrize(
    "command",
    [
        "echo $(cat $0)",
        'echo "${x:-$0}"',
        "cat <<< $0",
        "eval $0",
        "bash -c 'ls $0'",
        "python3 -c '$0'",
        "[[ $0 -eq 1 ]]",
        "(( $0 ))",
        "echo x # $0",
        "cat <(echo $0)",
    ],
)
def test_an_argument_where_it_could_be_more_than_a_word_is_refused(command: str) -> None:
    with pytest.raises(SkillError):
        parts(f"!`{command}`", "a")


def test_variables_of_the_shell_stay_the_shells() -> None:
    assert parts("!`echo $HOME ${PATH} \\$0`", "a")[0] == Command("echo $HOME ${PATH} \\$0")


def test_other_shells_take_no_arguments() -> None:
    with pytest.raises(SkillError, match="bash alone"):
        fill("!`Get-Item $0`", Values(arguments="a"), shell="powershell")


def test_a_text_that_grows_beyond_all_measure_is_refused() -> None:
    with pytest.raises(SkillError, match="longer than"):
        filled("$ARGUMENTS" * 2_000, "x" * 1_000)
