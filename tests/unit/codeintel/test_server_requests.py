"""What a language server asks of us, and which changes on the disk it is told."""

import sys
from dataclasses import replace
from pathlib import Path, PureWindowsPath
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pilotfish.codeintel.servers.disk_watch import bundles
from pilotfish.codeintel.servers.registry import BUILT_IN
from pilotfish.codeintel.servers.server import LanguageServer
from pilotfish.codeintel.servers.watchers import CHANGED, CREATED, DELETED, Watchers, glob_pattern

from tests.support.servers import FakeScript, Workshop, workshop
from tests.support.waiting import until

ROOT = Path("/work/shop")

WATCHED = "workspace/didChangeWatchedFiles"


def asking(tmp_path: Path, *asks: tuple[str, Any]) -> FakeScript:
    fake = FakeScript(tmp_path / "fake")
    fake.set(asks=asks)
    return fake


async def started(shop: Workshop) -> LanguageServer:
    path = shop.write("a.fk", "text\n")
    (found,) = await shop.pool.servers_for(path, shop.access)
    return await shop.pool.get(found, shop.access)


async def test_what_a_server_wants_to_change_is_refused_and_what_it_asks_is_answered(
    tmp_path: Path,
) -> None:
    file = tmp_path / "project" / "a.fk"
    place = {"line": 0, "character": 0}
    text = {"range": {"start": place, "end": place}, "newText": "gone"}
    fake = asking(
        tmp_path,
        ("workspace/applyEdit", {"edit": {"changes": {file.as_uri(): [text]}}}),
        ("workspace/configuration", {"items": [{"section": "a.b"}, {}]}),
        ("workspace/workspaceFolders", None),
        ("window/showDocument", {"uri": "https://example.com"}),
        ("window/workDoneProgress/create", {"token": 1}),
        ("workspace/inlayHint/refresh", None),
        ("window/somethingElse", {}),
    )
    async with workshop(tmp_path / "project", [fake.definition]) as shop:
        await started(shop)
        await until(lambda: len(fake.heard("answer")) == 7)
        answers: list[Any] = [one.get("result", one.get("error")) for one in fake.heard("answer")]
        applied, configuration, folders, shown, progress, refreshed, unknown = answers
        assert applied == {"applied": False, "failureReason": "Pilotfish makes its own edits."}
        assert configuration == [None, {}]
        assert folders == [{"uri": shop.root.as_uri(), "name": "project"}]
        assert (shown, progress, refreshed) == ({"success": False}, None, None)
        assert unknown["code"] == -32601
        assert file.read_text() == "text\n"


async def test_pyrefly_is_told_to_look_for_mistakes_with_the_interpreter_of_the_project(
    tmp_path: Path,
) -> None:
    (pyrefly,) = (one for one in BUILT_IN if one.name == "pyrefly")
    fake = asking(tmp_path, ("workspace/configuration", {"items": [{"section": "python"}]}))
    definition = replace(fake.definition, home="python", settings=pyrefly.settings)
    interpreter = tmp_path / "project" / ".venv" / "bin" / "python"
    interpreter.parent.mkdir(parents=True)
    interpreter.symlink_to(sys.executable)
    (interpreter.parents[1] / "pyvenv.cfg").touch()
    async with workshop(tmp_path / "project", [definition]) as shop:
        await started(shop)
        await until(lambda: bool(fake.heard("answer")))
        ((settings,),) = (one["result"] for one in fake.heard("answer"))
    assert settings["pythonPath"] == str(interpreter)
    assert settings["pyrefly"]["typeCheckingMode"] == "default"


def registering(watchers: Any) -> tuple[str, Any]:
    one = {"id": "w", "method": WATCHED, "registerOptions": {"watchers": watchers}}
    return "client/registerCapability", {"registrations": [one]}


