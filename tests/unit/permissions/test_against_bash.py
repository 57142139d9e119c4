"""Bash as the oracle: what the judge lets pass unasked is run, and must only have read.

Lines are made from pieces that look safe and pieces that do not. Those that the judge allows
without any rule are run by a real bash in which every program is a shim. Then nothing may have
changed on the disk, and no program may have been started that is not on the read-only list.
"""

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest
from pilotfish.codeintel.shell_words import name_set

from tests.support.path_shims import ShimmedShell
from tests.support.permission_state import Judge

LINES = int(os.environ.get("PILOTFISH_FUZZ_LINES", "1500"))
"""Lines that are made; some tenth of them is allowed and run."""

SEED = int(os.environ.get("PILOTFISH_FUZZ_SEED", "20240"))

READERS = name_set(
    "ls cat head tail wc grep find sort uniq cut tr stat file diff nl sha256sum du date git basename "
    "dirname realpath awk env rg tree jq"
)
WRAPPERS = name_set("timeout nohup nice stdbuf")
OTHERS = name_set(
    "rm mv cp touch tee chmod sh bash python3 perl curl make xargs sudo hook evil less vi sed dd ln "
    "mkdir node ssh"
)
WORDS = [
    "ls", "ls -la", "cat a.txt", "cat", "head -3", "tail -n 2 a.txt", "wc -l", "grep a a.txt",
    "grep -rn x .", "find . -name '*.txt'", "find . -type f", "sort a.txt", "uniq", "cut -c1",
    "tr a b", "git status", "git log", "git log -1", "git diff", "git branch", "echo hi", "pwd",
    "true", "printf x", "date", "stat a.txt", "du -s .", "sha256sum a.txt", "awk '{print $1}'",
    "env", "diff a.txt b.txt", "basename a/b", "nl a.txt", "cd sub", "file a.txt",
]  # fmt: skip
EXTRAS = [
    "-delete", "-exec rm {} ;", "-exec", "-o out", "-oout", "--output=out", "> out", ">> out", ">|o",
    "< a.txt", "2>&1", "2>/dev/null", "&> o", "> /dev/null", "<> o", ">& o", "-fprint o", "--pre evil",
    "-c core.pager=evil", "--ext-diff", "--no-pager", "-p", "-D x", "new-branch", "-I evil", "-C ..",
    "'BEGIN{system(\"evil\")}'", "'{print > \"o\"}'", "'{print | \"evil\"}'", "-s '2020-01-01'", "*",
    "$X", "${X:=y}", "$(evil)", "`evil`", "<(evil)", ">(evil)", "$((1+1))", "a{b,c}", "~", "''",
    "-f prog", "-v x=1", "--files0-from=a.txt", "-T .", "--compress-program=evil", "-i s/a/b/",
    "rm x", "evil", "sh -c evil", "-c evil", "$'\\x65vil'", "\\", "#", "# evil", "!", "-", "--", "e''vil",
    "-u", "A=1", "A=1 evil", "PAGER=evil", "GIT_PAGER=evil", "PATH=.", "--paginate", "-n 1", "a.txt",
    "<<< x", "<<E\nevil\nE", "<<'E'\n$(evil)\nE", "\\\n", "x\\\n", "--color=auto", "--help", "--version",
]  # fmt: skip
JOINS = [" | ", " && ", " || ", "; ", "\n", " & ", "|&", " ", "", ";;", " |\n", "&&\n"]
PREFIXES = ["", "", "", "", "A=1 ", "LANG=C ", "time ", "! ", "env ", "command ", "(", "{ ", "if ",
            "timeout 5 ", "nohup ", "> o ", "2>&1 ", "exec "]  # fmt: skip


def make_line(chance: random.Random) -> str:
    parts: list[str] = []
    for _ in range(chance.choice([1, 1, 2, 2, 3, 4])):
        part = chance.choice(PREFIXES) + chance.choice(WORDS)
        for _ in range(chance.choice([0, 0, 0, 1, 1, 2])):
            part += chance.choice([" ", " ", " ", ""]) + chance.choice(EXTRAS)
        parts.append(part + chance.choice(["", "", "", "", ")", "; }", "; fi", " &"]))
    line = parts[0]
    for part in parts[1:]:
        line += chance.choice(JOINS) + part
    if chance.random() < 0.1:
        place = chance.randrange(len(line) + 1)
        line = line[:place] + chance.choice("'\"\\`$(){}<>|&;#\n ") + line[place:]
    return line


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(tmp_path_factory.mktemp("oracle"))


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> ShimmedShell:
    listed = {name: path for name in READERS | WRAPPERS if (path := shutil.which(name))}
    shell = ShimmedShell(tmp_path_factory.mktemp("sandbox").resolve(), listed, sorted(OTHERS))
    _fill(shell.project)
    return shell


