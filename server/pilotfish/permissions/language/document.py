"""A settings file's text, taken apart.

Owns: which file it is, its tree, and the rules that stand in it with their places.
Does not own: judging them (``check``).
"""

import os
from collections.abc import Iterator
from pathlib import Path

from pilotfish.config.files import MAX_FILE_BYTES, BrokenJson, parse_object
from pilotfish.config.home import FOLDER_NAME
from pilotfish.config.rule_syntax import ParsedRule, parse_rule
from pilotfish.config.sources import LOCAL_FILE, SHARED_FILE, user_file
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.permission import Behavior, RuleSource
from pilotfish.util.json_tree import JsonNode, JsonTree, parse_json
from pilotfish.util.records import dataclass

BEHAVIORS: tuple[Behavior, ...] = ("allow", "ask", "deny")

Span = tuple[int, int]
"""From a character to behind the last one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SettingsPlace:
    """Which settings file it is."""

    file: Path
    source: RuleSource
    root: Path | None
    """The project that it belongs to; None for the user's own file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleSpot:
    """A rule in the text."""

    node: JsonNode
    behavior: Behavior
    parsed: ParsedRule
    siblings: tuple[JsonNode, ...]
    """All entries of its list."""
    line: int
    """1-based."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SettingsDocument:
    """What could be read of a text."""

    place: SettingsPlace
    text: str
    tree: JsonTree | None
    """None when the text is too large, or reading it took too long."""
    value: JsonObject | None
    """The object, when the text is JSON."""
    problem: BrokenJson | None
    """Why it is none."""
    rules: tuple[RuleSpot, ...]

    @property
    def too_large(self) -> bool:
        """Whether the file is larger than what is read."""
        return is_too_large(self.text)


def place_of(path: Path, home: Path) -> SettingsPlace | None:
    """Tell which settings file a path is; None for any other file. ``home`` is the state folder."""
    own = user_file(home)
    if path == own or os.path.normcase(path) == os.path.normcase(own):
        return SettingsPlace(file=path, source="userSettings", root=None)
    if path.parent.name != FOLDER_NAME:
        return None
    sources: dict[str, RuleSource] = {SHARED_FILE: "projectSettings", LOCAL_FILE: "localSettings"}
    source = sources.get(path.name)
    return source and SettingsPlace(file=path, source=source, root=path.parent.parent)


def read_document(place: SettingsPlace, text: str) -> SettingsDocument:
    """Take a text apart. Takes time for a long one: call it off the event loop."""
    value: JsonObject | None = None
    problem: BrokenJson | None = None
    tree: JsonTree | None = None
    if not is_too_large(text):
        tree = parse_json(text)
        try:
            value = parse_object(text, place.file.name) if text.strip() else {}
        except BrokenJson as error:
            problem = error
    return SettingsDocument(
        place=place,
        text=text,
        tree=tree,
        value=value,
        problem=problem,
        rules=tuple(_rules(tree, text, place.source)),
    )


def is_too_large(text: str) -> bool:
    """Tell whether a settings file of this text would be refused."""
    return len(text) > MAX_FILE_BYTES or len(text.encode("utf-8", "replace")) > MAX_FILE_BYTES


def _rules(tree: JsonTree | None, text: str, source: RuleSource) -> Iterator[RuleSpot]:
    line, counted = 1, 0
    found = sorted(_entries(tree), key=lambda entry: entry[0].start)
    for node, behavior, siblings in found:
        line += text.count("\n", counted, node.start)
        counted = node.start
        yield RuleSpot(
            node=node,
            behavior=behavior,
            parsed=parse_rule(node.text, behavior, source),
            siblings=siblings,
            line=line,
        )


def _entries(
    tree: JsonTree | None,
) -> Iterator[tuple[JsonNode, Behavior, tuple[JsonNode, ...]]]:
    section = None if tree is None else tree.at(("permissions",))
    for behavior in BEHAVIORS:
        member = None if section is None else section.member(behavior)
        if member is None:
            continue
        items = tuple(member.value.items)
        for item in items:
            if item.kind == "string":
                yield item, behavior, items
