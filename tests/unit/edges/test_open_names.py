"""By which paths open documents are found, also while the disk gives no answer."""

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pilotfish.edges.lsp import open_names
from pilotfish.edges.lsp.addresses import path_of
from pilotfish.edges.lsp.open_names import MAX_HANGING, OpenNames, uri_opened_by
from pilotfish.util.real_path import real_path
from typing_extensions import override

from tests.support.waiting import WAIT_S, until


@pytest.fixture
def real(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "real"
    folder.mkdir()
    return folder


@pytest.fixture
def link(real: Path) -> Path:
    link = real.with_name("link")
    link.symlink_to(real)
    return link


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> OpenNames:
    monkeypatch.setattr(open_names, "LOOK_LIMIT_S", WAIT_S)
    return OpenNames(lambda: None)


@dataclass
class Disk:
    """Hangs for ``link`` until it is told to answer."""

    answers: threading.Event = field(default_factory=threading.Event)
    asked: list[Path] = field(default_factory=list[Path])

    def resolve(self, path: Path) -> Path:
        self.asked.append(path)
        if "link" in path.parts:
            assert threading.current_thread() is not threading.main_thread(), "the loop hangs"
            self.answers.wait()
        return real_path(path)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch, names: OpenNames) -> Iterator[Disk]:
    """Have the disk hang, which nobody waits long for."""
    assert names.paths() == ()
    disk = Disk()
    monkeypatch.setattr(open_names, "real_path", disk.resolve)
    monkeypatch.setattr(open_names, "LOOK_LIMIT_S", 0.01)
    yield disk
    disk.answers.set()


async def open_one(names: OpenNames, path: Path) -> str:
    uri = path.as_uri()
    await names.look_up(uri)
    names.opened(uri)
    return uri


async def test_what_is_open_is_found_by_its_name_and_where_it_lies(
    names: OpenNames, link: Path, real: Path
) -> None:
    uri = await open_one(names, link / "a.py")
    assert set(names.paths()) == {link / "a.py", real / "a.py"}
    assert names.uri_of(real / "a.py") == names.uri_of(link / "a.py") == uri
    names.closed(uri)
    assert names.paths() == ()


@pytest.mark.parametrize("is_link_first", [True, False])
async def test_of_two_names_of_a_file_each_means_its_own_document(
    names: OpenNames, link: Path, real: Path, is_link_first: bool
) -> None:
    named, lies = link / "a.py", real / "a.py"
    for path in (named, lies) if is_link_first else (lies, named):
        await open_one(names, path)
    assert names.uri_of(named) == named.as_uri()
    assert names.uri_of(lies) == lies.as_uri()
    names.closed(lies.as_uri())
    assert names.uri_of(lies) == named.as_uri(), "the other document is still that file"
    names.closed(named.as_uri())
    assert names.paths() == ()


async def test_two_addresses_of_one_name_are_two_documents(names: OpenNames, real: Path) -> None:
    uri = await open_one(names, real / "a.py")
    other = uri.replace("file:///", "file://localhost/")
    names.opened(other)
    assert names.uri_of(real / "a.py") == other
    names.closed(other)
    assert names.uri_of(real / "a.py") == uri
    names.closed(uri)
    assert names.paths() == ()


async def test_what_is_open_already_is_not_gone_through_for_the_next_one(
    names: OpenNames, real: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change of names throughout a project opens thousands of documents, one after the other."""
    read: list[str] = []

    def counted(uri: str) -> Path | None:
        read.append(uri)
        return path_of(uri)

    monkeypatch.setattr(open_names, "path_of", counted)
    uris = [await open_one(names, real / f"{number}.py") for number in range(20)]
    for uri in uris:
        names.closed(uri)
    assert Counter(read) == dict.fromkeys(uris, 2), "once for the look, once as it opens"
    assert names.paths() == ()


async def test_a_disk_that_hangs_is_waited_for_once_and_its_answer_counts_when_it_comes(
    names: OpenNames, link: Path, real: Path, disk: Disk
) -> None:
    uri = await open_one(names, link / "a.py")
    assert names.uri_of(link / "a.py") == uri
    assert names.uri_of(real / "a.py") is None
    other = await open_one(names, real / "b.py")
    assert names.uri_of(real / "b.py") == other
    disk.answers.set()
    await until(lambda: names.uri_of(real / "a.py") == uri)


async def test_an_answer_about_what_is_closed_by_then_means_nothing(
    names: OpenNames, link: Path, real: Path, disk: Disk
) -> None:
    kept = await open_one(names, link / "kept.py")
    names.closed(await open_one(names, link / "gone.py"))
    disk.answers.set()
    await until(lambda: names.uri_of(real / "kept.py") == kept)
    assert set(names.paths()) == {link / "kept.py", real / "kept.py"}


async def test_only_so_many_looks_hang(names: OpenNames, link: Path, disk: Disk) -> None:
    for number in range(MAX_HANGING + 5):
        await open_one(names, link / f"{number}.py")
    assert len(disk.asked) == MAX_HANGING
    assert len(names.paths()) == MAX_HANGING + 5


async def test_where_no_thread_is_to_be_had_a_document_goes_by_its_name(
    names: OpenNames, link: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Refused(threading.Thread):
        @override
        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    monkeypatch.setattr(open_names, "threading", SimpleNamespace(Thread=Refused))
    uri = await open_one(names, link / "a.py")
    assert names.uri_of(link / "a.py") == uri


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"method": "textDocument/didOpen", "params": {"textDocument": {"uri": "a"}}}, "a"),
        ({"method": "notebookDocument/didOpen", "params": {"notebookDocument": {"uri": "b"}}}, "b"),
        ({"method": "textDocument/didClose", "params": {"textDocument": {"uri": "a"}}}, ""),
        ({"method": "textDocument/didOpen", "params": {"textDocument": {"uri": 1}}}, ""),
        ({"method": "textDocument/didOpen", "params": [1]}, ""),
        ({"method": ["x"], "params": None}, ""),
        ({}, ""),
    ],
)
def test_a_message_tells_what_it_opens(message: dict[str, Any], expected: str) -> None:
    assert uri_opened_by(message) == expected
