"""The fields of a definition file, read with care.

Owns: what a field of front matter may hold (text, yes or no, one of several words, a list), and what
people are told when it holds something else. What cannot be read counts as not being there.
Does not own: which keys there are, the syntax (``front_matter``), files (``files``).
See also: design 03 §0.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, TypeVar

from pilotfish.config.rule_syntax import split_rules
from pilotfish.core.jsontypes import JsonValue
from pilotfish.definitions.front_matter import Field, plain_key
from pilotfish.util.records import dataclass
from pilotfish.util.slips import slip_of
from pilotfish.util.visible import hidden_characters, visible

ChoiceT = TypeVar("ChoiceT", bound=str)

ProblemSeverity = Literal["error", "warning"]
"""``error``: nothing of the file counts. ``warning``: the rest of it does."""

MAX_NAME_CHARS = 64

NAME = re.compile(rf"[^\W_][\w.:-]{{0,{MAX_NAME_CHARS - 1}}}")
"""What a definition may be called."""

_EFFORT = re.compile(r"[a-z]{1,20}")


@dataclass(frozen=True, kw_only=True, slots=True)
class DefinitionProblem:
    """Something that does not work as written."""

    text: str
    """One sentence or two for the user, without the file's name."""
    path: Path
    """The file, or the folder of many."""
    line: int | None = None
    """1-based, when it is known."""
    severity: ProblemSeverity = "warning"


class DefinitionFields:
    """Reads the fields of one file."""

    def __init__(self, fields: Mapping[str, Field], path: Path) -> None:
        """Take the fields.

        Args:
            fields: By ``plain_key``.
            path: The file, for what people are told.
        """
        self._fields = fields
        self._path = path
        self.problems: list[DefinitionProblem] = []

    def field(self, key: str) -> Field | None:
        """Return a field, however its key is spelt; None when it is not there."""
        return self._fields.get(plain_key(key))

    def text(self, key: str) -> str:
        """Return a single value as written; empty when there is none."""
        field = self.field(key)
        if field is None or field.value is None:
            return ""
        if field.text is None:
            self.ignore(key, "it is no text")
        return (field.text or "").strip()

    def flag(self, key: str, *, default: bool = False) -> bool:
        """Return whether a field says yes."""
        field = self.field(key)
        text = "" if field is None else (field.text or "").strip().lower()
        if text in {"true", "yes", "on"}:
            return True
        if text in {"false", "no", "off"}:
            return False
        if field is not None and text:
            self.ignore(key, "it is neither true nor false")
        return default

    def choice(self, key: str, choices: tuple[ChoiceT, ...]) -> ChoiceT | None:
        """Return one of several words; None when there is none of them."""
        field = self.field(key)
        if field is None or field.value is None:
            return None
        for choice in choices:
            if choice == field.text:
                return choice
        self.ignore(key, f"it is none of {', '.join(choices)}")
        return None

    def names(self, key: str) -> tuple[str, ...]:
        """Return the entries of a list; none when there is no list."""
        field = self.field(key)
        if field is None:
            return ()
        entries = entries_of(field)
        if entries is None:
            self.ignore(key, "it is no list of names")
        return entries or ()

    def mapping(self, key: str) -> Mapping[str, JsonValue]:
        """Return a mapping as data; an empty one when there is none."""
        field = self.field(key)
        if field is None or field.value is None:
            return {}
        if isinstance(field.value, dict):
            return field.value
        self.ignore(key, "it is no mapping")
        return {}

    def effort(self) -> str | None:
        """Return how hard the model is to try; None when nothing is said."""
        effort = self.text("effort").lower()
        if effort and not _EFFORT.fullmatch(effort):
            self.ignore("effort", "it is no word such as low, medium or high")
            return None
        return effort or None

    def description(self, text: str, limit: int) -> str:
        """Return a description on one line, as people and the model may see it.

        Args:
            text: What stands for it.
            limit: Characters that count.
        """
        field, text = self.field("description"), " ".join(text.split())
        if hidden := hidden_characters(text):
            self.warn(
                f"The description holds characters that do not show: {', '.join(hidden)}.", field
            )
        if len(text) > limit:
            self.warn(f"Only {limit:,} characters of the description count.", field)
        return visible(text[:limit])

    def note_unknown(self, known: Iterable[str]) -> None:
        """Tell of keys that may be misspelt: what they would have restricted does not hold."""
        plain_keys = {plain_key(key): key for key in known}
        for plain, field in self._fields.items():
            if plain in plain_keys:
                continue
            name = slip_of(plain, plain_keys)
            if name is not None:
                meant = plain_keys[name]
                self.warn(f"`{visible(field.key)}` is unknown; did you mean `{meant}`?", field)

    def ignore(self, key: str, why: str) -> None:
        """Tell that a field does not count."""
        self.warn(f"`{key}` is ignored: {why}.", self._fields[plain_key(key)])

    def warn(self, text: str, field: Field | None = None) -> None:
        """Tell of something that does not work as written."""
        line = 1 if field is None else field.line
        self.problems.append(DefinitionProblem(text=text, path=self._path, line=line))


def entries_of(field: Field) -> tuple[str, ...] | None:
    """Return the entries of a list, written as one or with commas; None for something else."""
    if field.items is not None:
        # A list in brackets was cut at every comma, also at those in parentheses.
        return tuple(split_rules(", ".join(field.items)))
    if field.value is None:
        return ()
    return None if field.text is None else tuple(split_rules(field.text))
