"""Searching without ripgrep finds what ripgrep finds, says that it is slow, and can be stopped."""

import dataclasses
import os
import shutil
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path

import pytest
from pilotfish.core.errors import ProcessError, WorkspaceError
from pilotfish.util.clock import SystemClock
from pilotfish.workspace import search
from pilotfish.workspace.process import Governor
from pilotfish.workspace.search import FileQuery, GrepQuery, GrepResult, Ripgrep

from tests.support.waiting import under_way

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


@pytest.fixture
async def governor() -> AsyncGenerator[Governor]:
    governor = Governor(SystemClock(), kill_after_s=0.3)
    yield governor
    await governor.close()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for name, text in {
        "a.py": b"needle\r\nhay\r\nNeedle\r\n",
        "src/b.py": b"hay\nneedle needle\n1\n2\n3\nneedle\nhay\n",
        "src/deep/c.txt": b"needle\nnext",
        "src/data.json": b'{"needle": 1}',
        ".hidden/d.py": b"needle\n",
        ".git/config": b"needle\n",
        "node_modules/e.py": b"needle\n",
        "kept/node_modules.py": b"needle\n",
        ".gitignore": b"node_modules\n*.log\n!keep.log\n/src/deep/\n",
        "x.log": b"needle\n",
        "keep.log": b"needle\n",
        "long.txt": b"needle" + b"x" * 2000 + b"\n",
        "binary.bin": b"\0needle\n",
        "utf16.txt": b"\xff\xfe" + "needle\n".encode("utf-16-le"),
        "latin.txt": b"needle caf\xe9\n",
        "we-ird:1:name.txt": b"needle: 3-4\n",
        "empty.txt": b"",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    return root


@pytest.fixture
def slow(governor: Governor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ripgrep:
    def scripts_folder(name: str) -> str:
        return str(tmp_path / name)

    monkeypatch.setattr("sysconfig.get_path", scripts_folder)
    rg = Ripgrep(governor, environment={"PATH": ""})
    with pytest.raises(ProcessError, match="Install ripgrep"):
        rg.program.locate()
    return rg


FILES = {
    "everything": {},
    "a suffix": {"glob": "*.py"},
    "a folder": {"glob": "src/**/*.txt"},
    "braces": {"glob": "*.{json,txt}"},
    "a place": {"glob": "/a.py"},
    "all folders": {"glob": "**/*.py"},
    "ignore files": {"respect_ignore": True},
    "something left out": {"glob": "*.py", "exclude": ("src", "**/d.*")},
    "nothing": {"glob": "*.zig"},
}


@pytest.mark.parametrize("query", FILES.values(), ids=FILES.keys())
async def test_it_lists_the_files_that_ripgrep_lists(
    governor: Governor, slow: Ripgrep, tree: Path, query: dict[str, object]
) -> None:
    wanted = await Ripgrep(governor, environment=ENV, program=found_rg()).files(
        dataclasses.replace(FileQuery(folder=tree), **query)
    )
    found = await slow.files(dataclasses.replace(FileQuery(folder=tree), **query))
    assert sorted(found.files) == sorted(wanted.files)
    assert found.cut.slow
    assert "slow search" in found.cut.note()


@pytest.mark.parametrize("repository", ["", "around", "around/tree", "around/tree/src"])
async def test_what_ignore_files_above_the_folder_say_counts_as_for_ripgrep(
    governor: Governor, slow: Ripgrep, tree: Path, tmp_path: Path, repository: str
) -> None:
    shutil.rmtree(tree / ".git")
    (tmp_path / "around").mkdir()
    shutil.move(tree, tmp_path / "around")
    tree = tmp_path / "around" / "tree"
    for name, text in {
        ".ignore": "*.json\nkeep.log\n",
        ".gitignore": "empty.txt\n",
        "around/.rgignore": "tree/\nbinary.bin\n!data.json\n",
        "around/.gitignore": "utf16.txt\n",
    }.items():
        (tmp_path / name).write_text(text)
    if repository:
        (tmp_path / repository / ".git").mkdir()
    for folder in (tree, tree / "src"):
        query = FileQuery(folder=folder, respect_ignore=True)
        wanted = await Ripgrep(governor, environment=ENV, program=found_rg()).files(query)
        assert sorted((await slow.files(query)).files) == sorted(wanted.files)


ABOVE = (
    "*", "/*", "**", "tree", "tree/", "/tree", "/tree/*", "/tree/**", "**/tree/**", "**/tree/", "tree/**",
    "*/", "**/", "**/*", "src", "/tree/src/deep/", "*\n!b.py", "*\n!*.py", "*\n!*/\n!b.py", "*\n!/tree/",
    "/tree/**\n!tree/src/", "tree/**\n!tree/a.py", "!tree\ntree/",
)  # fmt: skip
"""What an ignore file above the folder that is searched may say, of that folder also."""


@pytest.mark.parametrize("lines", ABOVE)
async def test_what_is_said_above_of_the_folder_itself_counts_as_for_ripgrep(
    governor: Governor, slow: Ripgrep, tree: Path, lines: str
) -> None:
    again = tree / "src" / "tree" / "e.py"
    again.parent.mkdir()
    again.write_text("needle\n")
    (tree.parent / ".ignore").write_text(f"{lines}\n")
    for folder in (tree, tree / "src"):
        query = FileQuery(folder=folder, respect_ignore=True)
        wanted = await Ripgrep(governor, environment=ENV, program=found_rg()).files(query)
        assert sorted((await slow.files(query)).files) == sorted(wanted.files)


async def test_lines_of_an_ignore_file_that_are_no_patterns_switch_off_no_others(
    slow: Ripgrep, tree: Path
) -> None:
    (tree.parent / ".ignore").write_text("!\n[z-a]\n*.json\nx\\\n")
    found = await slow.files(FileQuery(folder=tree, respect_ignore=True))
    assert tree / "a.py" in found.files
    assert tree / "src" / "data.json" not in found.files


async def test_an_ignore_file_that_is_a_pipe_is_not_waited_for(
    slow: Ripgrep, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "TIME_LIMIT_S", 10)
    os.mkfifo(tree / "src" / ".ignore")
    found = await slow.files(FileQuery(folder=tree, glob="*.py", respect_ignore=True))
    assert tree / "src" / "b.py" in found.files
    assert not found.cut.timed_out


MATCHES = {
    "files": {},
    "lines": {"mode": "content"},
    "context": {"mode": "content", "before": 1, "after": 1, "glob": "*.py"},
    "counts": {"mode": "count"},
    "any case": {"mode": "content", "ignore_case": True, "file_type": "py"},
    "several lines": {"pattern": "needle.hay", "multiline": True, "mode": "count"},
    "line ends": {"pattern": "^needle$", "mode": "content"},
    "a dash": {"pattern": "-4", "mode": "content"},
}


@pytest.mark.parametrize("query", MATCHES.values(), ids=MATCHES.keys())
async def test_it_finds_what_ripgrep_finds(
    governor: Governor, slow: Ripgrep, tree: Path, query: dict[str, object]
) -> None:
    (tree / ".git/HEAD").touch()
    asked = dataclasses.replace(GrepQuery(pattern="needle", path=tree), **query)
    wanted = await Ripgrep(governor, environment=ENV, program=found_rg()).grep(asked)
    found = await slow.grep(asked)
    # A CRLF is a line end here, which "$" stands before.
    other_ends = "$" in asked.pattern
    assert sorted(found.files) == sorted(wanted.files)
    assert found.counts == wanted.counts
    hits = [hit for hit in found.hits if not (other_ends and hit.path.name == "a.py")]
    assert [(hit.path, hit.line, hit.is_match, hit.text[:500]) for hit in hits] == [
        (hit.path, hit.line, hit.is_match, hit.text[:500]) for hit in wanted.hits
    ]


async def test_a_single_file_can_be_searched(slow: Ripgrep, tree: Path) -> None:
    found = await slow.grep(GrepQuery(pattern="needle", path=tree / "src/b.py", mode="content"))
    assert [hit.line for hit in found.hits] == [2, 6]


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ({"pattern": "("}, "regex parse error"),
        ({"file_type": "nonsense"}, "invalid choice: 'nonsense'"),
        ({"glob": "{1..100000}"}, "error parsing glob"),
        ({"glob": "[z-a]"}, "error parsing glob"),
    ],
)
async def test_a_wrong_call_is_an_error_with_the_reason(
    slow: Ripgrep, tree: Path, query: dict[str, str], reason: str
) -> None:
    with pytest.raises(WorkspaceError, match=reason):
        await slow.grep(dataclasses.replace(GrepQuery(pattern="x", path=tree), **query))


async def test_an_expression_that_takes_for_ever_is_stopped_and_keeps_what_was_found(
    slow: Ripgrep, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "z.txt").write_text("a" * 60 + "!\n", encoding="utf-8")
    (tree / "aa.txt").write_text("aaab\n", encoding="utf-8")

    async def find(limit_s: float) -> GrepResult | None:
        monkeypatch.setattr(search, "TIME_LIMIT_S", limit_s)
        with suppress(WorkspaceError):  # it had not found anything yet
            return await slow.grep(GrepQuery(pattern="^(a+)+b?$(?<=b)", path=tree))

    found = await under_way(find, bool)
    assert found is not None
    assert found.cut.timed_out
    assert [path.name for path in found.files] == ["aa.txt"]


def found_rg() -> Path:
    """Return the ripgrep of these tests, before its places are hidden."""
    there = shutil.which("rg") or shutil.which(
        "rg", path=str(Path(__file__).parents[3] / ".venv/bin")
    )
    assert there is not None
    return Path(there)
