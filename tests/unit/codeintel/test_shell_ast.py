"""Parsing of shell commands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.codeintel import shell_ast
from pilotfish.codeintel.shell_ast import MAX_COMMAND_CHARS, MAX_SUBCOMMANDS, parse_shell


def texts(command: str) -> list[str]:
    return [part.text for part in parse_shell(command).commands]


@pytest.mark.parametrize(
    "command",
    [
        "ls -la src",
        "cat a | head -3 && echo 'x; y' || true",
        "FOO=1 BAR='a b' make test",
        "git log --format='%h %s' 2>&1 > /dev/null",
        'echo "price: \\$5 $HOME ${USER} $?"',
        "find . \\( -name '*.ts' -o -name x \\)",
        "ls src/*.{js,ts} ~/x",
        "ls # a comment; rm -rf /",
        "cat a |\n  head -3",
        "ls -l \\\n  src",
        "cat <<'EOF' | grep x\n$(rm -rf /)\nEOF",
        "git commit -m \"$(cat <<'EOF'\nfix: $x `y`\nEOF\n)\"",
        "! grep -q x f && echo no",
    ],
)
def test_plain_commands_and_lists_are_simple(command: str) -> None:
    parsed = parse_shell(command)

    assert (parsed.kind, parsed.complete) == ("simple", True), parsed.reason


@pytest.mark.parametrize(
    "command",
    [
        "ls $(rm a)",
        "ls `rm a`",
        "cat <(rm a)",
        "(cd x && rm a)",
        "{ rm a; }",
        "for f in *; do rm $f; done",
        "if true; then rm a; fi",
        "f() { rm a; }; f",
        "rm a &",
        "$X a",
        "${a}m a",
        "r'm' a",
        "/b?n/rm a",
        "eval 'rm a'",
        "exec rm a",
        "source x",
        "command -p rm a",
        "export PATH=x",
        "PATH=x ls",
        "LD_PRELOAD=x ls",
        "a[0]=1",
        "echo ${a:-$(rm a)}",
        "echo ${!a}",
        "echo $((1+1))",
        "bash <<'EOF'\nrm a\nEOF",
        "cat <<EOF\n$(rm a)\nEOF",
        "[ -f a ]",
        "r\\\nm a",
        "echo =~\nrm a",
        "coproc rm a",
        "echo <<<$\nrm a",
        "echo [[[do\n\\rm",
    ],
)
def test_everything_else_is_not_simple(command: str) -> None:
    assert parse_shell(command).kind != "simple"


@pytest.mark.parametrize(
    "command",
    ['0"\u00a1', "ls\r./run", "ls\u2028./run", "rm\u200b a", "ls\u00a0-l", "ls \u202ex", "ls 'a", "echo =(./x)",
     "ls \ud800", "ls\x00"],
)  # fmt: skip
def test_what_cannot_be_read_for_certain_is_an_error(command: str) -> None:
    parsed = parse_shell(command)

    assert parsed.kind == "error"
    assert not parsed.complete


@pytest.mark.parametrize(
    ("command", "inner"),
    [
        ("X=$(rm a) ls", "rm a"),
        ("cat <<EOF\n$(rm a)\nEOF", "rm a"),
        ("for f in a; do rm a; done", "rm a"),
        ('echo "x $(echo `rm a`)"', "rm a"),
        ("echo ${x:-$(rm a)}", "rm a"),
        ("cat <(rm a)", "rm a"),
        ("while read x; do { (rm a); } done", "rm a"),
        ("r\\\nm a", "rm a"),
        ("cat <<'EOF' && rm a\nx\nEOF", "rm a"),
    ],
)
def test_nested_commands_are_collected(command: str, inner: str) -> None:
    assert inner in texts(command)


def test_quotes_are_removed_and_escapes_decoded() -> None:
    (part,) = parse_shell(r"""echo 'a b' "c \"d\" \x" e\ f $'g\th\x41' i'j'"k" """).commands

    assert part.argv == ("echo", "a b", 'c "d" \\x', "e f", "g\thA", "ijk")


def test_a_word_with_a_variable_is_not_known() -> None:
    (part,) = parse_shell('echo "a $X" ${Y} plain').commands

    assert [(word.value, word.known) for word in part.words[1:]] == [
        ("a $X", False),
        ("$Y", False),
        ("plain", True),
    ]


def test_what_follows_a_redirection_target_is_an_argument() -> None:
    (part,) = parse_shell("echo a > out b").commands

    assert part.argv == ("echo", "a", "b")
    assert [(r.kind, r.target and r.target.value) for r in part.redirects] == [("write", "out")]


def test_a_redirection_after_a_list_belongs_to_its_last_command() -> None:
    first, second = parse_shell("cd src && echo 1 > a.py").commands

    assert first.redirects == ()
    assert [r.kind for r in second.redirects] == ["write"]


def test_a_lone_dash_before_a_here_document_is_kept() -> None:
    (part,) = parse_shell("git commit -F - <<'EOF'\nx\nEOF").commands

    assert part.argv == ("git", "commit", "-F", "-")


@pytest.mark.parametrize(
    ("redirect", "kind"),
    [("2>&1", "dup"), ("2>&-", "dup"), ("&>/dev/null", "null"), (">&2out", "write"), ("< a", "read"),
     (">| a", "write"), ("<<< 'x'", "data"), ('<<< "$X"', "text")],
)  # fmt: skip
def test_redirections_are_told_apart(redirect: str, kind: str) -> None:
    (part,) = parse_shell(f"cat {redirect}").commands

    assert [r.kind for r in part.redirects] == [kind]


@pytest.mark.parametrize(
    ("start", "body", "kind"),
    [
        ("'EOF'", "$(rm a) `x`", "data"),
        ('"EOF"', "$x", "data"),
        ("EOF", "plain text; rm a", "data"),
        ("EOF", "has $HOME", "text"),
        ("EOF", "has \\n", "text"),
    ],
)
def test_a_here_document_is_data_unless_the_shell_expands_it(
    start: str, body: str, kind: str
) -> None:
    part = parse_shell(f"cat <<{start}\n{body}\nEOF").commands[-1]

    assert [r.kind for r in part.redirects] == [kind]


def test_a_long_command_is_complex_and_incomplete() -> None:
    parsed = parse_shell("echo " + "x" * MAX_COMMAND_CHARS)

    assert (parsed.kind, parsed.complete) == ("complex", False)


def test_too_many_parts_make_it_complex_but_all_are_collected() -> None:
    parsed = parse_shell("; ".join(["true"] * MAX_SUBCOMMANDS) + "; rm a")

    assert parsed.kind == "complex"
    assert parsed.commands[-1].text == "rm a"


def test_deep_nesting_ends_as_incomplete() -> None:
    parsed = parse_shell("( " * 300 + "rm a" + " )" * 300)

    assert (parsed.kind, parsed.complete) == ("complex", False)


def test_without_a_grammar_plain_lines_are_read_and_all_else_is_complex(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(_: str) -> None:
        raise LookupError("no bash")

    monkeypatch.setattr(shell_ast, "walk", missing)
    plain, nested = parse_shell("ls without-a-grammar"), parse_shell("ls $(without-a-grammar)")
    continued = parse_shell("ls without-\\\na-grammar")

    assert (plain.kind, plain.complete) == ("simple", True)
    assert (nested.kind, nested.complete) == ("complex", False)
    assert (continued.kind, continued.complete) == ("complex", False)


@given(st.text(alphabet=" \n\t'\"\\$`(){}<>|&;#=*?[]!~abE0-", max_size=60))
def test_no_text_makes_it_raise(command: str) -> None:
    assert parse_shell(command).kind in ("simple", "complex", "error")


@given(st.text(max_size=80))
def test_no_unicode_text_makes_it_raise(command: str) -> None:
    assert parse_shell(command).source == command


@pytest.mark.parametrize("source", ["x\n" * 2_500, "x" + " a" * 2_500, "x; " * 2_500])
def test_what_has_too_many_parts_is_incomplete(source: str) -> None:
    parsed = parse_shell(source)

    assert (parsed.kind, parsed.complete) == ("complex", False)
    assert "more than 2000" in parsed.reason


@pytest.mark.parametrize("source", ["cat ]$a", "cat x]]$a/b", "cat [x]$1", "cat a'b'$aé"])
def test_a_variable_that_the_grammar_overlooks_is_an_error(source: str) -> None:
    parsed = parse_shell(source)

    assert parsed.kind == "error" or not parsed.commands[0].words[1].known