async def test_a_server_is_told_of_the_changes_that_it_has_asked_for(tmp_path: Path) -> None:
    created_or_gone = {"globPattern": "**/*.{fk,toml}", "kind": 5}
    fake = asking(tmp_path, registering([created_or_gone]))
    async with workshop(tmp_path / "project", [fake.definition]) as shop:
        server = await started(shop)
        await until(lambda: bool(fake.heard("answer")))
        root = shop.root
        folders = {root / name for name in ("folder", "v1.2", "node.js")}
        server.files_changed({root / "notes.md": CREATED, root / "a.fk": CHANGED})
        server.files_changed({root / "sub" / "b.fk": CREATED, root / "x.log": CREATED})
        server.files_changed({root / "conf.toml": DELETED, root / "folder": CREATED}, folders)
        server.files_changed({root / "Makefile": CREATED, root / "v1.2": CREATED}, folders)
        server.files_changed({root / "node.js": CREATED, root / "v1.1": DELETED}, folders)
        await until(lambda: "v1.1" in str(fake.heard(WATCHED)))
        told = [
            (Path(change["uri"]).name, change["type"])
            for one in fake.heard(WATCHED)
            for change in one["changes"]
            if Path(change["uri"]).name != "a.fk"
        ]
        assert told == [
            ("b.fk", CREATED), ("conf.toml", DELETED), ("folder", CREATED), ("v1.2", CREATED),
            ("node.js", CREATED), ("v1.1", DELETED),
        ]  # fmt: skip


GLOBS = [
    ("**/*.py", "/work/shop/a.py", True),
    ("**/*.py", "/work/shop/a.pyc", False),
    ("**/*.{ts,tsx}", "/work/shop/src/a.tsx", True),
    ("**/*.{ts,tsx}", "/work/shop/src/a.jsx", False),
    ("/work/shop/**/*.rs", "/work/shop/src/lib.rs", True),
    ("/work/other/**/*.rs", "/work/shop/src/lib.rs", False),
    ("Cargo.toml", "/work/shop/Cargo.toml", True),
    ("Cargo.toml", "/work/shop/sub/Cargo.toml", False),
    ("src/?.[ch]", "/work/shop/src/a.c", True),
    ("src/?.[!ch]", "/work/shop/src/a.c", False),
    ("src/*.go", "/work/shop/src/deep/a.go", False),
    ("**/*.[c-h]", "/work/shop/a.d", True),
    ("**/*.[c-h]", "/work/shop/a.z", False),
    ("**/{go.mod,go.sum}", "/work/shop/go.sum", True),
    ({"baseUri": "file:///work/shop/src", "pattern": "*.go"}, "/work/shop/src/a.go", True),
    ({"baseUri": "file:///work/shop/src", "pattern": "*.go"}, "/work/shop/a.go", False),
    ({"baseUri": {"uri": "file:///work", "name": "w"}, "pattern": "**"}, "/work/x.go", True),
    ("**/*.{py", "/work/shop/any.txt", True),
    (7, "/work/shop/any.txt", True),
]


@pytest.mark.parametrize(("glob", "path", "wanted"), GLOBS)
def test_globs_mean_what_the_protocol_says(glob: Any, path: str, wanted: bool) -> None:
    watchers = Watchers(ROOT)
    assert not watchers.wants(Path(path), CHANGED)
    watchers.register("w", {"watchers": [{"globPattern": glob}]})
    assert watchers.wants(Path(path), CHANGED) is wanted
    watchers.unregister("w")
    assert not watchers.wants(Path(path), CHANGED)


WINDOWS_GLOBS = [
    ("c:/work/**/*.go", "C:\\work\\src\\a.go", True),
    ("C:\\work\\**\\*.go", "c:\\work\\src\\a.go", True),
    ("C:/other/**", "C:\\work\\src\\a.go", False),
    ("D:/work/**", "C:\\work\\src\\a.go", False),
    ("src/*.go", "c:\\work\\src\\a.go", True),
]


