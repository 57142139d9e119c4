"""What can be written at a place of a settings file.

Owns: where in the structure a place lies, also in text that does not parse yet, and what fits there.
Does not own: how an editor inserts it (``edges.lsp``).
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Literal

from pydantic import BaseModel

from pilotfish.config.key_docs import KEY_DOCS
from pilotfish.config.rule_syntax import TOOL_NAMES
from pilotfish.config.schema import SettingsFile
from pilotfish.permissions.language.document import BEHAVIORS, Span
from pilotfish.util.records import dataclass

ItemKind = Literal["key", "value", "tool", "form"]

_FORMS = (
    ("Bash", "Bash(${1:command}:*)", "commands that begin with these words"),
    ("Read", "Read(${1:/path/**})", "reading what this matches"),
    ("Edit", "Edit(${1:/path/**})", "changing what this matches"),
    ("WebFetch", "WebFetch(domain:${1:example.com})", "fetching from a host and its subdomains"),
    ("Agent", "Agent(${1:Explore})", "starting a type of sub-agent"),
    ("Skill", "Skill(${1:name})", "using a skill"),
    ("PowerShell", "PowerShell(${1:command}:*)", "PowerShell commands that begin with these words"),
    ("mcp__", "mcp__${1:server}__${2:tool}", "a tool of an MCP server"),
)
_PLACEHOLDER = re.compile(r"\$\{\d+:([^}]*)\}")
_STRING_END = re.compile(r'(?:[^"\\\n]|\\.)*')


@dataclass(frozen=True, kw_only=True, slots=True)
class SettingsItem:
    """Something that fits."""

    label: str
    kind: ItemKind
    span: Span
    """What it replaces."""
    new_text: str
    snippet: str | None = None
    """With places to fill in, in the notation of editors; None when there are none."""
    detail: str = ""
    documentation: str = ""


@dataclass(kw_only=True, slots=True)
class _Frame:
    """An object or a list that is open at the place."""

    kind: Literal["{", "["]
    keys: list[str] = field(default_factory=list[str])
    key: str = ""
    expects: Literal["key", "value"] = "key"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Context:
    path: tuple[str, ...]
    """Keys down to the place; ``[]`` for a list."""
    expects: Literal["key", "value"]
    keys: tuple[str, ...]
    """Keys that the object has before the place."""
    span: Span
    in_string: bool


def complete(text: str, offset: int, servers: Iterable[str] = ()) -> list[SettingsItem]:
    """Return what fits at a place.

    Args:
        text: The file's text; need not be JSON.
        offset: The place.
        servers: Names of the form ``mcp__…`` that are known.
    """
    context = _context(text, offset)
    if context is None:
        return []
    if context.expects == "key":
        return _keys(context)
    if len(context.path) == 3 and context.path[0] == "permissions" and context.path[2] == "[]":
        return _rules(context, servers) if context.path[1] in BEHAVIORS else []
    return _values(context)


# --- where it is ---


def _context(text: str, offset: int) -> _Context | None:
    frames: list[_Frame] = []
    position, opened = 0, -1
    while position < offset:
        char = text[position]
        if char == '"':
            end = _STRING_END.match(text, position + 1)
            closing = end.end() if end else position + 1
            if closing >= offset:
                opened = position + 1
                break
            _take_string(frames, text[position : closing + 1])
            position = closing + 1 if text[closing : closing + 1] == '"' else closing
            continue
        _take(frames, char)
        position += 1
    if not frames:
        return None
    frame = frames[-1]
    span = _span(text, offset, opened)
    return None if span is None else _Context(
        path=tuple(part for one in frames for part in _step(one, last=one is frame)),
        expects="value" if frame.kind == "[" else frame.expects,
        keys=tuple(frame.keys),
        span=span,
        in_string=opened >= 0,
    )  # fmt: skip


def _step(frame: _Frame, *, last: bool) -> tuple[str, ...]:
    if frame.kind == "[":
        return ("[]",)
    return () if last and frame.expects == "key" else (frame.key,)


def _take(frames: list[_Frame], char: str) -> None:
    if char in "{[":
        frames.append(_Frame(kind="{" if char == "{" else "["))
    elif char in "}]" and frames:
        frames.pop()
    elif char == ":" and frames:
        frames[-1].expects = "value"
    elif char == "," and frames:
        frames[-1].expects = "key"


def _take_string(frames: list[_Frame], raw: str) -> None:
    if not frames or frames[-1].kind != "{" or frames[-1].expects != "key":
        return
    try:
        value: object = json.loads(raw)
    except ValueError:
        value = raw.strip('"')
    frames[-1].key = str(value)
    frames[-1].keys.append(str(value))


def _span(text: str, offset: int, opened: int) -> Span | None:
    """Return what a completion replaces: the string's content, or the word before the place."""
    if opened >= 0:
        end = _STRING_END.match(text, opened)
        closing = end.end() if end else offset
        # Without its closing quote a string may reach into what follows.
        return opened, closing if text[closing : closing + 1] == '"' else offset
    start = offset
    while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    return start, offset


