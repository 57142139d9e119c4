"""JSON text as a tree with positions, also where the text is broken.

Owns: where each key and value stands, and what does not parse; by tree-sitter's grammar, which goes
on after an error. Positions are character offsets into the text.
Does not own: what the keys mean, or strict JSON (the standard library's ``json`` is the judge of that).
"""

import json
import time
from array import array
from collections.abc import Iterator
from dataclasses import field
from functools import cache
from typing import TYPE_CHECKING, Literal

from pilotfish.util.records import dataclass

if TYPE_CHECKING:
    from tree_sitter import Language, Node

MAX_DEPTH = 40
"""Deeper values are not looked into."""

MAX_ERRORS = 50
"""Errors that a tree names; a text with more is broken as a whole."""

TIME_LIMIT_S = 1.0
"""How long parsing may take: badly broken text can make the grammar search long."""

_CHUNK_BYTES = 65_536
_MAX_QUOTE_CHARS = 30

JsonKind = Literal["object", "array", "string", "other"]
_KINDS: dict[str, JsonKind] = {"object": "object", "array": "array", "string": "string"}


@dataclass(kw_only=True, slots=True)
class JsonNode:
    """One value."""

    kind: JsonKind
    start: int
    end: int
    """Behind the last character."""
    text: str = ""
    """The text of a string, escapes resolved; for anything else as written."""
    members: "list[JsonMember]" = field(default_factory=list["JsonMember"])
    items: "list[JsonNode]" = field(default_factory=list["JsonNode"])

    def member(self, name: str) -> "JsonMember | None":
        """Return the last member of that name, which is the one that counts."""
        return next((one for one in reversed(self.members) if one.key.text == name), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class JsonMember:
    """One key with its value."""

    key: JsonNode
    value: JsonNode


@dataclass(frozen=True, kw_only=True, slots=True)
class JsonError:
    """A place that is no JSON."""

    start: int
    end: int
    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class JsonTree:
    """What could be read of a text."""

    root: JsonNode | None
    """None when there is no value that could be told from the rest."""
    errors: tuple[JsonError, ...]
    members: tuple[JsonMember, ...]
    """All members, also those whose surroundings do not parse."""
    harmless: bool
    """Whether nothing but comments and needless commas keeps it from being JSON, so that every value
    is known for certain."""

    def at(self, path: tuple[str | int, ...]) -> "JsonNode | None":
        """Return the value at a path of keys and positions."""
        node = self.root
        for step in path:
            if node is None:
                return None
            if isinstance(step, int):
                node = node.items[step] if step < len(node.items) else None
            else:
                member = node.member(step)
                node = None if member is None else member.value
        return node


def parse_json(text: str) -> JsonTree | None:
    """Read a text as far as it can be read. None when it takes too long, or the grammar is missing.

    The first call loads the grammar, and a long text takes time: call it off the event loop.
    """
    data = text.encode("utf-8", "replace")
    try:
        root = _parsed(data)
    except (ImportError, LookupError, OSError):
        return None
    return None if root is None else _Reader(text, data).read(root)


@cache
def _load() -> "Language":
    from tree_sitter_language_pack import get_language

    return get_language("json")


def _parsed(data: bytes) -> "Node | None":
    from tree_sitter import Parser

    deadline = time.monotonic() + TIME_LIMIT_S
    try:
        tree = Parser(_load()).parse(
            lambda offset, _: data[offset : offset + _CHUNK_BYTES],
            progress_callback=lambda _, __: time.monotonic() > deadline,
        )
    except ValueError:
        return None  # how a parse that was stopped ends
    return tree.root_node


class _Reader:
    """Builds our records from the grammar's tree."""

    def __init__(self, text: str, data: bytes) -> None:
        self._text = text
        self._offsets = None if len(text) == len(data) else _character_offsets(text)
        self._members: list[JsonMember] = []
        self._errors: list[JsonError] = []
        self._harmless = True

    def read(self, root: "Node") -> JsonTree:
        values = [child for child in _content(root) if not child.is_error]
        node = self._value(values[0], 0) if values and not root.is_error else None
        if root.is_error:
            self._collect(root, 0)
        self._note_errors(root)
        if len(values) != 1 or root.is_error:
            self._harmless = False
        return JsonTree(
            root=node,
            errors=tuple(sorted(self._errors, key=lambda error: error.start)),
            members=tuple(self._members),
            harmless=self._harmless,
        )

    def _value(self, node: "Node", depth: int) -> JsonNode:
        start, end = self._span(node)
        kind = _KINDS.get(node.type, "other")
        made = JsonNode(kind=kind, start=start, end=end)
        if depth >= MAX_DEPTH:
            self._harmless = False
        elif kind == "object":
            made.members = [
                member for child in _content(node) for member in self._found(child, depth)
            ]
        elif kind == "array":
            made.items = [
                self._value(child, depth + 1)
                for child in _content(node)
                if not (child.is_error or child.is_missing)
            ]
            for child in node.children:
                if child.is_error:
                    self._collect(child, depth + 1)
        else:
            made.text = self._string(start, end) if kind == "string" else self._text[start:end]
        return made

    def _found(self, node: "Node", depth: int) -> list[JsonMember]:
        if node.type == "pair":
            member = self._member(node, depth)
            return [] if member is None else [member]
        self._collect(node, depth + 1)
        return []

    def _member(self, node: "Node", depth: int) -> JsonMember | None:
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        if key is None or value is None or key.type != "string":
            return None
        member = JsonMember(key=self._value(key, depth + 1), value=self._value(value, depth + 1))
        self._members.append(member)
        return member

    def _collect(self, node: "Node", depth: int) -> None:
        """Look for members where the structure around them is lost."""
        if depth >= MAX_DEPTH:
            return
        for child in node.children:
            if child.type == "pair":
                self._member(child, depth)
            elif child.child_count:
                self._collect(child, depth + 1)

    def _note_errors(self, root: "Node") -> None:
        stack = [root]
        while stack and len(self._errors) < MAX_ERRORS:
            node = stack.pop()
            if node.is_missing:
                self._missing(node)
            elif node.is_error:
                self._error(node)
            elif node.type == "comment":
                start, end = self._span(node)
                self._errors.append(
                    JsonError(start=start, end=end, message="JSON knows no comments")
                )
            elif node.has_error or node.child_count:
                stack.extend(reversed(node.children))

    def _missing(self, node: "Node") -> None:
        start, _ = self._span(node)
        before = self._text[:start].rstrip()
        if before.endswith(",") and self._text[start:].lstrip()[:1] == "]":
            # The grammar expects a value behind every comma.
            comma = len(before) - 1
            error = JsonError(start=comma, end=comma + 1, message="this comma is too many")
        else:
            self._harmless = False
            name = "a value" if node.type == "number" else f"`{node.type}`"
            error = JsonError(start=start, end=start + 1, message=f"{name} is missing here")
        self._errors.append(error)

    def _error(self, node: "Node") -> None:
        start, end = self._span(node)
        found = self._text[start:end].strip()
        if found == ",":
            self._errors.append(JsonError(start=start, end=end, message="this comma is too many"))
            return
        self._harmless = False
        line_end = self._text.find("\n", start, end)
        end = line_end if line_end > start else end
        quote = self._text[start:end].strip()
        short = quote if len(quote) <= _MAX_QUOTE_CHARS else quote[:_MAX_QUOTE_CHARS] + "…"
        self._errors.append(JsonError(start=start, end=end, message=f"`{short}` does not fit here"))

    def _string(self, start: int, end: int) -> str:
        raw = self._text[start:end]
        try:
            value: object = json.loads(raw)
        except ValueError:
            # Unknown escapes and the like: what stands there is the best guess.
            self._harmless = False
            return raw.strip('"')
        return value if isinstance(value, str) else raw

    def _span(self, node: "Node") -> tuple[int, int]:
        if self._offsets is None:
            return node.start_byte, node.end_byte
        return self._offsets[node.start_byte], self._offsets[node.end_byte]


def _content(node: "Node") -> Iterator["Node"]:
    return (child for child in node.named_children if child.type != "comment")


def _character_offsets(text: str) -> "array[int]":
    """Return, for each byte of the text in UTF-8, which character it belongs to."""
    found = array("L")
    for index, char in enumerate(text):
        width = 1 if char < "\x80" else len(char.encode("utf-8", "replace"))
        found.extend([index] * width)
    found.append(len(text))
    return found
