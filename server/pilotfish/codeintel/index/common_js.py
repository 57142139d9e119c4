"""Modules of Node's older kind: ``const a = require('./a')`` and ``module.exports = a``.

Owns: telling what a variable was required as, where a file says what all of it exports.
Does not own: which file is meant (``specifiers``), what a name means (``lookup``). Pure.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pilotfish.codeintel.byte_positions import utf16_length
from pilotfish.codeintel.index.imports import text_after
from pilotfish.codeintel.index.views import FileView
from pilotfish.ports.code import Position, Span

_CALL = r"""require\(\s*(['"])(?P<module>[^'"\n]+)\1\s*\)"""
_WHOLE = re.compile(rf"\s*=\s*{_CALL}(?:\.(?P<member>[\w$]+))?")
_PART = re.compile(rf"[^;=(){{}}]*\}}\s*=\s*{_CALL}(?!\.)")
_PASSED_ON = re.compile(rf"\s*{_CALL}\s*;?\s*$", re.MULTILINE)
_OF_OTHER_NAME = re.compile(r"(?<![\w$])([\w$]+)\s*:\s*$")
_EXPORTS = re.compile(r"(?<![\w$.])module\.exports\s*=(?!=)")


class Required(NamedTuple):
    """What a variable stands for."""

    module: str
    name: str
    """What of the module; empty for all of it."""


def required(view: FileView, name: str, span: Span) -> Required | None:
    """Return what the variable whose name stands at a place was required as, if it was."""
    after = text_after(view, span)
    if found := _WHOLE.match(after):
        return Required(found["module"], found["member"] or "")
    if found := _PART.match(after):
        renamed = _OF_OTHER_NAME.search(view.before(span))
        return Required(found["module"], renamed[1] if renamed else name)
    return None


def whole_exports(view: FileView) -> Iterator[Span]:
    """Yield where a file says what all of it exports; what that is follows."""
    for number, line in enumerate(view.lines):
        if "module.exports" in line and (found := _EXPORTS.search(line)):
            start, end = utf16_length(line[: found.start()]), utf16_length(line[: found.end()])
            yield Span(Position(number, start), Position(number, end))


def passed_on(view: FileView) -> str:
    """Return the module that a file exports as its own; empty when it does not."""
    found = (_PASSED_ON.match(text_after(view, span)) for span in whole_exports(view))
    return next((one["module"] for one in found if one), "")