# --- what fits ---


def _keys(context: _Context) -> list[SettingsItem]:
    section = _section(context.path)
    if section is None:
        return []
    prefix = ".".join((*context.path, ""))
    names = [field.alias or name for name, field in section.model_fields.items()]
    return [_key_item(prefix + name, name, context) for name in names if name not in context.keys]


def _key_item(path: str, name: str, context: _Context) -> SettingsItem:
    doc = KEY_DOCS[path]
    value = '"$1"'
    if any(other.startswith(f"{path}.") for other in KEY_DOCS):
        value = "{$1}"
    elif path.removeprefix("permissions.") in (*BEHAVIORS, "additionalDirectories",
                                               "trustedDirectories"):  # fmt: skip
        value = "[$1]"
    elif doc.values in (("true", "false"),) or doc.default.isdecimal() or name == "maxTurns":
        value = f"${{1:{doc.values[0] if doc.values else doc.default}}}"
    if context.in_string:
        text, snippet = name, None
    else:
        text, snippet = f'"{name}": ', f'"{name}": {value}'
    return SettingsItem(
        label=name, kind="key", span=context.span, new_text=text, snippet=snippet,
        detail=f"default: {doc.default}" if doc.default else "", documentation=doc.meaning,
    )  # fmt: skip


def _section(path: Sequence[str]) -> type[BaseModel] | None:
    model: type[BaseModel] = SettingsFile
    for step in path:
        fields = {field.alias or name: field for name, field in model.model_fields.items()}
        inner = fields[step].annotation if step in fields else None
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return None
        model = inner
    return model


def _values(context: _Context) -> list[SettingsItem]:
    doc = KEY_DOCS.get(".".join(context.path))
    if doc is None:
        return []
    found: list[SettingsItem] = []
    for value in doc.values:
        plain = value in ("true", "false")
        if plain and context.in_string:
            continue
        text = value if plain or context.in_string else f'"{value}"'
        found.append(SettingsItem(label=value, kind="value", span=context.span, new_text=text))
    return found


def _rules(context: _Context, servers: Iterable[str]) -> list[SettingsItem]:
    found = [
        SettingsItem(
            label=_PLACEHOLDER.sub(r"\1", form), kind="form", span=context.span,
            new_text=_quoted(_PLACEHOLDER.sub(r"\1", form), context),
            snippet=_quoted(form, context), detail=detail,
        )
        for _, form, detail in _FORMS
    ]  # fmt: skip
    names = [*sorted(TOOL_NAMES), *sorted(set(servers))]
    found += [
        SettingsItem(
            label=name, kind="tool", span=context.span, new_text=_quoted(name, context),
            detail="the whole tool",
        )
        for name in names
    ]  # fmt: skip
    return found


def _quoted(text: str, context: _Context) -> str:
    return text if context.in_string else f'"{text}"'
