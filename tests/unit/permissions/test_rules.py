"""Rules against commands, paths and names."""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.permissions.command_rules import (
    collapse_blanks,
    exact_content,
    text_matches,
    words_appear,
)
from pilotfish.permissions.globs import matches
from pilotfish.permissions.rules import is_read_denied

from tests.support.permission_state import Judge


@pytest.mark.parametrize(
    ("content", "text", "expected"),
    [
        ("npm test", "npm test", True),
        ("npm test", "npm test x", False),
        ("git:*", "git push", True),
        ("git:*", "git", True),
        ("git:*", "gitk", False),
        ("git push:*", "git pushx", False),
        ("ls *", "ls -al /srv/x", True),
        ("ls *", "ls", True),
        ("ls*", "lsof", True),
        ("npm run *:unit *", "npm run web:unit -- x", True),
        ("a * b", "a x b", True),
        ("a * b", "a b", False),
        ("ab*ba", "aba", False),
        (r"echo \*", "echo *", True),
        (r"echo \*", "echo x", False),
        ("npm   test", "npm test", True),
    ],
)
def test_command_rules(content: str, text: str, *, expected: bool) -> None:
    assert text_matches(content, text) is expected


@given(st.text(alphabet="ab *\\'\":-", max_size=20).map(str.strip).filter(bool))
def test_the_exact_rule_of_a_text_matches_that_text_only(text: str) -> None:
    content = exact_content(text)
    assert text_matches(content, collapse_blanks(text)) or text.endswith(":*")
    assert not text_matches(content, text + "x")


def test_blanks_inside_quotes_stay() -> None:
    assert collapse_blanks('  a   \'b   c\'  "d   \\"  e"  f\\  g ') == (
        'a \'b   c\' "d   \\"  e" f\\  g'
    )


def test_in_text_that_cannot_be_parsed_words_are_looked_for() -> None:
    assert words_appear("rm:*", "foo '; /bin/rm -rf x")
    assert words_appear("git push *", "$(x `git   push` ((")
    assert not words_appear("rm:*", "foo 'rmdir")


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("/p/src/**", "/p/src/a/b.py", True),
        ("/p/src/**", "/p/srcs/a", False),
        ("/p/src/*", "/p/src/a", True),
        ("/p/src/*", "/p/src/a/b", False),
        ("/p/src", "/p/src/a/b", True),
        ("/**/.env", "/p/a/.ENV", True),
        ("/**/.env", "/p/a/.env.example", False),
        ("/p/*.p[ey]m", "/p/a.pem", True),
        ("/p/a?c", "/p/abc", True),
        ("/p/**/b/**", "/p/b/x", True),
        ("/dev/**", "/p/dev/x", False),
    ],
)
def test_path_patterns(pattern: str, path: str, *, expected: bool) -> None:
    assert matches(pattern, path) is expected


def test_a_hostile_pattern_cannot_stall() -> None:
    started = time.process_time()
    matches("/**/a" * 40 + "/c", "/" + "a/" * 300 + "b")
    matches("/p/" + "*a" * 60 + "c", "/p/" + "a" * 250)

    # A backtracking matcher needs minutes for these.
    assert time.process_time() - started < 5


def test_braces_and_anchors(judge: Judge) -> None:
    judge.rules(
        deny=[
            "Read(/{a,b}/x)",
            "Read(~/.ssh/**)",
            f"Read(/{judge.outside}/secret)",
            "Read(./here)",
            "Read(*.pem)",
            "Read(**/token)",
        ]
    )
    root = judge.root

    denied = [root / "a/x", root / "b/x", judge.home / ".ssh/id", judge.outside / "secret/deep",
              root / "here", root / "q/w.PEM", judge.outside / "w.pem", root / "q/token"]  # fmt: skip
    free = [root / "c/x", root / "secret", root / "q/here", root / "w.pem.txt"]
    assert [p for p in denied if not is_read_denied(str(p), judge.state)] == []
    assert [p for p in free if is_read_denied(str(p), judge.state)] == []


def test_too_many_braces_deny_everything_and_allow_nothing(judge: Judge) -> None:
    bomb = "/{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"
    judge.rules(allow=[f"Edit({bomb})"])
    assert judge.decide("Edit", file_path=str(judge.root / "aaaaaaaa")).behavior == "ask"

    judge.rules(deny=[f"Read({bomb})"])
    assert judge.decide("Read", file_path=str(judge.root / "other")).behavior == "deny"


def test_a_read_rule_opens_a_folder_outside_only_when_it_names_it(judge: Judge) -> None:
    path = str(judge.outside / "a.txt")
    assert judge.rules(allow=["Read"]).decide("Read", file_path=path).behavior == "ask"
    assert judge.rules(allow=["Read(*.txt)"]).decide("Read", file_path=path).behavior == "ask"

    judge.rules(allow=[f"Read(/{judge.outside}/**)"])
    assert judge.decide("Read", file_path=path).behavior == "allow"


def test_a_write_rule_covers_write_alone(judge: Judge) -> None:
    judge.rules(allow=["Write(/gen/**)"])
    path = str(judge.root / "gen" / "a.py")

    assert judge.decide("Write", file_path=path).behavior == "allow"
    assert judge.decide("Edit", file_path=path, old_string="a").behavior == "ask"


