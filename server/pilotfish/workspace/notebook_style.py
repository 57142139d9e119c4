"""How a JSON file is laid out, so that what is added looks like the rest.

Owns: indent, separators, line ends and escapes as the file has them. Pure.
"""

import json
import re
from typing import Any

from pilotfish.util.records import dataclass

_FIRST_MEMBER = re.compile(r'\s*\{(\r\n|\n|\r)?([ \t]*)"(?:[^"\\]|\\.)*"(\s*:\s*)')
_AFTER_COMMA = re.compile(r"[\]}\"\d],([ ]?)[\[{\"\d]")


@dataclass(frozen=True, kw_only=True, slots=True)
class JsonStyle:
    """The layout of a JSON text."""

    eol: str
    """Between lines; empty when all stands on one."""
    unit: str
    """One level of indentation."""
    colon: str
    comma: str
    """Between items on one line."""
    ascii_only: bool
    """Whether other characters are written as escapes."""

    @classmethod
    def of(cls, text: str) -> "JsonStyle":
        """Read the layout from a text that holds an object."""
        first = _FIRST_MEMBER.match(text)
        eol = (first.group(1) or "") if first else "\n"
        comma = _AFTER_COMMA.search(text)
        return cls(
            eol=eol,
            unit=first.group(2) if first and eol else " " if eol else "",
            colon=first.group(3) if first else ": ",
            comma="," if eol else f",{comma.group(1) if comma else ' '}",
            ascii_only=text.isascii() and re.search(r"\\u[0-9a-fA-F]{4}", text) is not None,
        )

    def dump(self, value: Any, indent: str) -> str:
        """Write a value whose first line stands at ``indent``."""
        written = json.dumps(
            value,
            indent=self.unit if self.eol else None,
            separators=(self.comma, self.colon),
            ensure_ascii=self.ascii_only,
        )
        return written.replace("\n", self.eol + indent)

    def line_break(self, indent: str) -> str:
        """Return what begins a new line at an indentation; nothing in a file of one line."""
        return self.eol + indent if self.eol else ""

    def between(self, indent: str) -> str:
        """Return what stands between two items that begin at ``indent``."""
        return "," + self.line_break(indent) if self.eol else self.comma

    @staticmethod
    def indent_at(text: str, at: int) -> str:
        """Return the white space before a position if nothing else stands before it in its line."""
        start = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
        before = text[start:at]
        return before if not before.strip() else before[: len(before) - len(before.lstrip())]
