"""An editor at the end of the wire: documents, edits by version, saving.

Owns: behaving as VS Code's client does where the server can tell. It keeps open documents, refuses
an edit for an old version, reports each change before it answers, writes on save.
Does not own: the wire (``wire_client``). Positions are UTF-16, as LSP counts them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from tests.support.wire_client import Json, WireClient

BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"


@dataclass
class Document:
    """An open document."""

    path: Path
    text: str
    version: int
    has_bom: bool


@dataclass(frozen=True)
class AppliedEdit:
    """An edit that the server asked for."""

    path: Path
    version: int | None
    range: Json
    new_text: str
    label: str


class WireEditor:
    """The documents of one client."""

    def __init__(self, client: WireClient) -> None:
        self._client = client
        self.documents: dict[Path, Document] = {}
        self.applied: list[AppliedEdit] = []
        self.refused: list[Json] = []
        self.saved: list[Path] = []
        self.before_apply: Callable[[], None] | None = None
        """Runs when an edit arrives, before it is looked at: the user is faster."""
        self.after_apply: Callable[[], None] | None = None
        """Runs when an edit was made, before that is answered."""
        client.answerers["workspace/applyEdit"] = self._apply
        client.answerers["_pilotfish/editor/save"] = self._save

    def open(self, path: Path, language_id: str = "python") -> None:
        """Open a file."""
        text = path.read_bytes().decode()
        document = Document(path, text.removeprefix(BOM), 1, has_bom=text.startswith(BOM))
        self.documents[path] = document
        self._client.notify(
            "textDocument/didOpen",
            {
                "textDocument": {
                    "uri": path.as_uri(),
                    "languageId": language_id,
                    "version": 1,
                    "text": document.text,
                }
            },
        )

    def type_over(self, path: Path, old: str, new: str) -> None:
        """The user replaces a text that occurs once."""
        document = self.documents[path]
        assert document.text.count(old) == 1
        start = document.text.index(old)
        self._change(document, start, start + len(old), new)

    def close(self, path: Path) -> None:
        """Close a document without saving."""
        del self.documents[path]
        self._client.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})

    def text(self, path: Path) -> str:
        """Return what the buffer holds."""
        return self.documents[path].text

    def _change(self, document: Document, start: int, end: int, new: str) -> None:
        span = {
            "start": position_at(document.text, start),
            "end": position_at(document.text, end),
        }
        document.text = document.text[:start] + new + document.text[end:]
        document.version += 1
        self._client.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": document.path.as_uri(), "version": document.version},
                "contentChanges": [{"range": span, "text": new}],
            },
        )

    def _apply(self, params: Json) -> Json:
        if self.before_apply is not None:
            self.before_apply()
        changes = params["edit"]["documentChanges"]
        assert len(changes) == 1
        path = path_of(changes[0]["textDocument"]["uri"])
        version = changes[0]["textDocument"]["version"]
        document = self.documents.get(path)
        if document is None or document.version != version:
            self.refused.append(params)
            return {"applied": False, "failureReason": "the document has changed"}
        (edit,) = changes[0]["edits"]
        self.applied.append(
            AppliedEdit(path, version, edit["range"], edit["newText"], params.get("label", ""))
        )
        start = offset_at(document.text, edit["range"]["start"])
        end = offset_at(document.text, edit["range"]["end"])
        self._change(document, start, end, edit["newText"])
        if self.after_apply is not None:
            self.after_apply()
        return {"applied": True}

    def _save(self, params: Json) -> Json:
        document = self.documents[path_of(params["uri"])]
        data = (BOM if document.has_bom else "") + document.text
        document.path.write_bytes(data.encode())
        self.saved.append(document.path)
        self._client.notify("textDocument/didSave", {"textDocument": {"uri": params["uri"]}})
        return {"saved": True}


def path_of(uri: str) -> Path:
    """Return the path of a file URI."""
    return Path(unquote(uri.removeprefix("file://")))


def position_at(text: str, offset: int) -> dict[str, Any]:
    """Return the LSP position of an offset."""
    start = text.rfind("\n", 0, offset) + 1
    units = len(text[start:offset].encode("utf-16-le")) // 2
    return {"line": text.count("\n", 0, offset), "character": units}


def offset_at(text: str, position: dict[str, Any]) -> int:
    """Return the offset of an LSP position."""
    start = 0
    for _ in range(position["line"]):
        start = text.index("\n", start) + 1
    units = position["character"]
    offset = start
    while units > 0:
        units -= len(text[offset].encode("utf-16-le")) // 2
        offset += 1
    assert units == 0, "the position is inside a character"
    return offset
