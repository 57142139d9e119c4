"""What our own language servers know of code, and what the dialog hears from them before an edit."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.codeintel.preflight import preflight
from pilotfish.codeintel.servers.code import LanguageServerSource
from pilotfish.codeintel.servers.convert import (
    read_calls,
    read_document_symbols,
    read_hover,
    read_locations,
    read_workspace_edit,
    read_workspace_symbols,
)
from pilotfish.codeintel.servers.findings import read_problems
from pilotfish.codeintel.servers.patience import Bench, Patience, none_may_start
from pilotfish.codeintel.servers.registry import BUILT_IN
from pilotfish.core.calls import PreparedCall, ToolCall
from pilotfish.core.effects import Effects
from pilotfish.core.ids import ToolUseId
from pilotfish.core.jsontypes import JsonObject, JsonValue
from pilotfish.core.permission import FilePreview, Preflight
from pilotfish.ports.code import Location, Position, Span
from pilotfish.session.code_servers import text_on_disk

from tests.support.servers import FakeScript, Workshop, workshop
from tests.support.waiting import WAIT_S, until

LIB = 'def greet(name: str) -> str:\n    """Say hello."""\n    return "hello " + name\n'
MAIN = 'from lib import greet\n\n\ndef main() -> None:\n    x = "😀"; greet("x")\n'


def span(line: int, start: int, end: int) -> Span:
    return Span(Position(line, start), Position(line, end))


@pytest.fixture
async def python(tmp_path: Path) -> AsyncGenerator[Workshop]:
    table = [one for one in BUILT_IN if one.name == "ty"]
    async with workshop(tmp_path / "project", table) as shop:
        shop.write("lib.py", LIB)
        shop.write("main.py", MAIN)
        yield shop


def source_of(shop: Workshop) -> LanguageServerSource:
    return LanguageServerSource(shop.reach)


async def test_definitions_references_and_hover_cross_files(python: Workshop) -> None:
    source, root = source_of(python), python.root
    at = Position(4, 16)  # after a character of two UTF-16 units
    assert await source.locate("definition", root / "main.py", at) == [
        Location(root / "lib.py", span(0, 4, 9))
    ]
    found = await source.locate("references", root / "lib.py", Position(0, 5))
    assert found is not None
    assert sorted(found) == [
        Location(root / "lib.py", span(0, 4, 9)),
        Location(root / "main.py", span(0, 16, 21)),
        Location(root / "main.py", span(4, 14, 19)),
    ]
    hover = await source.hover(root / "main.py", at)
    assert hover is not None
    assert "greet(name: str) -> str" in hover
    assert "Say hello." in hover


async def test_symbols_calls_and_renames(python: Workshop) -> None:
    source, root = source_of(python), python.root
    symbols = await source.document_symbols(root / "lib.py")
    assert symbols is not None
    assert [(one.name, one.kind, one.name_span) for one in symbols] == [
        ("greet", "function", span(0, 4, 9))
    ]
    found = await source.workspace_symbols("gree", 10)
    assert found is not None
    assert "greet" in [one.name for one in found]
    links = await source.calls("incoming", root / "lib.py", Position(0, 5))
    assert links is not None
    assert ("main", (span(4, 14, 19),)) in [(one.symbol.name, one.sites) for one in links]
    changes = await source.rename(root / "lib.py", Position(0, 5), "salute")
    assert changes is not None
    assert {
        (one.path.name, change.span, change.new_text) for one in changes for change in one.changes
    } == {
        ("lib.py", span(0, 4, 9), "salute"),
        ("main.py", span(0, 16, 21), "salute"),
        ("main.py", span(4, 14, 19), "salute"),
    }
    assert (root / "lib.py").read_text() == LIB


async def test_what_is_asked_is_about_the_files_as_they_are_now(python: Workshop) -> None:
    source, root = source_of(python), python.root
    await source.hover(root / "lib.py", Position(0, 5))
    await source.hover(root / "main.py", Position(4, 16))
    python.write("lib.py", "\n\n" + LIB)
    python.write("main.py", "\n" + MAIN)
    assert await source.locate("definition", root / "main.py", Position(5, 16)) == [
        Location(root / "lib.py", span(2, 4, 9))
    ]


async def test_a_server_that_cannot_tell_leaves_the_question_to_others(
    tmp_path: Path,
) -> None:
    fake = FakeScript(tmp_path / "fake")
    async with workshop(tmp_path / "project", [fake.definition]) as shop:
        path = shop.write("a.fk", "text\n")
        source = source_of(shop)
        assert await source.hover(path, Position(0, 0)) is None
        assert await source.hover(shop.write("b.other", "text\n"), Position(0, 0)) is None
        assert await source.workspace_symbols("x", 5) is None


HOVER = "textDocument/hover"


@asynccontextmanager
async def mute_server(tmp_path: Path) -> AsyncGenerator[tuple[FakeScript, Workshop, Path]]:
    """A server that runs, and says nothing to a hover."""
    fake = FakeScript(tmp_path / "fake")
    fake.set(can={"hoverProvider": True}, mute=[HOVER])
    async with workshop(tmp_path / "project", [fake.definition]) as shop:
        path = shop.write("a.fk", "text\n")
        (found,) = await shop.pool.servers_for(path, shop.access)
        await shop.pool.get(found, shop.access)
        yield fake, shop, path


async def test_a_server_that_was_waited_for_in_vain_is_left_out_for_a_while(tmp_path: Path) -> None:
    async with mute_server(tmp_path) as (fake, shop, path):
        bench = Bench(pause_s=3600.0)
        hasty = LanguageServerSource(shop.reach, Patience(limit_s=0.2, bench=bench))
        assert await hasty.hover(path, Position(0, 0)) is None
        fake.set(can={"hoverProvider": True}, answers={HOVER: {"contents": "here"}})
        patient = LanguageServerSource(shop.reach, Patience(limit_s=WAIT_S, bench=bench))
        assert await patient.hover(path, Position(0, 0)) is None
        # Its successor has kept nobody waiting.
        await shop.pool.stop_all()
        assert await patient.hover(path, Position(0, 0)) == "here"


async def test_a_server_is_asked_again_when_its_time_on_the_bench_is_over(tmp_path: Path) -> None:
    async with mute_server(tmp_path) as (fake, shop, path):
        bench = Bench(pause_s=0.0)
        hasty = LanguageServerSource(shop.reach, Patience(limit_s=0.2, bench=bench))
        assert await hasty.hover(path, Position(0, 0)) is None
        fake.set(answers={HOVER: {"contents": "here"}})
        patient = LanguageServerSource(shop.reach, Patience(limit_s=WAIT_S, bench=bench))
        assert await patient.hover(path, Position(0, 0)) == "here"


async def test_a_server_whose_files_changed_meanwhile_is_asked_again(tmp_path: Path) -> None:
    fake = FakeScript(tmp_path / "fake")
    answers, modified = {HOVER: {"contents": "here"}}, {HOVER: [-32801, -32802]}
    fake.set(can={"hoverProvider": True}, answers=answers, refuse_first=modified)
    async with workshop(tmp_path / "project", [fake.definition]) as shop:
        path = shop.write("a.fk", "text\n")
        source = LanguageServerSource(shop.reach, Patience(limit_s=WAIT_S))
        assert await source.hover(path, Position(0, 0)) == "here"


async def test_whoever_wants_no_answer_any_more_waits_no_longer(tmp_path: Path) -> None:
    async with mute_server(tmp_path) as (fake, shop, path):
        bench = Bench(pause_s=3600.0)
        source = LanguageServerSource(shop.reach, Patience(limit_s=3600.0, bench=bench))
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(source.hover(path, Position(0, 0)))
            await until(lambda: bool(fake.heard(HOVER)))
            asked.cancel()
        assert asked.cancelled()
        await until(lambda: bool(fake.heard("$/cancelRequest")))
        # That is no fault of the server's: the next one is asked as ever.
        fake.set(answers={HOVER: {"contents": "here"}})
        assert await source.hover(path, Position(0, 0)) == "here"


async def test_a_server_is_not_started_for_a_question_that_is_not_worth_it(tmp_path: Path) -> None:
    fake = FakeScript(tmp_path / "fake")
    fake.set(can={"hoverProvider": True}, answers={HOVER: {"contents": "here"}})
    async with workshop(tmp_path / "project", [fake.definition]) as shop:
        path = shop.write("a.fk", "text\n")
        source = LanguageServerSource(shop.reach, Patience(may_start=none_may_start))
        assert await source.hover(path, Position(0, 0)) is None
        assert fake.messages() == []
        (found,) = await shop.pool.servers_for(path, shop.access)
        await shop.pool.get(found, shop.access)
        assert await source.hover(path, Position(0, 0)) == "here"


# --- a server that loads the project ---


@asynccontextmanager
async def loading_server(tmp_path: Path, loads: str) -> AsyncGenerator[tuple[Workshop, Path]]:
    """A server that finds nothing as long as it loads the project."""
    fake = FakeScript(tmp_path / "fake")
    can = {"hoverProvider": True, "workspaceSymbolProvider": True}
    project = tmp_path / "project"
    symbols: list[JsonValue] = [
        a_symbol(name, file)
        for name, file in (
            ("greet_stub", tmp_path / "stubs" / "a.fk"),
            ("greet_package", project / ".venv" / "lib" / "site-packages" / "a.fk"),
            ("greet", project / "a.fk"),
        )
    ]
    answers: JsonObject = {HOVER: {"contents": "here"}, "workspace/symbol": symbols}
    fake.set(can=can, answers=answers, loads=loads)
    async with workshop(project, [fake.definition]) as shop:
        yield shop, shop.write("a.fk", "text\n")


def a_symbol(name: str, file: Path) -> JsonObject:
    place: JsonObject = {"line": 0, "character": 0}
    location: JsonObject = {"uri": file.as_uri(), "range": {"start": place, "end": place}}
    return {"name": name, "kind": 12, "location": location}


@pytest.mark.parametrize("loads", ["until asked", "unseen"])
async def test_a_server_that_loads_the_project_is_asked_again(tmp_path: Path, loads: str) -> None:
    async with loading_server(tmp_path, loads) as (shop, path):
        patience = Patience(limit_s=WAIT_S, settle_s=3600.0)
        source = LanguageServerSource(shop.reach, patience)
        assert await source.hover(path, Position(0, 0)) == "here"
        assert await source.loading(path) == []


async def test_symbols_of_a_project_are_waited_for_while_it_is_loaded(tmp_path: Path) -> None:
    async with loading_server(tmp_path, "until asked") as (shop, path):
        (found,) = await shop.pool.servers_for(path, shop.access)
        await shop.pool.get(found, shop.access)
        patience = Patience(limit_s=WAIT_S, settle_s=3600.0)
        symbols = await LanguageServerSource(shop.reach, patience).workspace_symbols("greet", 1)
        assert symbols is not None
        assert [one.name for one in symbols] == ["greet"], (
            "what is not the project's own is no news"
        )


async def test_a_server_that_goes_on_loading_is_not_believed_and_named(tmp_path: Path) -> None:
    async with loading_server(tmp_path, "for good") as (shop, path):
        (found,) = await shop.pool.servers_for(path, shop.access)
        server = await shop.pool.get(found, shop.access)
        source = LanguageServerSource(shop.reach, Patience(limit_s=1.0, settle_s=0.0))
        await until(lambda: server.working_on == "Reading all")
        assert await source.hover(path, Position(0, 0)) is None
        assert await source.workspace_symbols("greet", 5) is None
        assert await source.loading(path) == ["fake"]
        assert await source.loading(None) == ["fake"]


async def test_who_looks_on_does_not_wait_for_the_project_to_be_loaded(tmp_path: Path) -> None:
    async with loading_server(tmp_path, "for good") as (shop, path):
        patience = Patience(limit_s=3600.0, settle_s=3600.0, waits_for_load=False)
        source = LanguageServerSource(shop.reach, patience)
        assert await source.hover(path, Position(0, 0)) is None


# --- before an edit ---


def call(*previews: FilePreview) -> PreparedCall:
    return PreparedCall(
        call=ToolCall(id=ToolUseId("t"), name="Edit", input={}),
        tool="Edit",
        title="a.py",
        kind="edit",
        args=None,
        effects=Effects(),
        preview=previews[0] if len(previews) == 1 else None,
        batch=previews if len(previews) > 1 else (),
    )


def proposal(shop: Workshop, name: str, new: str) -> FilePreview:
    path = shop.root / name
    return FilePreview(path=str(path), old_text=text_on_disk(path), new_text=new)


async def test_the_dialog_counts_what_an_edit_would_break_in_callers_too(
    python: Workshop,
) -> None:
    await python.edited("other.py", "import lib\n\nlib.greet(1)\n")
    new = LIB.replace("name: str", "name: int").replace('"hello " + name', "str(name)")
    shown = await preflight(call(proposal(python, "lib.py", new)), python.preview)
    assert (shown.added, shown.fixed) == (1, 1)
    assert shown.lines[0].startswith("main.py:5: Argument to function `greet` is incorrect")
    # Nothing has happened: an edit of another file finds the project as it is.
    assert await python.edited("other.py", 'import lib\n\nlib.greet("x")\n') == (
        "The edit was applied; no diagnostics are new (fresh, from ty).\n"
        "(1 earlier diagnostics are gone.)"
    )


async def test_a_change_of_several_files_is_looked_at_as_a_whole(python: Workshop) -> None:
    await python.edited("other.py", "x = 1\n")
    both = call(
        proposal(python, "lib.py", LIB.replace("greet", "salute")),
        proposal(python, "main.py", MAIN.replace("greet", "salute")),
    )
    assert await preflight(both, python.preview) == Preflight()


async def test_a_new_file_is_gone_again_after_the_look(python: Workshop) -> None:
    await python.edited("other.py", "x = 1\n")
    new = FilePreview(path=str(python.root / "new.py"), old_text=None, new_text="x: int = 'a'\n")
    assert (await preflight(call(new), python.preview)).added == 1
    assert "new.py" not in await python.edited("other.py", "import new\n")


async def test_a_server_that_is_too_slow_leaves_the_dialog_to_the_syntax(tmp_path: Path) -> None:
    fake = FakeScript(tmp_path / "fake")
    async with workshop(tmp_path / "project", [fake.definition]) as shop:
        shop.write("a.fk", "fine\n")
        await shop.edited("a.fk", "fine too\n")
        fake.set(holds=True)
        shop.look_s = 0.3
        proposed = call(proposal(shop, "a.fk", "ERR(x)\n"))
        assert await preflight(proposed, shop.preview) == Preflight()
        fake.set()
        assert await shop.edited("a.fk", "fine again\n") == ""


async def test_a_server_that_hangs_holds_up_one_dialog_until_it_speaks_again(
    tmp_path: Path,
) -> None:
    fake = FakeScript(tmp_path / "fake")
    fake.set(pull=True)
    async with workshop(tmp_path / "project", [fake.definition]) as shop:
        shop.write("a.fk", "fine\n")
        await shop.edited("a.fk", "fine too\n")
        fake.set(pull=True, silent=True)
        shop.look_s = 0.3
        proposed = call(proposal(shop, "a.fk", "ERR(x)\n"))
        assert await preflight(proposed, shop.preview) == Preflight()
        asked = len(fake.heard("textDocument/diagnostic"))
        shop.look_s = 3600.0  # longer than a test may take
        assert await preflight(proposed, shop.preview) == Preflight()
        assert len(fake.heard("textDocument/diagnostic")) == asked
        fake.set(pull=True)
        assert await shop.edited("a.fk", "fine again\n") == ""
        proposed = call(proposal(shop, "a.fk", "ERR(x)\n"))
        assert (await preflight(proposed, shop.preview)).added == 1


async def test_a_server_that_pushes_is_believed_about_the_proposal_alone(tmp_path: Path) -> None:
    fake = FakeScript(tmp_path / "fake")
    for versions in (True, False):
        fake.set(versions=versions)
        async with workshop(tmp_path / f"project{versions}", [fake.definition]) as shop:
            shop.write("a.fk", "ERR(old)\n")
            await shop.edited("a.fk", "ERR(old)\n\n")
            shown = await preflight(call(proposal(shop, "a.fk", "ERR(new)\n")), shop.preview)
            assert shown == Preflight(lines=("a.fk:1: new",), added=1, fixed=1)
            assert await shop.edited("a.fk", "ERR(old)\n\n\n") == ""


# --- hostile answers ---

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(
        st.sampled_from([
            "uri", "range", "start", "end", "line", "character", "targetUri", "contents", "value",
            "changes", "documentChanges", "edits", "newText", "name", "kind", "children", "location",
            "selectionRange", "from", "fromRanges", "textDocument", "severity", "message",
            "targetSelectionRange",
        ]) | st.text(),
        inner,
    ),
)  # fmt: skip


@given(JSON)
def test_no_answer_whatever_breaks_the_reading(answer: JsonValue) -> None:
    read_locations(answer)
    read_hover(answer)
    read_document_symbols(answer, Path("/a"))
    read_workspace_symbols(answer, [Path("/")], 5)
    read_calls(answer, "from")
    read_workspace_edit(answer)
    read_problems(answer)


def test_calls_of_one_function_that_are_told_apart_are_one() -> None:
    def place(line: int) -> JsonValue:
        return {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 3}}

    def call(name: str, line: int, site: int) -> JsonValue:
        spans: JsonObject = {"range": place(line), "selectionRange": place(line)}
        item: JsonValue = {"name": name, "kind": 12, "uri": "file:///w/a.py", **spans}
        return {"from": item, "fromRanges": [place(site)]}

    found = read_calls([call("run", 1, 2), call("go", 5, 6), call("run", 1, 3)], "from")
    sites = [(one.symbol.name, [span.start.line for span in one.sites]) for one in found]
    assert sites == [("run", [2, 3]), ("go", [6])]


def test_a_rename_that_does_more_than_change_texts_is_refused() -> None:
    place: JsonValue = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
    text: JsonObject = {
        "textDocument": {"uri": "file:///w/a.py"},
        "edits": [{"range": place, "newText": "b"}],
    }
    move: JsonValue = {"kind": "rename", "oldUri": "file:///w/a.py", "newUri": "file:///w/b.py"}
    assert read_workspace_edit({"documentChanges": [text]}) is not None
    assert read_workspace_edit({"documentChanges": [text, move]}) is None
    assert read_workspace_edit({"changes": {"http://x/a.py": text["edits"]}}) is None
