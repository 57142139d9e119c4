"""From uses to definitions and back in many languages, by the index, as a plain LSP client asks.

Files have line ends of Windows, and characters that are two UTF-16 units long before each use. Lines and
characters are counted from 0, by hand.
"""

from collections.abc import AsyncIterator, Generator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.support.lsp_client import start_client
from tests.support.waiting import until_answer

pytestmark = pytest.mark.asyncio(loop_scope="session")

Place = tuple[str, int, int]
"""File, line, character."""


class Sample(NamedTuple):
    """Two files: one defines a name, the other uses it."""

    language: str
    name: str
    defined: Place
    text: str
    used: list[Place]
    using_text: str
    hover: tuple[str, ...]


class Project(NamedTuple):
    """A folder with all samples, and an editor that has none of them open."""

    client: LanguageClient
    uri: str


SAMPLES = [
    Sample(
        "python", "double_py", ("pylib.py", 1, 4),
        '"""😀"""\ndef double_py(x):\n    """Twice."""\n    return x * 2\n',
        [("pyuse.py", 0, 18), ("pyuse.py", 2, 12)],
        "from pylib import double_py\n\nprint('😀', double_py(2))\n",
        ("def double_py(x)", "Twice."),
    ),
    Sample(
        "typescript", "doubleTs", ("tslib.ts", 1, 16),
        "/** 😀 Twice. */\nexport function doubleTs(x: number): number {\n  return x * 2;\n}\n",
        [("tsuse.ts", 0, 9), ("tsuse.ts", 1, 18)],
        "import { doubleTs } from './tslib';\nconsole.log('😀', doubleTs(2));\n",
        ("function doubleTs(x: number): number", "😀 Twice."),
    ),
    Sample(
        "go", "doubleGo", ("golib.go", 3, 5),
        "package main\n\n// 😀 Twice.\nfunc doubleGo(x int) int { return x * 2 }\n",
        [("gouse.go", 2, 28)],
        'package main\n\nfunc main() { println("😀", doubleGo(2)) }\n',
        ("func doubleGo(x int) int", "😀 Twice."),
    ),
    Sample(
        "rust", "double_rs", ("rslib.rs", 1, 7),
        "/// 😀 Twice.\npub fn double_rs(x: i32) -> i32 { x * 2 }\n",
        [("rsuse.rs", 0, 11), ("rsuse.rs", 1, 22)],
        'use rslib::double_rs;\nfn main() { log("😀", double_rs(2)); }\n',
        ("fn double_rs(x: i32) -> i32", "😀 Twice."),
    ),
    Sample(
        "java", "doubleJava", ("Doubler.java", 2, 13),
        "class Doubler {\n  /** 😀 Twice. */\n  static int doubleJava(int x) { return x * 2; }\n}\n",
        [("UseIt.java", 1, 26)],
        'class UseIt {\n  int y = f("😀", Doubler.doubleJava(2));\n}\n',
        ("static int doubleJava(int x)", "😀 Twice."),
    ),
    Sample(
        "c", "double_c", ("clib.c", 1, 4),
        "/* 😀 Twice. */\nint double_c(int x) { return x * 2; }\n",
        [("cuse.c", 0, 32)],
        'int main(void) { return f("😀", double_c(2)); }\n',
        ("int double_c(int x)", "😀 Twice."),
    ),
    Sample(
        "cpp", "doubleCpp", ("cpplib.cpp", 1, 4),
        "// 😀 Twice.\nint doubleCpp(int x) { return x * 2; }\n",
        [("cppuse.cpp", 0, 25)],
        'int g() { return f("😀", doubleCpp(2)); }\n',
        ("int doubleCpp(int x)", "😀 Twice."),
    ),
    Sample(
        "ruby", "double_rb", ("rblib.rb", 1, 4),
        "# 😀 Twice.\ndef double_rb(x)\n  x * 2\nend\n",
        [("rbuse.rb", 0, 11)],
        "puts '😀', double_rb(2)\n",
        ("def double_rb(x)", "😀 Twice."),
    ),
    Sample(
        "csharp", "DoubleCs", ("Cslib.cs", 2, 20),
        "class Cslib {\n  /// 😀 Twice.\n  public static int DoubleCs(int x) { return x * 2; }\n}\n",
        [("Csuse.cs", 1, 24)],
        'class Csuse {\n  int y = f("😀", Cslib.DoubleCs(2));\n}\n',
        ("public static int DoubleCs(int x)", "😀 Twice."),
    ),
    Sample(
        "php", "doublePhp", ("phplib.php", 2, 9),
        "<?php\n/** 😀 Twice. */\nfunction doublePhp($x) { return $x * 2; }\n",
        [("phpuse.php", 1, 11)],
        "<?php\necho '😀', doublePhp(2);\n",
        ("function doublePhp($x)", "😀 Twice."),
    ),
    Sample(
        "haskell", "doubleHs", ("Hslib.hs", 2, 0),
        "module Hslib where\n-- | 😀 Twice.\ndoubleHs :: Int -> Int\ndoubleHs 0 = 0\ndoubleHs x = x * 2\n",
        [("Hsuse.hs", 1, 14), ("Hsuse.hs", 2, 18)],
        "module Hsuse where\nimport Hslib (doubleHs)\nmain = log \"😀\" $ doubleHs 2\n",
        ("doubleHs :: Int -> Int", "😀 Twice."),
    ),
    Sample(
        "elixir", "DoubleEx", ("exlib.ex", 0, 15),
        "defmodule Many.DoubleEx do\n  @moduledoc \"😀 Twice.\"\n  def of(x), do: x * 2\nend\n",
        [("exuse.exs", 0, 19), ("exuse.exs", 1, 14)],
        "IO.puts(\"😀\", Many.DoubleEx.of(2))\nIO.puts(\"😀\", DoubleEx.of(2))\n",
        ("defmodule Many.DoubleEx", "😀 Twice."),
    ),
    Sample(
        "dart", "doubleDart", ("dartlib.dart", 1, 4),
        "/// 😀 Twice.\nint doubleDart(int x) {\n  return x * 2;\n}\n",
        [("dartuse.dart", 1, 22)],
        "import 'dartlib.dart';\nvoid main() { f('😀', doubleDart(2)); }\n",
        ("int doubleDart(int x)", "😀 Twice."),
    ),
    Sample(
        "zig", "doubleZig", ("ziglib.zig", 2, 7),
        "const std = 1;\n/// 😀 Twice.\npub fn doubleZig(x: i32) i32 {\n    return x * 2;\n}\n",
        [("ziguse.zig", 0, 31)],
        'pub fn main() void { log("😀", doubleZig(2)); }\n',
        ("fn doubleZig(x: i32) i32", "😀 Twice."),
    ),
    Sample(
        "ocaml", "double_ml", ("mllib.ml", 1, 4),
        "(** 😀 Twice. *)\nlet double_ml x = x * 2\n",
        [("mluse.ml", 0, 25)],
        'let () = log "😀" (Mllib.double_ml 2)\n',
        ("double_ml x", "😀 Twice."),
    ),
    Sample(
        "julia", "double_jl", ("jllib.jl", 1, 9),
        '"😀 Twice."\nfunction double_jl(x::Int)\n    x * 2\nend\n',
        [("jluse.jl", 0, 14)],
        'println("😀", double_jl(2))\n',
        ("function double_jl(x::Int)", "😀 Twice."),
    ),
]  # fmt: skip
ids = [sample.language for sample in SAMPLES]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def project(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Project]:
    folder = tmp_path_factory.mktemp("many")
    for sample in SAMPLES:
        for (name, *_), text in (
            (sample.defined, sample.text),
            (sample.used[0], sample.using_text),
        ):
            (folder / name).write_bytes(text.replace("\n", "\r\n").encode())
    client = await start_client(folder, types.ClientCapabilities())
    made = Project(client, folder.as_uri())

    async def is_ready() -> bool:
        # Names are there before uses, and the files come in several lots.
        counts = [len(await uses_of(made, sample)) for sample in SAMPLES]
        return counts == [1 + len(sample.used) for sample in SAMPLES]

    await until_answer(is_ready, limit_s=60)
    yield made
    await client.shutdown_session()
    await client.stop()


