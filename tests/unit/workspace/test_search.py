"""Searching with the real ripgrep, and with one that misbehaves."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from pathlib import Path

import pytest
from pilotfish.core.errors import WorkspaceError
from pilotfish.util.clock import SystemClock
from pilotfish.workspace import search, search_program
from pilotfish.workspace.process import Governor
from pilotfish.workspace.search import FileList, FileQuery, GrepQuery, Ripgrep

from tests.support.waiting import WAIT_S, under_way

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
        "a.py": "needle\nhay\nNeedle\n",
        "src/b.py": "hay\nneedle needle\nhay\n",
        "src/c.txt": "needle\n",
        ".hidden/d.py": "needle\n",
        ".git/config": "needle\n",
        "node_modules/e.py": "needle\n",
        ".gitignore": "node_modules\n",
        "long.txt": "needle" + "x" * 2000 + "\n",
        "we-ird:1:name.txt": "needle: 3-4\n",
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def program(tmp_path: Path, script: str) -> Path:
    path = tmp_path / "rg"
    path.write_text(f"#!/bin/bash\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def names(paths: tuple[Path, ...], root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in paths)


async def test_files_lists_hidden_and_ignored_ones_but_no_vcs_data(
    governor: Governor, tree: Path
) -> None:
    rg = Ripgrep(governor, environment=ENV)
    found = await rg.files(FileQuery(folder=tree, glob="**/*.py"))
    assert names(found.files, tree) == [".hidden/d.py", "a.py", "node_modules/e.py", "src/b.py"]
    everything = await rg.files(FileQuery(folder=tree))
    assert not [path for path in everything.files if ".git" in path.parts]


async def test_files_can_respect_ignore_files_and_exclude(governor: Governor, tree: Path) -> None:
    found = await Ripgrep(governor, environment=ENV).files(
        FileQuery(folder=tree, glob="*.py", respect_ignore=True, exclude=("src",))
    )
    assert "src/b.py" not in names(found.files, tree)
    assert "a.py" in names(found.files, tree)


async def test_grep_finds_files_lines_and_counts(governor: Governor, tree: Path) -> None:
    rg = Ripgrep(governor, environment=ENV)
    files = await rg.grep(GrepQuery(pattern="needle", path=tree, glob="*.py"))
    assert {"a.py", "src/b.py", ".hidden/d.py"} <= set(names(files.files, tree))
    content = await rg.grep(
        GrepQuery(pattern="needle", path=tree / "a.py", mode="content", ignore_case=True)
    )
    assert [(hit.line, hit.text, hit.is_match) for hit in content.hits] == [
        (1, "needle", True),
        (3, "Needle", True),
    ]
    counts = await rg.grep(GrepQuery(pattern="needle", path=tree / "src", mode="count"))
    assert counts.counts == ((tree / "src/b.py", 1), (tree / "src/c.txt", 1))


async def test_content_is_sorted_and_marks_context_and_gaps(governor: Governor, tree: Path) -> None:
    (tree / "gap.py").write_text("needle\n1\n2\n3\nneedle\n", encoding="utf-8")
    result = await Ripgrep(governor, environment=ENV).grep(
        GrepQuery(pattern="needle", path=tree, mode="content", glob="*.py", after=1)
    )
    paths = [hit.path for hit in result.hits]
    assert paths == sorted(paths)
    gap = [
        (hit.line, hit.is_match, hit.starts_group)
        for hit in result.hits
        if hit.path.name == "gap.py"
    ]
    assert [(line, match) for line, match, _ in gap] == [(1, True), (2, False), (5, True)]
    assert gap[2][2]


async def test_names_and_lines_that_look_like_separators_are_read_right(
    governor: Governor, tree: Path
) -> None:
    result = await Ripgrep(governor, environment=ENV).grep(
        GrepQuery(pattern="3-4", path=tree, mode="content")
    )
    (hit,) = result.hits
    assert (hit.path.name, hit.line, hit.text) == ("we-ird:1:name.txt", 1, "needle: 3-4")


async def test_pattern_may_begin_with_a_dash_and_span_lines(governor: Governor, tree: Path) -> None:
    (tree / "dash.txt").write_text("--flag\nnext\n", encoding="utf-8")
    rg = Ripgrep(governor, environment=ENV)
    dash = await rg.grep(GrepQuery(pattern="--flag", path=tree))
    assert names(dash.files, tree) == ["dash.txt"]
    spanning = await rg.grep(GrepQuery(pattern="flag.next", path=tree, multiline=True))
    assert names(spanning.files, tree) == ["dash.txt"]


async def test_long_line_is_cut_with_a_note(governor: Governor, tree: Path) -> None:
    result = await Ripgrep(governor, environment=ENV).grep(
        GrepQuery(pattern="needlex", path=tree, mode="content")
    )
    (hit,) = result.hits
    assert hit.text.startswith("needlexxx")
    assert len(hit.text) < 600
    assert "omitted" in hit.text


async def test_wrong_pattern_is_an_error_with_the_reason(governor: Governor, tree: Path) -> None:
    with pytest.raises(WorkspaceError, match=r"unclosed group|regex parse error"):
        await Ripgrep(governor, environment=ENV).grep(GrepQuery(pattern="(", path=tree))


async def test_configuration_file_of_the_user_is_not_read(
    governor: Governor, tree: Path, tmp_path: Path
) -> None:
    config = tmp_path / "rgrc"
    config.write_text("--glob=!*.py\n", encoding="utf-8")
    rg = Ripgrep(governor, environment={**ENV, "RIPGREP_CONFIG_PATH": str(config)})
    assert "a.py" in names((await rg.files(FileQuery(folder=tree))).files, tree)


async def test_time_limit_returns_what_is_there_without_the_cut_record(
    governor: Governor, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = program(tmp_path, r"printf './a.py\0./src/b.py\0./src/c'; exec sleep 1000")
    rg = Ripgrep(governor, environment=ENV, program=fake)

    async def listed(limit_s: float) -> FileList | None:
        monkeypatch.setattr(search, "TIME_LIMIT_S", limit_s)
        with suppress(WorkspaceError):  # it had not written anything yet
            return await rg.files(FileQuery(folder=tree))

    result = await under_way(listed, bool)
    assert result is not None
    assert names(result.files, tree) == ["a.py", "src/b.py"]
    assert result.cut.timed_out
    assert "stopped after" in result.cut.note()


async def test_time_limit_with_nothing_found_is_an_error(
    governor: Governor, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "TIME_LIMIT_S", 0.2)
    rg = Ripgrep(governor, environment=ENV, program=program(tmp_path, "exec sleep 60"))
    with pytest.raises(WorkspaceError, match="found nothing within"):
        await rg.files(FileQuery(folder=tree))


async def test_lack_of_threads_is_tried_again_with_one(
    governor: Governor, tree: Path, tmp_path: Path
) -> None:
    script = (
        'if [ "$1 $2 $3 $4 $5" = "--no-config --color=never --hidden -j 1" ]; then '
        r"printf './a.py\0'; else echo 'Resource temporarily unavailable (os error 11)' >&2; "
        "exit 2; fi"
    )
    rg = Ripgrep(governor, environment=ENV, program=program(tmp_path, script))
    assert names((await rg.files(FileQuery(folder=tree))).files, tree) == ["a.py"]


async def test_partial_failure_is_reported_beside_the_results(
    governor: Governor, tree: Path, tmp_path: Path
) -> None:
    script = r"printf './a.py\0'; echo 'rg: ./secret: Permission denied' >&2; exit 2"
    rg = Ripgrep(governor, environment=ENV, program=program(tmp_path, script))
    result = await rg.files(FileQuery(folder=tree))
    assert names(result.files, tree) == ["a.py"]
    assert "Permission denied" in result.cut.note()


async def test_program_in_a_relative_path_entry_is_never_used(
    governor: Governor, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "echo hijacked; exit 0")
    monkeypatch.chdir(tmp_path)
    rg = Ripgrep(governor, environment={"PATH": f".:{ENV['PATH']}"})
    assert names((await rg.files(FileQuery(folder=tree, glob="a.py"))).files, tree) == ["a.py"]


async def test_an_editors_own_that_hangs_is_not_waited_for(
    governor: Governor, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_program, "ANSWER_LIMIT_S", 0.2)
    hanging = program(tmp_path, "exec sleep 60")
    rg = Ripgrep(governor, environment=ENV, editors=str(hanging))
    found = await rg.files(FileQuery(folder=tree, glob="a.py"))
    assert names(found.files, tree) == ["a.py"]
    assert rg.program.refusal == "it does not answer."
    assert not rg.program.is_editors


@pytest.mark.parametrize("mode", ["files", "content", "count"])
async def test_the_loop_goes_on_while_what_was_found_is_read(
    governor: Governor, tree: Path, monkeypatch: pytest.MonkeyPatch, mode: search.GrepMode
) -> None:
    """Of a large folder it is 20 MB."""
    loop = asyncio.get_running_loop()
    came_round: list[bool] = []

    def slow(reads: Callable[[bytes, Path], object]) -> Callable[[bytes, Path], object]:
        def read(output: bytes, folder: Path) -> object:
            rounds = threading.Event()
            loop.call_soon_threadsafe(rounds.set)
            came_round.append(rounds.wait(WAIT_S))
            return reads(output, folder)

        return read

    for reader in ("parse_paths", "parse_counts", "parse_hits"):
        monkeypatch.setattr(search, reader, slow(getattr(search, reader)))
    rg = Ripgrep(governor, environment=ENV)
    assert (await rg.files(FileQuery(folder=tree))).files
    found = await rg.grep(GrepQuery(pattern="needle", path=tree, mode=mode))
    assert found.files or found.hits or found.counts
    assert came_round == [True, True]
