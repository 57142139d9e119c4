"""What can still be told of a broken settings file.

Owns: finding deny and ask rules, switches that forbid and the model in text that is no JSON, and
joining that with what the file said before. Only what tightens is taken: a file that nobody can read
permits nothing.
Does not own: reading files (``sources``), the tree (``util.json_tree``).
"""

import json
from dataclasses import replace
from pathlib import Path

from pilotfish.config.files import BrokenJson
from pilotfish.config.layers import Layer, build_layer
from pilotfish.config.schema import SettingsFile, SettingsProblem
from pilotfish.core.jsontypes import JsonObject, JsonValue
from pilotfish.core.permission import RuleSource
from pilotfish.util.json_tree import JsonNode, JsonTree, parse_json

_SWITCHES = frozenset({
    "disableBypassPermissionsMode", "disableAutoMode", "askBeatsAllow", "protectSecrets",
    "allowManagedPermissionRulesOnly",
})  # fmt: skip


def unreadable_layer(source: RuleSource, file: Path, problem: str) -> Layer:
    """Return the layer of a file that has no text."""
    report = SettingsProblem(text=problem, file=file)
    return Layer(
        source=source, values=SettingsFile(), problems=(report,), file=file,
        unread=True, only_tightens=True,
    )  # fmt: skip


def salvaged_layer(source: RuleSource, file: Path, text: str, error: BrokenJson) -> Layer:
    """Return what a text that is no JSON still forbids."""
    tree = parse_json(text)
    raw: JsonObject = {} if tree is None else _salvaged(tree)
    layer = build_layer(source, raw, file=file, text=text)
    line = error.line
    if line is None and tree is not None:
        line = _line_of_repeated_key(tree, text)
    report = SettingsProblem(text=str(error), file=file, line=line)
    return replace(
        layer,
        problems=(report, *layer.problems),
        unread=tree is None or not _is_whole(tree),
        unread_line=line,
        only_tightens=True,
    )


def with_last_good(layer: Layer, last: Layer) -> Layer:
    """Add to the layer of a broken file what the file forbade when it could last be read."""
    lines = dict(zip(layer.rules, layer.lines, strict=True))
    for rule, line in zip(last.rules, last.lines, strict=True):
        if rule.behavior != "allow":
            lines.setdefault(rule, line)
    return replace(
        layer,
        # A text that is JSON but of a wrong shape says more than the one before it.
        values=last.values if layer.only_tightens else layer.values,
        rules=tuple(lines),
        lines=tuple(lines.values()),
        unread=False,
    )


def _salvaged(tree: JsonTree) -> JsonObject:
    deny: list[JsonValue] = []
    ask: list[JsonValue] = []
    permissions: JsonObject = {"deny": deny, "ask": ask}
    raw: JsonObject = {"permissions": permissions}
    for member in tree.members:
        name, value = member.key.text, member.value
        if name in ("deny", "ask"):
            (deny if name == "deny" else ask).extend(_texts(value))
        elif name in _SWITCHES:
            permissions[name] = _value(value)
        elif name == "model" and value.kind == "object":
            # Where requests go decides who gets the source code, so it must not fall back.
            raw["model"] = {one.key.text: _value(one.value) for one in value.members}
    return raw


def _texts(node: JsonNode) -> list[str]:
    return [item.text for item in (node, *node.items) if item.kind == "string"]


def _value(node: JsonNode) -> JsonValue:
    if node.kind == "string":
        return node.text
    if node.kind != "other":
        return None
    try:
        value: JsonValue = json.loads(node.text)
    except ValueError:
        return node.text
    return value


def _line_of_repeated_key(tree: JsonTree, text: str) -> int | None:
    stack = [] if tree.root is None else [tree.root]
    while stack:
        node = stack.pop()
        seen: set[str] = set()
        for member in node.members:
            if member.key.text in seen:
                return text.count("\n", 0, member.key.start) + 1
            seen.add(member.key.text)
            stack.append(member.value)
        stack.extend(node.items)
    return None


def _is_whole(tree: JsonTree) -> bool:
    """Whether all that the file says is known, although it is no JSON."""
    return tree.harmless and tree.root is not None and tree.root.kind == "object"
