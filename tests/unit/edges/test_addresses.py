"""Addresses of the editor's files: what can be none, and whose spelling answers have."""

import threading
from pathlib import Path

import pytest
from lsprotocol import types
from pilotfish.codeintel.document_features import DocumentText
from pilotfish.edges.lsp import addresses, code_features
from pilotfish.edges.lsp.addresses import Spelling, path_of, real_path_of, spelled_below, uri_of
from pilotfish.edges.lsp.code_features import CodeFeatures
from pilotfish.edges.lsp.feature_gate import FeatureGate
from pilotfish.util.real_path import real_path
from pygls.lsp.server import LanguageServer


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:a.py",
        "file://[x/a.py",
        "file:///a\ud800.py",
        "file:///a%00.py",
        "file://[/",
        "file:",
    ],
)
def test_what_can_be_no_file_has_no_path(uri: str) -> None:
    assert path_of(uri) is None
    assert real_path_of(uri) is None


def test_a_name_that_is_no_text_is_a_path() -> None:
    assert path_of("file:///a\udc80.py") == Path("/a\udc80.py")


@pytest.mark.parametrize("name", ["/a\ud800.py", "/a\0.py"])
def test_what_can_be_no_path_stays_as_it_is(name: str) -> None:
    assert real_path(Path(name)) == Path(name)


@pytest.fixture
def link(tmp_path: Path) -> Path:
    (tmp_path / "real" / "part").mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real")
    return link


def test_of_two_names_of_an_open_folder_the_real_one_is_meant(link: Path) -> None:
    real = link.resolve()
    for folders in ([link, real], [real, link]):
        assert spelled_below(folders)(real / "a.py") == uri_of(real / "a.py")
    assert spelled_below([link])(real / "a.py") == uri_of(link / "a.py")


def test_a_folder_within_another_one_is_spelled_as_itself(link: Path) -> None:
    real = link.resolve()
    for folders in ([link, real / "part"], [real / "part", link]):
        spelled = spelled_below(folders)
        assert spelled(real / "part" / "a.py") == uri_of(real / "part" / "a.py")
        assert spelled(real / "a.py") == uri_of(link / "a.py")


async def test_places_that_the_editor_asks_about_are_not_looked_up_on_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[str] = []

    def look(uri: str) -> Path | None:
        assert threading.current_thread() is not threading.main_thread()
        looked.append(uri)
        return path_of(uri)

    monkeypatch.setattr(code_features, "real_path_of", look)

    def is_open(_: CodeFeatures, uri: str) -> DocumentText:
        return DocumentText(key=uri, path=Path("a.py"), language_id="python", text="")

    def no_roots(_: LanguageServer) -> tuple[Path, ...]:
        return ()

    monkeypatch.setattr(code_features, "roots_of", no_roots)
    monkeypatch.setattr(CodeFeatures, "text_of", is_open)
    features = CodeFeatures(
        LanguageServer("test", "1"),
        lambda: None,
        FeatureGate.__new__(FeatureGate),  # who is served is not asked here
        lambda _: False,
        knows_forests=True,
    )
    place, uri = types.Position(0, 0), "file:///far/a.py"
    nowhere = types.Range(place, place)
    item = types.CallHierarchyItem("f", types.SymbolKind.Function, uri, nowhere, nowhere)
    document = types.TextDocumentIdentifier(uri)
    assert await features.hover(types.HoverParams(document, place)) is None
    assert await features.definition(types.DefinitionParams(document, place)) is None
    assert await features.rename(types.RenameParams(document, place, "g")) is None
    assert await features.incoming_calls(types.CallHierarchyIncomingCallsParams(item)) is None
    assert looked == [uri] * 4


async def test_folders_are_looked_up_once_and_not_on_the_loop(
    link: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[Path] = []

    def look(path: Path) -> Path:
        assert threading.current_thread() is not threading.main_thread()
        looked.append(path)
        return real_path(path)

    monkeypatch.setattr(addresses, "real_path", look)
    spelling, real = Spelling(), link.parent / "real"
    file = real / "a.py"
    for _ in range(3):
        assert (await spelling.below((link,)))(file) == uri_of(link / "a.py")
    assert looked == [link]
    assert (await spelling.below(()))(file) == uri_of(file)
    assert (await spelling.below((real,)))(file) == uri_of(file)
