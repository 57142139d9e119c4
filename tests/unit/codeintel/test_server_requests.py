"""What a language server asks of us, and which changes on the disk it is told."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pilotfish.codeintel.servers.server import CHANGED, CREATED, DELETED, LanguageServer
from pilotfish.codeintel.servers.watchers import Watchers, glob_pattern

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
        server.files_changed({root / "notes.md": CREATED, root / "a.fk": CHANGED})
        server.files_changed({root / "sub" / "b.fk": CREATED, root / "x.log": DELETED})
        server.files_changed({root / "conf.toml": DELETED, root / "folder": CREATED})
        await until(lambda: len(fake.heard(WATCHED)) >= 2)
        told = [
            (Path(change["uri"]).name, change["type"])
            for one in fake.heard(WATCHED)
            for change in one["changes"]
            if Path(change["uri"]).name != "a.fk"
        ]
        assert told == [("b.fk", CREATED), ("conf.toml", DELETED), ("folder", CREATED)]


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
