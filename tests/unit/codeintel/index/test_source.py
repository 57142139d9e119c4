"""Answers by name and scope, each with the right place, from real files."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pilotfish.codeintel.index.build import Builder, BuildResult
from pilotfish.codeintel.index.intake import FEW_FILES
from pilotfish.codeintel.index.rows import Depth
from pilotfish.codeintel.index.workspace_index import WorkspaceIndex
from pilotfish.ports.code import CallLink, Location, Position

from tests.support.fake_editor import FakeEditor
from tests.support.index_stage import IndexStage, place_of
from tests.support.waiting import until

SHAPES = '''"""Shapes."""
import math


class Shape:
    """Something with an area."""

    def area(self) -> float:
        """Return the area in square metres."""
        raise NotImplementedError

    def describe(self) -> str:
        size = self.area()
        return f"{size}"


class Circle(Shape):
    def __init__(self, radius: float) -> None:
        self.radius = radius

    def area(self) -> float:
        return math.pi * square(self.radius)


def square(number: float) -> float:
    return number * number
'''

REPORT = """from shapes import Circle, square as sq


def report(radius):
    circle = Circle(radius)
    total = sq(radius)
    return circle.describe(), total


print(report(2))
"""

OTHER = """def square(side):
    return side


def square_user():
    return square(3)
