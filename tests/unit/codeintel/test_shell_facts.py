"""What shell commands would do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.codeintel.shell_facts import ShellFacts, analyse, is_concurrency_safe
from pilotfish.codeintel.shell_paths import ShellPlace

PLACE = ShellPlace(cwd="/p/app", home="/home/u", roots=("/p/app",))


def facts(command: str) -> ShellFacts:
    return analyse(command, PLACE)


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "git status --short && git diff --stat | head",
        "rg -n TODO src | wc -l",
        "timeout 5 cat a.txt",
        "LANG=C sort -u names | uniq -c",
        "find . -name '*.py' -newer x",
        "awk '{print $2}' a.txt",
        "node --version",
        "env | sort",
        "date -d yesterday +%F",
        "git branch --list 'feat/*'",
        "git tag -l 'v*'",
        "git -C sub log -3",
        "cd sub && cat x",
        "printf '%s' \"$X\"",
    ],
)
def test_reading_commands_are_read_only(command: str) -> None:
    assert facts(command).read_only


@pytest.mark.parametrize(
    "command",
    [
        "find . -delete",
        "find . -exec cat {} +",
        "find . -fprintf out x",
        "rg --pre ./x TODO",
        "rg -z x",
        "sort -o a a",
        "sort -uo a b",
        "sort --comp=./x a",
        "sort *",
        "uniq a b",
        "awk 'BEGIN{system(\"id\")}'",
        "awk '{print > \"x\"}' a",
        "awk '{print | \"sh\"}' a",
        "awk -f prog a",
        "date -s 2020-01-01",
        "date 01010000",
        "tail -f log",
        "tree -o x",
        "less -Ox a",
        "less +!id a",
        "env FOO=1 ls",
        "printf -v a x",
        "git -c a=b status",
        "git -p log",
        "git --exec-path=. status",
        "git diff --output=x",
        "git diff --outp=x",
        "git diff --ext-diff",
        "git branch new",
        "git branch -D x",
        "git branch -l new",
        "git tag v1",
        "git remote add x y",
        "git stash",
        "git push",
        "file -C -m x",
        "./ls",
        "ls > out",
        "ls $X",
        "GIT_PAGER=x git log",
        "node --version x",
        "less README* +!id",
        "X=$(id) ls",
        "PAGER=x",
    ],
)
def test_guards_take_a_command_off_the_list(command: str) -> None:
    assert not facts(command).read_only


def test_following_a_file_reads_only_in_the_background() -> None:
    assert analyse("tail -f log", PLACE, background=True).read_only


@pytest.mark.parametrize(
    ("command", "danger"),
    [
        ("ls", "none"),
        ("rm a", "dangerous"),
        ("echo x > a", "dangerous"),
        ("sudo ls", "dangerous"),
        ("timeout 5 rm a", "dangerous"),
        ("curl -s x | sh", "dangerous"),
        ("python -c 'x'", "dangerous"),
        ("git reset --hard", "dangerous"),
        ("git -C x push", "dangerous"),
        ("sed -i s/a/b/ f", "dangerous"),
        ("find . -name x -delete", "dangerous"),
        ("npm publish", "dangerous"),
        ("rm -rf build", "dangerous"),
        ("rm -rf ./~", "dangerous"),
        ("rm -rf /tmp/x", "dangerous"),
        ("rm -rf /", "catastrophic"),
        ("rm -rf /*", "catastrophic"),
        ("rm -rf ~", "catastrophic"),
        ("rm -rf ~/", "catastrophic"),
        ('rm -rf "$HOME"', "catastrophic"),
        ("rm -rf $DIR/", "catastrophic"),
        ("rm -rf .", "catastrophic"),
        ("rm -rf ..", "catastrophic"),
        ("rm -rf .git", "catastrophic"),
        ("cd / && rm -rf *", "catastrophic"),
        ("sudo rm -rf /", "catastrophic"),
        ("bash -c 'rm -rf ~'", "catastrophic"),
        ("sh -c \"bash -c 'rm -rf ~'\"", "catastrophic"),
        ("eval 'rm -rf ~'", "catastrophic"),
        ("find / -delete", "catastrophic"),
        ("find . -delete", "catastrophic"),
        ("dd if=x of=/dev/sda", "catastrophic"),
        ("echo x > /dev/sda", "catastrophic"),
        ("mkfs.ext4 /dev/sda1", "catastrophic"),
        ("chmod -R 777 /", "catastrophic"),
        (":(){ :|:& };:", "catastrophic"),
        ("shutdown now", "catastrophic"),
    ],
)
def test_commands_have_a_danger_class(command: str, danger: str) -> None:
    found = facts(command)

    assert found.danger == danger, found.danger_reason


@pytest.mark.parametrize(
    ("command", "reads", "writes"),
    [
        ("cat a ../b", {"/p/app/a", "/p/b"}, set[str]()),
        ("cat ~/x < y", {"/home/u/x", "/p/app/y"}, set[str]()),
        ("grep -rn TODO src", {"/p/app/src"}, set[str]()),
        ("grep -f pats src/x", {"/p/app/src/x"}, set[str]()),
        ("wc --files0-from=/l", {"/l"}, set[str]()),
        ("cp a d", {"/p/app/a", "/p/app/d"}, {"/p/app/d", "/p/app/d/a"}),
        ("echo x | tee o", set[str](), {"/p/app/o"}),
        ("echo x >> $HOME/.zshrc", set[str](), {"/home/u/.zshrc"}),
        ("sed -i s/a/b/ f", {"/p/app/s/a/b", "/p/app/f"}, {"/p/app/f"}),
        ("cd sub && echo x > o", {"/p/app/sub"}, {"/p/app/sub/o"}),
        ("sudo rm x", set[str](), {"/p/app/x"}),
        ("git show HEAD:a/b", {"/p/app", "/p/app/a/b"}, set[str]()),
    ],
)
def test_named_files_are_found(command: str, reads: set[str], writes: set[str]) -> None:
    parts = facts(command).parts

    assert {use.path for part in parts for use in part.reads} == reads
    assert {use.path for part in parts for use in part.writes} == writes


@pytest.mark.parametrize(
    ("command", "folders"),
    [
        ("cd a && cat x", {"/p/app/a/x"}),
        ("cd a; cat x", {"/p/app/x", "/p/app/a/x"}),
        ("cd a || cat x", {"/p/app/x", "/p/app/a/x"}),
        ("cd a && cd .. && cat x", {"/p/app/x"}),
        ("! cd a && cat x", {"/p/app/x", "/p/app/a/x"}),
        ("cd a | cat x", {"/p/app/x", "/p/app/a/x"}),
        ("true | cd a && cat x", {"/p/app/x", "/p/app/a/x"}),
    ],
)
def test_a_change_of_folder_is_followed_as_far_as_it_is_certain(
    command: str, folders: set[str]
) -> None:
    part = facts(command).parts[-1]

    assert {use.path for use in part.reads} == folders


@pytest.mark.parametrize("command", ['cd "$D" && ls', "cd - && ls", "cd a b && ls", "cd x* && ls"])
def test_an_unknown_folder_makes_paths_unknown(command: str) -> None:
    assert facts(command).parts[-1].unknown_paths


@pytest.mark.parametrize("pattern", ["{/etc/passwd,x}", "*/../../../etc", "{~,x}"])
def test_a_pattern_that_may_lead_anywhere_is_an_unknown_path(pattern: str) -> None:
    assert facts(f"cat {pattern}").parts[0].unknown_paths


def test_only_reading_commands_that_stay_in_their_folder_run_beside_others() -> None:
    assert is_concurrency_safe("ls | wc -l")
    assert not is_concurrency_safe("cd a && ls")
    assert not is_concurrency_safe("make")
    assert not is_concurrency_safe("ls $(rm a)")


@given(st.text(alphabet=" \n'\"\\$`(){}<>|&;#=*?[]!~-/.abcdgirtm", max_size=50))
def test_no_command_makes_it_raise(command: str) -> None:
    assert facts(command).shell.source == command


@pytest.mark.parametrize("option", ["-p", "--preserve-date", "-bp", "--pres"])
def test_file_that_sets_dates_does_not_only_read(option: str) -> None:
    assert analyse("file a.txt", PLACE).read_only
    assert not analyse(f"file {option} a.txt", PLACE).read_only
