"""The code intelligence of an editor at the end of the wire.

Owns: answers to ``_pilotfish/editor/{locate,hover,symbols,hierarchy,rename}``, as a test sets them.
"""

from pathlib import Path
from typing import Any

from tests.support.wire_client import Json, WireClient

SHOP = "def total(cart):\n    return sum(cart)\n\n\nprint(total([1]))\n"
MAIN = "# 🐟 uses the shop\nfrom shop import total\n\n'🐟', total([2]), total([3])\n"
"""A small project; line 4 of the second file has characters that are two units long."""

OPERATIONS = ("locate", "hover", "symbols", "hierarchy", "rename")


class CodeEditor:
    """What the language servers of one client say. What is not set is not known."""

    def __init__(self, client: WireClient) -> None:
        self.asked: list[tuple[str, Json]] = []
        self.answers: dict[str, Any] = {}
        """By operation; an exception of the editor's side is a wrong answer like any other."""
        for operation in OPERATIONS:
            client.answerers[f"_pilotfish/editor/{operation}"] = self._answerer(operation)

    def params(self, operation: str) -> Json:
        """Return what was asked last."""
        return next(params for name, params in reversed(self.asked) if name == operation)

    def _answerer(self, operation: str) -> Any:
        def answer(params: Json) -> Any:
            self.asked.append((operation, params))
            return self.answers.get(operation, {"known": False})

        return answer


def span(line: int, start: int, end: int) -> Json:
    """Return a range within a line, from 0."""
    return {"startLine": line, "startCharacter": start, "endLine": line, "endCharacter": end}


def place(path: Path, line: int, start: int, end: int) -> Json:
    """Return a location."""
    return {"uri": path.as_uri(), "range": span(line, start, end)}


def symbol(path: Path, name: str, line: int, **more: Any) -> Json:
    """Return a function's entry; ``more`` replaces its fields."""
    found = {
        "name": name,
        "kind": 12,
        "uri": path.as_uri(),
        "range": span(line, 0, 20),
        "nameRange": span(line, 4, 4 + len(name)),
    }
    return found | more


def changes(path: Path, new: str, *ranges: Json) -> Json:
    """Return what a rename changes in a document."""
    return {"uri": path.as_uri(), "changes": [{"range": one, "newText": new} for one in ranges]}