"""


def lines(found: Sequence[Location] | None, root: Path) -> list[tuple[str, int, int]]:
    assert found is not None
    return [
        (one.path.relative_to(root).as_posix(), one.span.start.line + 1, one.span.start.character)
        for one in found
    ]


def callers(found: Sequence[CallLink] | None) -> list[tuple[str, str, list[int]]]:
    assert found is not None
    return [
        (one.symbol.path.name, one.symbol.name, [site.start.line + 1 for site in one.sites])
        for one in found
    ]


@pytest.fixture
async def stage(tmp_path: Path):  # noqa: ANN201 - a fixture
    async with IndexStage.open(tmp_path) as opened:
        opened.write("shapes.py", SHAPES)
        opened.write("report.py", REPORT)
        opened.write("far/away/other.py", OTHER)
        await opened.ready()
        yield opened


@pytest.mark.parametrize(
    ("file", "marked", "expected"),
    [
        ("report.py", "circle = Cir|cle(", [("shapes.py", 17, 6)]),
        ("report.py", "return circle.descr|ibe()", [("shapes.py", 12, 8)]),
        ("report.py", "total = s|q(radius)", [("shapes.py", 25, 4)]),
        ("report.py", "print(rep|ort(2))", [("report.py", 4, 4)]),
        ("report.py", "circle = Circle(rad|ius)", [("report.py", 4, 11)]),
        ("report.py", "describe(), tot|al", [("report.py", 6, 4)]),
        ("shapes.py", "class Circle(Sha|pe)", [("shapes.py", 5, 6)]),
        ("shapes.py", "size = self.ar|ea()", [("shapes.py", 8, 8)]),
        ("shapes.py", "math.pi * squ|are(", [("shapes.py", 25, 4)]),
        ("shapes.py", "square(self.rad|ius)", [("shapes.py", 19, 13)]),
        ("far/away/other.py", "return squ|are(3)", [("far/away/other.py", 1, 4)]),
        ("far/away/other.py", "def squ|are(side)", [("far/away/other.py", 1, 4)]),
    ],
)
async def test_definitions(
    stage: IndexStage, file: str, marked: str, expected: list[tuple[str, int, int]]
) -> None:
    path = stage.root / file
    found = await stage.source.locate("definition", path, place_of(path, marked))
    assert lines(found, stage.root) == expected


async def test_references_begin_in_the_own_file_and_hold_the_declaration(stage: IndexStage) -> None:
    path = stage.root / "shapes.py"
    found = await stage.source.locate("references", path, place_of(path, "def squ|are("))
    assert lines(found, stage.root) == [
        ("shapes.py", 22, 25),
        ("shapes.py", 25, 4),
        ("report.py", 1, 27),
        ("far/away/other.py", 6, 11),
    ]


async def test_references_of_a_parameter_stay_in_its_function(stage: IndexStage) -> None:
    path = stage.root / "report.py"
    found = await stage.source.locate("references", path, place_of(path, "total = sq(rad|ius)"))
    assert lines(found, stage.root) == [
        ("report.py", 4, 11), ("report.py", 5, 20), ("report.py", 6, 15),
    ]  # fmt: skip


async def test_a_hover_tells_signature_documentation_and_place(stage: IndexStage) -> None:
    path = stage.root / "shapes.py"
    text = await stage.source.hover(path, place_of(path, "size = self.ar|ea()"))
    assert text == (
        "```python\ndef area(self) -> float\n```\n\nReturn the area in square metres.\n\n"
        "*method* in `Shape` — `shapes.py:8`"
    )


async def test_calls_in_and_out(stage: IndexStage) -> None:
    path = stage.root / "shapes.py"
    into = await stage.source.calls("incoming", path, place_of(path, "def describe(se|lf)"))
    assert into == [] or into is None
    into = await stage.source.calls("incoming", path, place_of(path, "def descr|ibe(self)"))
    assert callers(into) == [("report.py", "report", [7])]
    report = stage.root / "report.py"
    into = await stage.source.calls("incoming", report, place_of(report, "def rep|ort("))
    assert callers(into) == [("report.py", "report.py", [10])]
    out = await stage.source.calls("outgoing", report, place_of(report, "def rep|ort("))
    assert callers(out) == [
        ("shapes.py", "Circle", [5]), ("shapes.py", "square", [6]), ("shapes.py", "describe", [7]),
    ]  # fmt: skip


async def test_symbols_tell_container_signature_and_place(stage: IndexStage) -> None:
    first, second = [one for one in await stage.symbols("area") if one.name == "area"]
    assert (first.container, second.container) == ("Shape", "Circle")
    assert first.detail == "def area(self) -> float"
    assert first.kind == "method"
    assert (first.name_span.start.line, first.name_span.start.character) == (7, 8)


async def test_no_folder_crowds_out_the_others(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        stage.write("a.py", "".join(f"def total_{n:03}(): ...\n" for n in range(50)))
        other = tmp_path / "other"
        other.mkdir()
        (other / "b.py").write_text("def total_of_all(): ...\ndef grand_total(): ...\n")
        assert await stage.hub.add(other, "test") is not None
        await stage.ready()
        second = stage.hub.index_of(other / "b.py")
        assert second is not None
        await until(lambda: second.state.phase in {"ready", "reading"})
        # Those that begin with the query come before those that hold it, from whichever folder.
        assert await stage.names("total", limit=4) == [
            "total_000", "total_of_all", "total_001", "total_002"
        ]  # fmt: skip
        assert await stage.names("grand_total", limit=4) == ["grand_total"]


async def test_unsaved_text_counts(tmp_path: Path) -> None:
    editor = FakeEditor()
    async with IndexStage.open(tmp_path, editor) as stage:
        lib = stage.write("lib.py", "def helper(): ...\n")
        main = stage.write("main.py", "from lib import helper\nhelper()\n")
        await stage.ready()
        editor.open(lib, "# a new line\n\n\ndef helper(): ...\nhelper()\n")
        found = await stage.source.locate("definition", main, place_of(main, "\nhel|per()"))
        assert lines(found, stage.root) == [("lib.py", 4, 4)]
        found = await stage.source.locate("references", main, place_of(main, "\nhel|per()"))
        assert lines(found, stage.root) == [
            ("main.py", 1, 16), ("main.py", 2, 0), ("lib.py", 4, 4), ("lib.py", 5, 0),
        ]  # fmt: skip


async def test_symbols_of_unsaved_text_are_found_and_those_that_it_lacks_are_not(
    tmp_path: Path,
) -> None:
    editor = FakeEditor()
    async with IndexStage.open(tmp_path, editor) as stage:
        path = stage.write("a.py", "def on_disk(): ...\n")
        await stage.ready()
        assert await stage.names("on") == ["on_disk"]
        editor.open(path, "def only_typed(): ...\n")
        assert await stage.names("on") == ["only_typed"]
        editor.close(path)
        assert await stage.names("on") == ["on_disk"]


async def test_places_after_an_emoji_and_with_crlf_are_right(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        path = stage.write("a.py", 'x = 1\r\ny = ("🙂é", x)\r\n')
        await stage.ready()
        found = await stage.source.locate("definition", path, place_of(path, '"🙂é", |x)'))
        assert lines(found, stage.root) == [("a.py", 1, 0)]
        found = await stage.source.locate("references", path, place_of(path, "|x = 1"))
        assert lines(found, stage.root) == [("a.py", 1, 0), ("a.py", 2, 12)]


async def test_where_nothing_is_known_the_next_source_is_asked(stage: IndexStage) -> None:
    path = stage.root / "shapes.py"
    assert await stage.source.locate("implementation", path, place_of(path, "|class Shape")) is None
    assert await stage.source.locate("definition", path, place_of(path, '"""Sh|apes."""')) is None
    notes = stage.write("notes.txt", "square\n")
    assert await stage.source.hover(notes, place_of(notes, "squ|are")) is None
    outside = stage.state_folder / "x.py"
    assert await stage.source.hover(outside, place_of(path, "|class Shape")) is None


async def test_other_languages_do_not_answer_for_a_name(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        stage.write("a.go", "package a\nfunc shared() {}\n")
        stage.write("b.ts", "export function shared() {}\n")
        tsx = stage.write("c.tsx", "import { shared } from './b';\nshared();\n")
        await stage.ready()
        found = await stage.source.locate("definition", tsx, place_of(tsx, "\nsha|red()"))
        assert lines(found, stage.root) == [("b.ts", 1, 16)]


@asynccontextmanager
async def half_built_index(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[tuple[IndexStage, WorkspaceIndex, asyncio.Event]]:
    """Open an index that knows its files by names alone until the event is set."""
    may_go_on = asyncio.Event()
    real = Builder.read

    async def read(
        self: Builder, paths: Sequence[str], depth: Depth, tell: Callable[[int], None]
    ) -> BuildResult:
        if depth is Depth.FULL:
            await may_go_on.wait()
        return await real(self, paths, depth, tell)

    monkeypatch.setattr(Builder, "read", read)
    async with IndexStage.open(folder) as stage:
        for number in range(FEW_FILES + 1):
            stage.write(f"m{number}.py", f"def f{number}(): ...\n\n\nf{number}()\n")
        index = await stage.hub.add(stage.root, "test")
        assert index is not None
        await until(lambda: index.state.phase == "full")
        yield stage, index, may_go_on


def use_of_f7(stage: IndexStage) -> tuple[Path, Position]:
    path = stage.root / "m7.py"
    return path, place_of(path, "\n|f7()\n")


async def test_who_answers_from_a_half_built_index_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with half_built_index(tmp_path, monkeypatch) as (stage, index, may_go_on):
        path, use = use_of_f7(stage)
        for half_built in (True, False):
            said = ("the workspace index",) if half_built else ()
            assert (await stage.names("f7"))[0] == "f7"
            assert tuple(await stage.source.loading(None)) == said
            assert await stage.source.locate("definition", path, use)
            assert tuple(await stage.source.loading(path)) == said
            may_go_on.set()
            await until(lambda: index.state.phase == "ready")


async def test_each_of_several_who_ask_hears_that_the_index_is_half_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with half_built_index(tmp_path, monkeypatch) as (stage, _, _):
        path, use = use_of_f7(stage)
        all_have_asked = asyncio.Barrier(3)

        async def ask() -> list[str]:
            assert await stage.source.locate("definition", path, use)
            await all_have_asked.wait()
            return [*await stage.source.loading(path), *await stage.source.loading(path)]

        async def ask_of_project() -> list[str]:
            assert await stage.names("f7")
            await all_have_asked.wait()
            return [*await stage.source.loading(None)]

        heard = await asyncio.gather(ask(), ask(), ask_of_project())
        assert heard == [["the workspace index"]] * 3


async def test_no_rename_is_put_off_until_the_index_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It never renames; what it said of an earlier question is none of the rename's."""
    async with half_built_index(tmp_path, monkeypatch) as (stage, _, _):
        path, use = use_of_f7(stage)
        assert await stage.source.locate("definition", path, use)
        assert await stage.source.rename(path, use, "other") is None
        assert tuple(await stage.source.loading(path)) == ()
