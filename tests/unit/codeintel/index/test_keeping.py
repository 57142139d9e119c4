"""The index agrees with the disk, whatever happens to either."""

import asyncio
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from pathlib import Path

import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pilotfish.codeintel.index import layout, waits
from pilotfish.codeintel.index import watch as watching
from pilotfish.codeintel.index.intake import FEW_FILES
from pilotfish.codeintel.index.layout import connect, index_file, open_for_writing
from pilotfish.codeintel.index.reading import read_files
from pilotfish.codeintel.index.rows import Depth, counts, known_files
from pilotfish.codeintel.index.selection import Listing, compare
from pilotfish.codeintel.index.watch import MAX_WATCHED_FOLDERS, Signs, watch_folders

from tests.support.full_disk import files_end_at, read_only
from tests.support.index_stage import IndexStage
from tests.support.waiting import WAIT_S, until, until_answer


async def test_code_is_found_and_nothing_else(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        (stage.root / ".git").mkdir()
        stage.write(".gitignore", "build/\n*_gen.py\n")
        stage.write("app.py", "def wanted(): ...\n")
        stage.write("deep/er/util.ts", "export function alsoWanted() {}\n")
        stage.write("build/out.py", "def ignored(): ...\n")
        stage.write("x_gen.py", "def generated(): ...\n")
        stage.write(".hidden/secret.py", "def hidden(): ...\n")
        stage.write("data.json", '{"def data": 1}')
        stage.write("notes.md", "def noted\n")
        stage.write("old.pl", "sub oldWanted { 1 }\n")
        stage.write("binary.py", "def binary(): ...\n\0")
        stage.write("large.py", "def large(): ...\n" + "#" * 1_000_001)
        (stage.root / "link.py").symlink_to(stage.root / "app.py")
        (stage.root / "loop").symlink_to(stage.root, target_is_directory=True)
        await stage.ready()
        assert sorted(await stage.names("")) == ["alsoWanted", "oldWanted", "wanted"]


async def test_changes_are_followed(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        stage.write("a.py", "def first(): ...\n")
        await stage.ready()
        assert await stage.names("first") == ["first"]
        stage.write("a.py", "def second(): ...\n")
        await stage.until_names(lambda names: names == ["second"])
        stage.write("new/b.py", "class Third: ...\n")
        await stage.until_names(lambda names: names == ["Third", "second"])
        (stage.root / "new").rename(stage.root / "moved")
        stage.write("moved/c.py", "class Fourth: ...\n")
        await stage.until_names(lambda names: names == ["Fourth", "Third", "second"])
        (third,) = await stage.symbols("Third")
        assert third.path == stage.root / "moved" / "b.py"
        shutil.rmtree(stage.root / "moved")
        await stage.until_names(lambda names: names == ["second"])


async def test_a_folder_of_hundreds_of_files_that_is_renamed_is_followed(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        for number in range(400):
            stage.write(f"old/part{number % 9}/m{number}.py", f"def f_{number:03}(): ...\n")
        stage.write("stays.py", "def stays(): ...\n")
        await stage.ready()
        expected = sorted([*(f"f_{number:03}" for number in range(400)), "stays"])
        for before, after in (("old", "new"), ("new", "old"), ("old", "deep")):
            (stage.root / before).rename(stage.root / after)
            there = stage.root / after

            async def have_moved(there: Path = there) -> bool:
                found = await stage.symbols("f_", 500)
                return len(found) == 400 and all(one.path.is_relative_to(there) for one in found)

            await until_answer(have_moved)
            assert sorted(await stage.names("", 500)) == expected


async def test_where_nothing_can_be_watched_all_is_looked_at_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def no_watch_left(*_: object, **__: object) -> AsyncGenerator[set[tuple[int, str]]]:
        raise OSError("OS file watch limit reached")
        yield set()

    monkeypatch.setattr(watching, "load_awatch", lambda: no_watch_left)

    def watch(folders: Sequence[Path], stop: asyncio.Event) -> Signs:
        return watch_folders(folders, stop, look_again_s=0.05)

    async with IndexStage.open(tmp_path, watch=watch) as stage:
        stage.write("a.py", "def first(): ...\n")
        await stage.ready()
        stage.write("b.py", "def second(): ...\n")
        await stage.until_names(lambda names: names == ["first", "second"])
        (stage.root / "a.py").unlink()
        await stage.until_names(lambda names: names == ["second"])


async def test_more_folders_than_can_be_watched_are_looked_at_now_and_then(tmp_path: Path) -> None:
    stop = asyncio.Event()
    many = [tmp_path] * (MAX_WATCHED_FOLDERS + 1)
    async with aclosing(watch_folders(many, stop, look_again_s=0.0)) as signs:
        assert [await anext(signs), await anext(signs)] == [None, None]
        stop.set()
        assert [one async for one in signs] == []


async def test_a_storm_of_changes_is_one_piece_of_work(tmp_path: Path) -> None:
    """A switch to a branch with other files in a real repository, and back."""

    async with IndexStage.open(tmp_path) as stage:

        def git(*arguments: str) -> None:
            identity = ["-c", "user.name=T", "-c", "user.email=t@example.com"]
            subprocess.run(
                ["git", *identity, *arguments], cwd=stage.root, check=True, capture_output=True
            )

        def fill(word: str, count: int) -> None:
            for number in range(count):
                stage.write(
                    f"part{number % 7}/m{number}.py", f"def {word}_{number}(): return {number}\n"
                )

        git("init", "-q", "-b", "main")
        fill("old", 300)
        git("add", ".")
        git("commit", "-qm", "one")
        git("checkout", "-qb", "other")
        fill("new", 260)
        shutil.rmtree(stage.root / "part6")
        stage.write("fresh/only.py", "def only_here(): ...\n")
        git("add", "-A")
        git("commit", "-qm", "two")
        await stage.ready()
        on_other = sorted(await stage.names("", 500))
        assert "only_here" in on_other
        assert not any(name.startswith("old_") and int(name[4:]) < 260 for name in on_other)
        git("checkout", "-q", "main")
        expected = sorted(f"old_{number}" for number in range(300))
        await stage.until_names(lambda names: names == expected)
        git("checkout", "-q", "other")
        await stage.until_names(lambda names: names == on_other)


async def test_only_so_many_files_are_taken_and_those_changed_last(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path, max_files=3) as stage:
        for number in range(6):
            os.utime(stage.write(f"m{number}.py", f"def f{number}(): ...\n"), (number, number))
        index = await stage.ready()
        assert sorted(await stage.names("")) == ["f3", "f4", "f5"]
        assert index.state.left_out == 3
        assert "3 files beyond the limit" in index.state.describe()


async def test_how_many_files_are_taken_may_change_while_the_index_is_kept(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path, max_files=3) as stage:
        for number in range(6):
            os.utime(stage.write(f"m{number}.py", f"def f{number}(): ...\n"), (number, number))
        index = await stage.ready()
        await stage.hub.add(
            stage.root / "part", "another", max_files=1
        )  # whose index it is, says it
        for limit, names in ((5, ["f1", "f2", "f3", "f4", "f5"]), (2, ["f4", "f5"])):
            assert await stage.hub.add(stage.root, "test", max_files=limit) is index
            await stage.until_names(lambda found, names=names: found == names)
            await until(lambda limit=limit: index.state.left_out == 6 - limit)


async def test_a_second_process_reads_what_the_first_one_keeps(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as first:
        first.write("a.py", "def shared(): ...\n")
        await first.ready()
        async with IndexStage.open(tmp_path) as second:
            index = await second.ready()
            assert index.state.phase == "reading"
            assert await second.names("shared") == ["shared"]
            first.write("a.py", "def changed(): ...\n")
            await second.until_names(lambda names: names == ["changed"])


async def test_a_damaged_database_is_made_anew(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        for number in range(40):
            stage.write(f"m{number}.py", f"def f{number}(): ...\n")
        await stage.ready()
    file = index_file(tmp_path / "state", tmp_path / "project")
    # As after a crash: nothing says that it was closed.
    connection = connect(file)
    connection.execute("UPDATE about SET value = 'yes' WHERE key = 'in_use'")
    connection.close()
    data = bytearray(file.read_bytes())
    data[4096:] = random.Random(1).randbytes(len(data) - 4096)
    file.write_bytes(data)
    async with IndexStage.open(tmp_path) as stage:
        await stage.ready()
        assert len(await stage.names("", 100)) == 40


async def test_no_database_at_all_but_rubbish(tmp_path: Path) -> None:
    file = index_file(tmp_path / "state", tmp_path / "project")
    file.parent.mkdir(parents=True)
    file.write_bytes(b"this is no database" * 1_000)
    async with IndexStage.open(tmp_path) as stage:
        stage.write("a.py", "def found(): ...\n")
        await stage.ready()
        assert await stage.names("found") == ["found"]


@pytest.mark.parametrize("fault", ["full", "read-only"])
async def test_a_disk_that_takes_nothing_costs_no_index(tmp_path: Path, fault: str) -> None:
    async with IndexStage.open(tmp_path) as stage:
        stage.write("a.py", "def found(): ...\n")
        await stage.ready()
    file = index_file(tmp_path / "state", tmp_path / "project")
    before = file.read_bytes()
    with files_end_at(1_000) if fault == "full" else read_only(file.parent):
        async with IndexStage.open(tmp_path) as stage:
            index = await stage.hub.add(stage.root, "test", max_files=stage.max_files)
            assert index is not None
            await until(lambda: index.state.phase == "failed")
            assert "make room, or mend the permissions" in index.state.problem
            assert not await index.is_half_built(), "nobody loads it: it is no use to wait"
            states: list[str] = []
            index.listen(lambda state: states.append(state.phase))
            async with asyncio.timeout(WAIT_S):
                for _ in range(3):
                    assert not await index.usable(10 * WAIT_S), (
                        "it is known at once that it is of no use"
                    )
                    assert await index.map(10 * WAIT_S) == []
            assert "make room" in index.failure
            assert states == [], "it is left alone for a while"
    assert file.read_bytes() == before
    async with IndexStage.open(tmp_path) as stage:
        await stage.ready()
        assert await stage.names("found") == ["found"]


async def test_an_index_that_failed_is_tried_again_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waits, "RETRY_S", 0.05)
    async with IndexStage.open(tmp_path) as stage:
        stage.write("a.py", "def found(): ...\n")
        (tmp_path / "state").write_text("no folder")
        index = await stage.hub.add(stage.root, "test", max_files=stage.max_files)
        assert index is not None
        await until(lambda: index.state.phase == "failed")
        assert await stage.source.workspace_symbols("found", 5) is None
        (why,) = await stage.source.failures(None)
        assert why.startswith("the workspace index has failed: it cannot be kept: ")
        (tmp_path / "state").unlink()

        async def is_found() -> bool:
            return bool(await stage.source.workspace_symbols("found", 5))

        await until_answer(is_found)
        assert await stage.source.failures(stage.root / "a.py") == []


async def test_a_worker_that_is_killed_is_survived_and_nothing_is_half_there(
    tmp_path: Path,
) -> None:
    async with IndexStage.open(tmp_path) as stage:
        for number in range(400):
            body = "".join(f"def f{number}_{at}(): return {at}\n" for at in range(40))
            stage.write(f"m{number}.py", body)
        index = await stage.hub.add(stage.root, "test")
        assert index is not None
        killed: list[int] = []

        def is_ready() -> bool:
            """Tell whether it is all there; kills three workers on the way."""
            workers = [one.pid for one in stage.governor.list() if one.purpose == "index"]
            fresh = [pid for pid in workers if pid not in killed]
            if index.state.phase == "full" and len(killed) < 3 and index.state.done and fresh:
                with suppress(ProcessLookupError):  # it had just ended
                    os.kill(fresh[0], signal.SIGKILL)
                killed.append(fresh[0])
            return index.state.phase == "ready"

        await until(is_ready)
        assert killed
        found = await index.ask(counts)
        assert found is not None
        assert found == (400, 0, 400 * 40)


async def test_a_build_that_is_killed_midway_is_finished_at_the_next_start(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    names = [f"m{number}.py" for number in range(700)]
    for name in names:
        (root / name).write_text("".join(f"def f{at}(): return {at}\n" for at in range(40)))
    database = index_file(tmp_path / "state", root)
    open_for_writing(database).close()
    job = tmp_path / "job"
    job.write_text("\0".join(names))
    worker = Path(layout.__file__).with_name("worker.py")
    arguments = [str(database), str(root), str(job), str(int(Depth.FULL))]
    with subprocess.Popen(  # noqa: ASYNC220 - nothing else runs here
        [sys.executable, "-I", str(worker), *arguments], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(b"+"):
                break
        process.kill()
    connection = connect(database)
    left = counts(connection)
    connection.close()
    assert 0 < left[0] < 700
    assert left[2] == left[0] * 40
    async with IndexStage.open(tmp_path) as stage:
        index = await stage.ready()
        assert await index.ask(counts) == (700, 0, 700 * 40)


async def test_closing_ends_the_workers(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        for number in range(300):
            stage.write(f"m{number}.py", "".join(f"def f{at}(): ...\n" for at in range(60)))
        index = await stage.hub.add(stage.root, "test")
        assert index is not None
        await until(lambda: bool(stage.governor.list()))
        pids = {one.pid for one in stage.governor.list()}
    assert not [pid for pid in pids if psutil.pid_exists(pid)]


NAMES = ["a.py", "b.py", "sub/c.py", "sub/d.ts", "sub/deep/e.go"]
STEP = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(NAMES), st.integers(0, 3)),
    st.tuples(st.just("delete"), st.sampled_from(NAMES), st.just(0)),
    st.tuples(st.just("touch"), st.sampled_from(NAMES), st.integers(1, 9)),
    st.tuples(st.just("move"), st.sampled_from(NAMES), st.integers(0, len(NAMES) - 1)),
    st.tuples(st.just("look"), st.just(""), st.integers(0, 1)),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, max_size=25))
def test_step_by_step_comes_to_the_same_as_from_scratch(
    tmp_path: Path, steps: list[tuple[str, str, int]]
) -> None:
    root = tmp_path / "project"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    database = tmp_path / "step.sqlite"
    database.unlink(missing_ok=True)
    connection = open_for_writing(database)
    all_steps = [*steps, ("look", "", 1), ("look", "", 1)]
    for clock, (what, name, number) in enumerate(all_steps, start=1_000):
        _do(root, what, name, number, clock)
        if what == "look":
            _look(connection, root, Depth(number))
    fresh = tmp_path / "fresh.sqlite"
    fresh.unlink(missing_ok=True)
    other = open_for_writing(fresh)
    _look(other, root, Depth.FULL)
    assert _everything(connection) == _everything(other)
    connection.close()
    other.close()


def _do(root: Path, what: str, name: str, number: int, clock: int) -> None:
    path = root / name
    if what == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_TEXTS[path.suffix].replace("N", str(number)))
    elif what == "delete":
        path.unlink(missing_ok=True)
    elif what == "move" and path.is_file():
        target = root / NAMES[number]
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)
        path = target
    if what != "look" and path.is_file():
        os.utime(path, (clock, clock))


_TEXTS = {
    ".py": "import os\nclass AN:\n    def runN(self): return other(AN)\nN = 1\n",
    ".ts": "import {x} from './m';\nexport class BN { mN(): x { return x(N); } }\n",
    ".go": "package main\nfunc fN() { gN() }\n",
}


def _look(connection: sqlite3.Connection, root: Path, depth: Depth) -> None:
    files = tuple(path for path in root.rglob("*") if path.is_file())
    difference = compare(root, Listing(files, complete=True), known_files(connection), 100)
    shallow = [one.path for one in known_files(connection).values() if one.depth is Depth.NAMES]
    wanted = [*difference.read, *difference.drop, *(shallow if depth is Depth.FULL else ())]
    read_files(connection, root, wanted, depth=depth)


def _everything(connection: sqlite3.Connection) -> list[object]:
    return [
        sorted(connection.execute("SELECT path, mtime_ns, size, digest, depth FROM files")),
        sorted(
            connection.execute(
                "SELECT path, number, name, kind, parent, start_line, end_line, name_line, "
                "name_character, signature, doc FROM symbols JOIN files ON files.id = file"
            )
        ),
        sorted(
            connection.execute(
                "SELECT uses.name, path, count FROM uses JOIN files ON files.id = uses.file"
            )
        ),
        sorted(connection.execute("SELECT path, data FROM sites JOIN files ON id = file")),
    ]


def test_few_is_less_than_a_storm() -> None:
    assert FEW_FILES < 260


async def test_an_index_ends_when_nobody_needs_it_any_more(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        stage.write("part/a.py", "def found(): ...\n")
        whole = await stage.hub.add(stage.root, "one")
        part = await stage.hub.add(stage.root / "part", "two")
        assert whole is part
        stage.hub.let_go("one")
        assert stage.hub.indexes() == (whole,)
        stage.hub.let_go("two")
        assert stage.hub.indexes() == ()


async def test_the_whole_disk_and_the_home_folder_are_not_indexed(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        assert await stage.hub.add(Path("/"), "test") is None
        assert await stage.hub.add(Path.home(), "test") is None