@contextmanager
def opened(
    project: Project, sample: Sample, place: Place
) -> Generator[tuple[types.TextDocumentIdentifier, types.Position]]:
    """Open the file of a place, no other; gives what a question is about: one character into the name."""
    name, line, character = place
    uri = f"{project.uri}/{name}"
    text = (sample.text if place == sample.defined else sample.using_text).replace("\n", "\r\n")
    item = types.TextDocumentItem(uri=uri, language_id=sample.language, version=1, text=text)
    project.client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    document = types.TextDocumentIdentifier(uri=uri)
    yield document, types.Position(line=line, character=character + 1)
    project.client.text_document_did_close(types.DidCloseTextDocumentParams(document))


async def uses_of(project: Project, sample: Sample) -> Sequence[types.Location]:
    """Ask for all uses of a sample's name, its definition included."""
    context = types.ReferenceContext(include_declaration=True)
    with opened(project, sample, sample.defined) as asked:
        found = await project.client.text_document_references_async(
            types.ReferenceParams(context, *asked)
        )
    return found or ()


def place_of(found: types.Location | types.LocationLink, name: str) -> Place:
    assert isinstance(found, types.Location)
    start, end = found.range.start, found.range.end
    assert (end.line, end.character) == (start.line, start.character + len(name))
    return found.uri.rpartition("/")[2], start.line, start.character