def _fill(project: Path) -> None:
    (project / "sub").mkdir()
    for name in ("a.txt", "b.txt", "x"):
        (project / name).write_text("evil\na\n")
    (project / "-o").write_text("")
    (project / "evil").write_text("#!/bin/sh\n")
    git = ["git", "-C", str(project), "-c", "user.name=n", "-c", "user.email=e"]
    for arguments in (["init", "-q"], ["add", "a.txt"], ["commit", "-q", "-m", "x"], ["status"]):
        subprocess.run([*git, *arguments], check=True, stdout=subprocess.DEVNULL)


def test_what_passes_unasked_only_reads(judge: Judge, shell: ShimmedShell) -> None:
    chance = random.Random(SEED)
    judge.set(roots=(shell.project,), project_root=shell.project, cwd=shell.project)
    ran = 0
    for _ in range(LINES):
        line = make_line(chance)
        if judge.bash(line).behavior != "allow":
            continue
        found = shell.run(line)
        ran += 1
        assert found.changed == (), (line, found)
        assert set(found.started) <= READERS | WRAPPERS, (line, found)
    # The test would prove nothing if the judge let nothing pass.
    assert ran > LINES / 50


# --- autoInProject ---

CHANGERS = name_set("rm rmdir mv cp touch tee mkdir ln chmod truncate unlink")
CHANGES = [
    "rm", "rm -rf", "rm -f", "mv", "cp", "cp -r", "cp -t", "touch", "tee", "mkdir -p", "ln -s", "ln",
    "chmod +x", "chmod -R u+w", "truncate -s 0", "echo x >", "cat a.txt >>", "cd", "unlink", "rmdir",
]  # fmt: skip
PLACES = [
    "a.txt", "sub", "sub/c.txt", "new", "sub/new", "link", "link/s.txt", "filelink", "..", "../s.txt",
    "../elsewhere", "../elsewhere/s.txt", "./a.txt", "sub/../a.txt", "sub/../../elsewhere/s.txt", "*",
    "*.txt", "sub/*", "*/s.txt", "l*/s.txt", "[l]ink/s.txt", "{a.txt,../elsewhere/s.txt}", "~", "~/h",
    "$HOME/h", "'link'/s.txt", "li\\nk/s.txt", "--target-directory=../elsewhere", "-t", "--", "-",
    "--target-directory=link", "-t../elsewhere", "-tlink", "sub/up", "sub/up/a.txt", "inner/c.txt",
    "'../elsewhere/s.txt'", "\"../elsewhere/s.txt\"", "$'../elsewhere/s.txt'", "--parents", "-T",
    "--reference=../elsewhere", "\\../elsewhere/s.txt", ".", "./", "/", "/tmp/pf-never", "sub//c.txt",
]  # fmt: skip


def make_change(chance: random.Random) -> str:
    parts: list[str] = []
    for _ in range(chance.choice([1, 1, 1, 2, 2, 3])):
        places = [chance.choice(PLACES) for _ in range(chance.choice([1, 1, 2, 2, 3]))]
        parts.append(" ".join([chance.choice(CHANGES), *places]))
    line = parts[0]
    for part in parts[1:]:
        line += chance.choice([" && ", "; ", " | ", "\n", " || "]) + part
    return line


def _lay_out_again(project: Path) -> None:
    """Put everything that a line may have changed back."""
    for folder in (project, project.parent / "elsewhere", project.parent / "home"):
        subprocess.run(["/bin/chmod", "-R", "u+rwX", str(folder)], check=False)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    (project.parent / "elsewhere" / "s.txt").write_text("precious")
    (project / "sub").mkdir()
    for name in ("a.txt", "sub/c.txt"):
        (project / name).write_text("x\n")
    (project / "link").symlink_to("../elsewhere")
    (project / "filelink").symlink_to("../elsewhere/s.txt")
    (project / "inner").symlink_to("sub")
    (project / "sub" / "up").symlink_to("..")


def test_what_auto_in_project_runs_stays_in_the_project(
    judge: Judge, tmp_path_factory: pytest.TempPathFactory
) -> None:
    chance = random.Random(SEED)
    names = ["cat", *sorted(CHANGERS)]
    listed = {name: path for name in names if (path := shutil.which(name))}
    shell = ShimmedShell(
        tmp_path_factory.mktemp("auto").resolve(), listed, sorted(OTHERS - CHANGERS)
    )
    judge.set(roots=(shell.project,), project_root=shell.project, cwd=shell.project)
    judge.set(mode="autoInProject")
    _lay_out_again(shell.project)
    ran = 0
    for _ in range(LINES):
        line = make_change(chance)
        if judge.bash(line).behavior != "allow":
            continue
        found = shell.run(line)
        ran += 1
        outside = [path for path in found.changed if not _is_in(path, shell.project)]
        assert outside == [], (line, found)
        _lay_out_again(shell.project)
    assert ran > LINES / 50


def _is_in(path: str, project: Path) -> bool:
    return path == str(project) or path.startswith(f"{project}/")


def test_the_oracle_sees_what_a_bad_line_does(shell: ShimmedShell) -> None:
    assert "evil" in shell.run("ls; evil").started
    assert shell.run("echo x > seen").changed
    (shell.project / "seen").unlink()
