"""Markdown with YAML in front: how people write agents, skills and commands.

Owns: finding the two parts, mending what is often written though it is no YAML, reading the YAML as
plain data with line numbers.
Does not own: reading files, which keys there are.

The text comes from anywhere. There are no references, no tags, no dates and no objects; depth and
number of values have a limit, and text stays text, however much ``no`` or ``1.0`` look like something else.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Protocol, cast

from pilotfish.core.jsontypes import JsonValue
from pilotfish.util.records import dataclass

MAX_HEADER_CHARS = 65_536
"""Longest front matter that is read."""

MAX_DEPTH = 16
"""How deep lists and mappings may lie in each other."""

MAX_EVENTS = 10_000
"""More values than this are no front matter."""

_FENCE = re.compile(r"---[ \t]*")
_KEY_LINE = re.compile(r"(?P<key>[A-Za-z_][\w-]*):(?:[ \t]+(?P<value>\S.*))?[ \t]*")
_PLAIN_LINE = re.compile(
    r"(?P<key>[A-Za-z_][A-Za-z0-9_-]{0,99}): +"
    r"""(?:"(?P<quoted>[ !#-\[\]-~]*)"|(?P<plain>[A-Za-z0-9](?:[ -"$-9;-~]|:(?=[!-~]))*(?<! )))"""
)
"""ASCII on one line, without what might begin a comment, a key within the value, or an escape."""

_STRUCTURE = re.compile(r"[\[{|>]")
"""What a value begins with that is more than one line of text."""

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
_NUMBER = re.compile(r"[-+]?[0-9]{1,18}\.[0-9]{1,18}")


class FrontMatterError(Exception):
    """The front matter cannot be read; the text says why, without a file's name."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line
        """1-based line of the whole text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Field:
    """One key of the front matter and what it holds."""

    key: str
    """As written."""
    line: int
    """1-based line of the whole text."""
    value: JsonValue
    """As data: plain ``yes`` and ``3`` are a boolean and a number here."""
    text: str | None
    """A single value as written, without quotes; None for lists and mappings."""
    items: tuple[str, ...] | None
    """The single values of a list as written; None for everything else, lists of lists included."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FrontMatter:
    """A text in its two parts."""

    fields: Mapping[str, Field]
    """By ``plain_key``."""
    body: str
    """What comes after, line ends as ``\\n``, without blank lines around it."""


def plain_key(key: str) -> str:
    """Return a key so that ``max-turns``, ``max_turns`` and ``maxTurns`` are the same."""
    return key.replace("-", "").replace("_", "").lower()


def read_front_matter(text: str) -> FrontMatter | None:
    """Take a text apart; None when it has no front matter.

    Raises:
        FrontMatterError: There is front matter that cannot be read.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not _FENCE.fullmatch(lines[0]):
        return None
    end = next((at for at, line in enumerate(lines) if at and _FENCE.fullmatch(line)), None)
    if end is None:
        if len(lines) > 1 and _KEY_LINE.fullmatch(lines[1]):
            raise FrontMatterError("the front matter has no end: a line `---` is missing", 1)
        return None
    header = lines[1:end]
    if sum(map(len, header)) > MAX_HEADER_CHARS:
        raise FrontMatterError(
            f"the front matter is longer than {MAX_HEADER_CHARS:,} characters", 1
        )
    return FrontMatter(fields=_fields_of(header), body="\n".join(lines[end + 1 :]).strip())


def _fields_of(header: list[str]) -> dict[str, Field]:
    try:
        return _parse(header, list(range(2, len(header) + 2)))
    except FrontMatterError as first:
        mended, places = _mended(header)
        if mended == header:
            raise
        try:
            return _parse(mended, places)
        except FrontMatterError:
            # What is wrong with the text as written is what people can find again.
            raise first from None


def _mended(header: list[str]) -> tuple[list[str], list[int]]:
    """Turn every top-level text into a block, in which nothing has a meaning; with the line of each line."""
    lines: list[str] = []
    places: list[int] = []
    in_block = False
    for place, line in enumerate(header, start=2):
        match = _KEY_LINE.fullmatch(line)
        value = "" if match is None else match["value"] or ""
        if match is not None:
            in_block = bool(value) and not _STRUCTURE.match(value)
        elif line.strip() and not line.startswith((" ", "\t")):
            in_block = False
        if match is not None and in_block:
            lines += [f"{match['key']}: |-", f"  {_unquoted(value)}"]
            places += [place, place]
        else:
            lines.append(f"  {line.strip()}" if in_block else line)
            places.append(place)
    return lines, places


def _unquoted(value: str) -> str:
    """Take away quotes that enclose the whole of a value."""
    value = value.strip()
    is_quoted = len(value) > 1 and value[0] in "'\"" and value[-1] == value[0]
    return value[1:-1] if is_quoted else value


def _parse(header: list[str], places: list[int]) -> dict[str, Field]:
    """Read YAML lines; ``places`` has each one's line in the whole text."""
    reader = _Reader(header, places)
    fields: dict[str, Field] = {}
    for field in reader.fields():
        other = fields.setdefault(plain_key(field.key), field)
        if other is not field:
            raise FrontMatterError(f"`{field.key}` stands twice", field.line)
    return fields


@dataclass(frozen=True, slots=True)
class _Event:
    """One step of the YAML parser."""

    kind: str
    line: int
    text: str = ""
    plain: bool = False


@dataclass(frozen=True, slots=True)
class _Node:
    """A value."""

    value: JsonValue
    text: str | None = None
    items: tuple[str, ...] | None = None


class _Reader:
    """Builds plain data from the parser's steps."""

    def __init__(self, header: list[str], places: list[int]) -> None:
        self._events = _checked(_steps("\n".join(header)), places)

    def fields(self) -> Iterator[Field]:
        """Yield the keys of the mapping that the front matter must be."""
        first = next(self._events, None)
        if first is None or (first.kind == "scalar" and first.plain and not first.text):
            return
        if first.kind != "mapping":
            raise FrontMatterError("the front matter is no list of `key: value` lines", first.line)
        while (key := next(self._events)).kind != "end":
            node = self._node(next(self._events), 1)
            yield Field(
                key=_key_of(key),
                line=key.line,
                value=node.value,
                text=node.text,
                items=node.items,
            )
        # A second document is refused on the way there.
        next(self._events, None)

    def _node(self, event: _Event, depth: int) -> _Node:
        if depth > MAX_DEPTH:
            raise FrontMatterError("the values are nested too deeply", event.line)
        if event.kind == "scalar":
            return _Node(_typed(event), text=event.text)
        if event.kind == "sequence":
            return self._sequence(depth)
        return _Node(self._mapping(depth))

    def _sequence(self, depth: int) -> _Node:
        nodes: list[_Node] = []
        while (event := next(self._events)).kind != "end":
            nodes.append(self._node(event, depth + 1))
        texts = [node.text for node in nodes if node.text is not None]
        return _Node(
            [node.value for node in nodes],
            items=tuple(texts) if len(texts) == len(nodes) else None,
        )

    def _mapping(self, depth: int) -> dict[str, JsonValue]:
        found: dict[str, JsonValue] = {}
        while (event := next(self._events)).kind != "end":
            key = _key_of(event)
            if key in found:
                raise FrontMatterError(f"`{key}` stands twice", event.line)
            found[key] = self._node(next(self._events), depth + 1).value
        return found


def _key_of(event: _Event) -> str:
    if event.kind != "scalar":
        raise FrontMatterError("a key is a list or a mapping", event.line)
    return event.text


def _typed(event: _Event) -> JsonValue:
    """Return what a single value is: quoted ones are always text."""
    text = event.text
    if not event.plain:
        return text
    if text in _NULLS:
        return None
    if text.lower() in _BOOLEANS:
        return _BOOLEANS[text.lower()]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def _checked(steps: Iterator[_Event], places: list[int]) -> Iterator[_Event]:
    """Count the steps, and say where in the whole text each one stands."""
    for count, event in enumerate(steps):
        line = places[min(event.line, len(places) - 1)] if places else 1
        if event.kind == "refused":
            raise FrontMatterError(event.text, line)
        if count > MAX_EVENTS:
            raise FrontMatterError(f"there are more than {MAX_EVENTS:,} values", line)
        yield _Event(event.kind, line, event.text, event.plain)


class _Mark(Protocol):
    line: int


class _ParserEvent(Protocol):
    """What all events of the YAML parser have."""

    start_mark: _Mark


class _Yaml(Protocol):
    """The one function of the YAML library that is used; its own types say nothing of it."""

    def parse(self, stream: str, *, Loader: type) -> Iterator[_ParserEvent]: ...  # noqa: N803 - its name there


_KINDS = {
    "DocumentStartEvent": "document",
    "ScalarEvent": "scalar",
    "SequenceStartEvent": "sequence",
    "MappingStartEvent": "mapping",
    "SequenceEndEvent": "end",
    "MappingEndEvent": "end",
}
_QUOTED = frozenset({"'", '"', "|", ">"})


def _steps(header: str) -> Iterator[_Event]:
    """Return the steps through the lines, by the YAML parser where it takes one."""
    return _plain_steps(header) or _yaml_steps(header)


def _plain_steps(header: str) -> Iterator[_Event] | None:
    """Return the steps through lines that can mean one thing only; None for all others.

    Most front matter is of such lines, and the YAML library is not worth loading for them when a
    run begins.
    """
    found = [_PLAIN_LINE.fullmatch(line) for line in header.split("\n")]
    if None in found:
        return None
    matches = [match for match in found if match is not None]

    def steps() -> Iterator[_Event]:
        yield _Event("mapping", 0)
        for at, match in enumerate(matches):
            yield _Event("scalar", at, match["key"], plain=True)
            is_quoted = match["quoted"] is not None
            yield _Event(
                "scalar", at, match["quoted" if is_quoted else "plain"], plain=not is_quoted
            )
        yield _Event("end", len(matches))

    return steps()


def _yaml_steps(header: str) -> Iterator[_Event]:
    """Run the YAML parser, whose steps need no stack however deep the text is nested."""
    import yaml

    # The parser in C is many times as quick; not every build of the library has it.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    documents = 0
    try:
        for event in cast("_Yaml", yaml).parse(header, Loader=loader):
            step = _step_of(event)
            documents += step is not None and step.kind == "document"
            if documents > 1:
                yield _Event("refused", event.start_mark.line, "there is a second YAML document")
            elif step is not None and step.kind != "document":
                yield step
    except (yaml.YAMLError, UnicodeError) as error:
        yield _refusal_of(error)


def _step_of(event: _ParserEvent) -> _Event | None:
    """Translate an event of the parser; None for those that say nothing about values."""
    line = event.start_mark.line
    if getattr(event, "anchor", None) is not None:
        return _Event("refused", line, "references (`&name`, `*name`) are not read")
    if getattr(event, "tag", None) is not None:
        return _Event("refused", line, "tags (`!name`) are not read")
    kind = _KINDS.get(type(event).__name__)
    if kind != "scalar":
        return None if kind is None else _Event(kind, line)
    is_plain = getattr(event, "style", None) not in _QUOTED
    return _Event(kind, line, str(getattr(event, "value", "")), is_plain)


def _refusal_of(error: Exception) -> _Event:
    """Say what the YAML parser says, in one line."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    what = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
    line = 0 if mark is None else mark.line
    return _Event("refused", line, f"the front matter is no YAML: {what}")
