"""A notebook in an editor of cells, at the end of the wire, as VS Code tells of it.

Owns: its cells; it refuses an edit for other cells, reports each change before it answers, and saves
as VS Code does: sources as lists of lines, outputs of replaced cells gone.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.support.wire_client import Json, WireClient

MARKUP, CODE = 1, 2


@dataclass
class _Cell:
    uri: str
    kind: int
    source: str
    data: dict[str, Any]
    """What is saved beside the source."""

    def described(self) -> Json:
        return {"kind": self.kind, "document": self.uri, "metadata": {"id": self.data.get("id")}}

    def document(self) -> Json:
        return {"uri": self.uri, "languageId": "python", "version": 1, "text": self.source}


class WireNotebook:
    """The one open notebook of a client."""

    def __init__(self, client: WireClient, path: Path) -> None:
        self._client = client
        self._path = path
        self._uri = path.as_uri()
        self._file = json.loads(path.read_bytes())
        self._made = 0
        self._cells = [self._cell(data) for data in self._file["cells"]]
        self._version = 1
        self.undo_steps = 0
        """Edits that the server made."""
        self.before_edit: Callable[[], None] | None = None
        """Runs when an edit arrives, before it is looked at: the user is faster."""
        self._save_others = client.answerers.get("_pilotfish/editor/save")
        client.answerers["_pilotfish/editor/cells"] = self._edit
        client.answerers["_pilotfish/editor/save"] = self._save
        client.notify(
            "notebookDocument/didOpen",
            {
                "notebookDocument": {
                    "uri": self._uri,
                    "notebookType": "jupyter-notebook",
                    "version": 1,
                    "cells": [cell.described() for cell in self._cells],
                },
                "cellTextDocuments": [cell.document() for cell in self._cells],
            },
        )

    @property
    def sources(self) -> list[str]:
        return [cell.source for cell in self._cells]

    def type_over(self, cell: int, text: str) -> None:
        """The user gives a cell another text."""
        self._cells[cell].source = text
        document = {"uri": self._cells[cell].uri, "version": self._version + 1}
        self._changed({"textContent": [{"document": document, "changes": [{"text": text}]}]})

    def close(self) -> None:
        self._client.notify(
            "notebookDocument/didClose",
            {
                "notebookDocument": {"uri": self._uri},
                "cellTextDocuments": [{"uri": cell.uri} for cell in self._cells],
            },
        )

    def _cell(self, data: dict[str, Any]) -> _Cell:
        self._made += 1
        # VS Code's fragments hold escapes.
        uri = f"vscode-notebook-cell:{quote(str(self._path))}#W{self._made}%3D"
        kind = MARKUP if data["cell_type"] == "markdown" else CODE
        return _Cell(uri, kind, "".join(data["source"]), data)

    def _changed(self, cells: Json) -> None:
        self._version += 1
        self._client.notify(
            "notebookDocument/didChange",
            {
                "notebookDocument": {"uri": self._uri, "version": self._version},
                "change": {"cells": cells},
            },
        )

    def _edit(self, params: Json) -> Json:
        if self.before_edit is not None:
            self.before_edit()
        assert params["uri"] == self._uri
        if params["expected"] != self.sources:
            return {"applied": False, "message": "its cells have changed"}
        self.undo_steps += 1
        start, deleted = params["start"], params["deleted"]
        new = [self._cell(_data_of(cell)) for cell in params["cells"]]
        gone = self._cells[start : start + deleted]
        self._cells[start : start + deleted] = new
        array = {
            "start": start,
            "deleteCount": deleted,
            "cells": [cell.described() for cell in new],
        }
        structure = {
            "array": array,
            "didOpen": [cell.document() for cell in new],
            "didClose": [{"uri": cell.uri} for cell in gone],
        }
        self._changed({"structure": structure})
        return {"applied": True}

    def _save(self, params: Json) -> Any:
        if params["uri"] != self._uri:
            assert self._save_others is not None
            return self._save_others(params)
        cells = [
            {**cell.data, "source": cell.source.splitlines(keepends=True)} for cell in self._cells
        ]
        text = json.dumps({**self._file, "cells": cells}, indent=1, ensure_ascii=False)
        self._path.write_text(text, encoding="utf-8")
        return {"saved": True}


def _data_of(cell: Json) -> dict[str, Any]:
    data: dict[str, Any] = {"cell_type": cell["kind"], "metadata": {}, "source": cell["source"]}
    if cell["kind"] == "code":
        data |= {"execution_count": None, "outputs": []}
    return data if cell["id"] is None else data | {"id": cell["id"]}