@pytest.mark.parametrize("sample", SAMPLES, ids=ids)
async def test_a_use_leads_to_the_definition(project: Project, sample: Sample) -> None:
    for use in sample.used:
        with opened(project, sample, use) as asked:
            found = await project.client.text_document_definition_async(
                types.DefinitionParams(*asked)
            )
        assert isinstance(found, list)
        assert [place_of(one, sample.name) for one in found] == [sample.defined]


@pytest.mark.parametrize("sample", SAMPLES, ids=ids)
async def test_a_definition_leads_to_its_uses(project: Project, sample: Sample) -> None:
    places = sorted(place_of(one, sample.name) for one in await uses_of(project, sample))
    assert places == sorted([sample.defined, *sample.used])


@pytest.mark.parametrize("sample", SAMPLES, ids=ids)
async def test_a_use_shows_signature_and_documentation(project: Project, sample: Sample) -> None:
    with opened(project, sample, sample.used[-1]) as asked:
        found = await project.client.text_document_hover_async(types.HoverParams(*asked))
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    for part in sample.hover:
        assert part in found.contents.value


CALLERS: dict[str, Place] = {
    "go": ("main", 2, 5),
    "rust": ("main", 1, 3),
    "c": ("main", 0, 4),
    "cpp": ("g", 0, 4),
    "haskell": ("main", 2, 0),
    "dart": ("main", 1, 5),
    "zig": ("main", 0, 7),
}
"""By language the function that holds the last use: name, line, character. Elsewhere no function does."""

CALLABLE = [sample for sample in SAMPLES if sample.language != "elixir"]
"""Those that define something that is called."""


@pytest.mark.parametrize("sample", SAMPLES, ids=ids)
async def test_a_name_is_found_in_the_project(project: Project, sample: Sample) -> None:
    found = await project.client.workspace_symbol_async(
        types.WorkspaceSymbolParams(query=sample.name)
    )
    assert found
    assert found[0].name == sample.name
    assert isinstance(found[0].location, types.Location)
    assert place_of(found[0].location, sample.name) == sample.defined


async def call_item(project: Project, sample: Sample) -> types.CallHierarchyItem:
    with opened(project, sample, sample.defined) as asked:
        (item,) = (
            await project.client.text_document_prepare_call_hierarchy_async(
                types.CallHierarchyPrepareParams(*asked)
            )
            or []
        )
    assert item.name == sample.name
    return item


@pytest.mark.parametrize("sample", CALLABLE, ids=lambda sample: sample.language)
async def test_a_definition_leads_to_who_calls_it_and_back(
    project: Project, sample: Sample
) -> None:
    item = await call_item(project, sample)
    incoming = types.CallHierarchyIncomingCallsParams(item)
    (call,) = await project.client.call_hierarchy_incoming_calls_async(incoming) or []
    file, line, character = sample.used[-1]
    name, *begin = CALLERS.get(sample.language, (file, 0, 0))
    assert (call.from_.name, call.from_.uri) == (name, f"{project.uri}/{file}")
    assert call.from_.selection_range.start == types.Position(*begin)
    use = types.Range(
        types.Position(line, character), types.Position(line, character + len(sample.name))
    )
    assert list(call.from_ranges) == [use]
    if sample.language not in CALLERS:
        return
    outgoing = types.CallHierarchyOutgoingCallsParams(call.from_)
    called = await project.client.call_hierarchy_outgoing_calls_async(outgoing) or ()
    assert [(one.to.name, one.to.uri, list(one.from_ranges)) for one in called] == [
        (sample.name, item.uri, [use])
    ]