def test_a_searched_folder_that_may_hold_a_denied_file_asks(judge: Judge) -> None:
    (judge.root / "src").mkdir()
    (judge.root / "src" / "a.py").touch()
    (judge.root / ".env").touch()
    judge.rules(deny=["Read(.env)"])

    assert judge.bash("grep -rn x src").behavior == "allow"
    assert judge.bash("grep -rn x .").behavior == "ask"
    assert judge.bash("rg x").behavior == "ask"
    assert judge.bash("git show HEAD:.env").behavior == "deny"


@pytest.mark.parametrize(
    "command",
    ["rm a", "FOO=1 rm a", "\\rm a", "'rm' a", "/bin/rm a", "env X=1 rm a", "sudo -u x rm a",
     "timeout 5 rm a", "xargs rm < l", "find . -exec rm {} +", "bash -c 'rm a'", "eval rm a",
     "command rm a", "$X rm a", "nice -n 5 rm a", "ls; { (rm a); }", "r\\\nm a", "rm 'a",
     "env -S 'rm a'", "$'rm' a", "echo x |& rm a", "X=$(rm a)", "coproc rm a"],
)  # fmt: skip
def test_a_deny_rule_sees_through_disguises(judge: Judge, command: str) -> None:
    judge.rules(allow=["Bash"], deny=["Bash(rm:*)"])

    assert judge.bash(command).behavior == "deny"


@pytest.mark.parametrize(
    "command",
    ["FOO=1 make x", "make x > out", "sudo make x", "make x && ./y", "make x &", "(make x)",
     "bash -c 'make x'", "ma\\\nke x", "make x\n./y", "makefile"],
)  # fmt: skip
def test_a_prefix_rule_covers_nothing_more(judge: Judge, command: str) -> None:
    assert judge.rules(allow=["Bash(make:*)"]).bash(command).behavior == "ask"


@pytest.mark.parametrize(
    "command",
    ["make x", "CI=1 make x", "timeout 5 make x", "make x 2>&1 | tail", "cd sub && make $X",
     "make x </dev/null", "make <<'E'\nx\nE"],
)  # fmt: skip
def test_a_prefix_rule_covers_the_everyday_forms(judge: Judge, command: str) -> None:
    expected = "ask" if "<<" in command else "allow"

    assert judge.rules(allow=["Bash(make:*)"]).bash(command).behavior == expected


def test_a_prefix_rule_does_not_write_outside(judge: Judge) -> None:
    judge.rules(allow=["Bash(cp:*)", "Bash(sed:*)"])

    assert judge.bash("cp a b").behavior == "allow"
    assert judge.bash(f"cp a {judge.outside}/b").behavior == "ask"
    assert judge.bash("sed -i s/a/b/ ~/.bashrc").behavior == "ask"


def test_an_exact_rule_covers_a_redirection_and_a_loop(judge: Judge) -> None:
    judge.rules(allow=["Bash(echo hi > a.txt)", "Bash(for f in a; do x $f; done)"])

    assert judge.bash("echo hi > a.txt").behavior == "allow"
    assert judge.bash("ls && echo hi >a.txt").behavior == "allow"
    assert judge.bash("for f in a; do x $f; done").behavior == "allow"
    assert judge.bash("echo hi > b.txt").behavior == "ask"


def test_an_exact_deny_rule_with_a_redirection_hits_as_part_of_a_line(judge: Judge) -> None:
    judge.rules(deny=["Bash(echo hi > out.txt)"], allow=["Bash"])

    assert judge.bash("echo hi > out.txt").behavior == "deny"
    assert judge.bash("ls && echo hi   >out.txt").behavior == "deny"
    assert judge.bash("echo hi > other.txt").behavior == "allow"


@pytest.mark.parametrize("option", ["-t.git", "-rt.git", "-t .git", "--target-directory=.git"])
def test_a_rule_for_cp_does_not_reach_protected_files_through_an_option(
    judge: Judge, option: str
) -> None:
    judge.rules(allow=["Bash(cp:*)"])

    assert judge.bash("cp a b").behavior == "allow"
    assert judge.bash(f"cp {option} config").behavior == "ask"


def test_a_rule_for_the_whole_tool_does_not_cover_what_cannot_be_read(judge: Judge) -> None:
    judge.rules(allow=["Bash"])

    assert judge.bash("npm publish").behavior == "allow"
    assert judge.bash("npm publish\u200b").behavior == "ask"
    assert judge.bash("npm publish " + "x" * 10_000).behavior == "ask"


def test_what_only_reads_does_not_pass_an_ask_rule_in_the_shadow_of_an_allowed_command(
    judge: Judge,
) -> None:
    for asking in ("Bash", "Bash(ls:*)", "Read(//**)"):
        judge.set(rules=()).rules(allow=["Bash(npm test)"], ask=[asking])
        command = "ls src && npm test"
        assert judge.bash("ls src").behavior == "ask"
        assert judge.bash(command).behavior == "ask"
        assert judge.rules(allow=["Bash(ls src)"]).bash("ls src").behavior == "allow"
        assert judge.bash(command).behavior == "allow"


def test_a_rule_for_the_usual_agent_counts_for_calls_that_name_no_type(tmp_path: Path) -> None:
    judge = Judge(tmp_path).rules(ask=["Agent(general-purpose)"], deny=["Agent(Plan)"])
    assert judge.decide("Agent", prompt="x").behavior == "ask"
    assert judge.decide("Agent", prompt="x", subagent_type="").behavior == "ask"
    assert judge.decide("Agent", prompt="x", subagent_type="Explore").behavior == "allow"
    assert judge.decide("Agent", prompt="x", subagent_type="Plan").behavior == "deny"