@pytest.mark.parametrize(("glob", "path", "wanted"), WINDOWS_GLOBS)
def test_absolute_globs_of_windows_begin_with_a_drive(glob: str, path: str, wanted: bool) -> None:
    watchers = Watchers(PureWindowsPath("C:\\work"))
    watchers.register("w", {"watchers": [{"globPattern": glob}]})
    assert watchers.wants(PureWindowsPath(path), CHANGED) is wanted


def told_of(changes: set[tuple[int, str]]) -> list[dict[Path, int]]:
    return [dict(one.changes) for one in bundles(changes)]


def test_a_file_that_went_and_came_again_is_told_as_gone_first(tmp_path: Path) -> None:
    """A change of branch removes a file and writes it anew; the watcher gives both, in no order."""
    back, gone = tmp_path / "back.py", tmp_path / "gone.py"
    back.write_text("")
    both = {(kind, str(path)) for kind in (CREATED, DELETED) for path in (back, gone)}
    assert told_of(both) == [{back: DELETED}, {back: CREATED, gone: DELETED}]


def test_a_new_file_that_was_written_to_is_new(tmp_path: Path) -> None:
    new = tmp_path / "new.py"
    new.write_text("")
    assert told_of({(CREATED, str(new)), (CHANGED, str(new))}) == [{new: CREATED}]


def test_the_files_of_a_folder_that_came_are_told_by_name(tmp_path: Path) -> None:
    """As after ``git mv`` or ``mv``: the watcher names the folder alone."""
    root = tmp_path / "v1.2"
    for name in ("a.py", "deep/b.py", "node_modules/x/c.js"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    (told,) = told_of({(CREATED, str(root)), (DELETED, str(tmp_path / "v1.1"))})
    assert told == {
        root: CREATED, root / "a.py": CREATED, root / "deep" / "b.py": CREATED,
        tmp_path / "v1.1": DELETED,
    }  # fmt: skip


def test_what_a_new_link_leads_to_is_not_told(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.py").write_text("")
    link = tmp_path / "link"
    link.symlink_to(elsewhere)
    (told,) = bundles({(CREATED, str(link))})
    assert (told.changes, told.folders) == ({link: CREATED}, {link})


def test_new_folders_count_towards_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pilotfish.codeintel.servers.disk_watch.MAX_CAME_ALONG", 3)
    root = tmp_path / "new"
    deepest = root / "a" / "b" / "c"
    deepest.mkdir(parents=True)
    (root / "told.py").write_text("")
    (deepest / "left_out.py").write_text("")
    assert told_of({(CREATED, str(root))}) == [{root: CREATED, root / "told.py": CREATED}]


def test_the_watcher_says_which_of_the_new_are_folders(tmp_path: Path) -> None:
    """It asks the disk beside the event loop, and what it may not look at is no folder."""
    folder, file, hidden = (tmp_path / name for name in ("v1.2", "Makefile", "a" * 5_000))
    folder.mkdir()
    file.write_text("")
    (told,) = bundles({(CREATED, str(path)) for path in (folder, file, hidden)})
    assert told.changes == dict.fromkeys((folder, file, hidden), CREATED)
    assert told.folders == {folder}


NONSENSE: list[Any] = [None, {}, {"watchers": []}, {"watchers": [{}] * 501}, "x"]


@pytest.mark.parametrize("options", NONSENSE)
def test_a_registration_that_makes_no_sense_is_for_everything(options: Any) -> None:
    watchers = Watchers(ROOT)
    watchers.register("w", options)
    assert watchers.wants(ROOT / "any.txt", CREATED)


@example("[?--]", "a")
@example("{a,a}" * 60 + "b", "a" * 60)
@example("*a" * 20 + "b", "a" * 200)
@example("[a--b][[&&~~||]]", "a")
@given(st.text(alphabet="*?{}[]!,/-^\\ab.", max_size=60), st.text(alphabet="ab./-", max_size=60))
def test_no_glob_breaks_or_stalls_the_matching(glob: str, path: str) -> None:
    glob_pattern(glob).match(path)
