"""Reading LSP messages without bending what they hold.

Owns: a converter that takes no string for a number and no number for a string, and naming what it
could not read by its path.
Does not own: answering (``edges.lsp.protocol``).
"""

import re
from enum import Enum
from typing import Any, cast

from cattrs import AttributeValidationNote, Converter, IterableValidationNote
from pygls.protocol import default_converter

MAX_PROBLEMS_CHARS = 500
"""How much is said of one message."""


def strict_converter() -> Converter:
    """Return pygls's converter, but one that refuses values of another type."""
    converter = default_converter()
    for kind, read in ((str, _text), (bool, _truth), (int, _integer)):
        converter.register_structure_hook(kind, read)
    return converter


def describe_unreadable(cause: BaseException | None) -> str:
    """Name every field that could not be read, by its path, and how."""
    if cause is None:
        return "see the server's log"
    problems = [f"{path or 'params'}: {problem}" for path, problem in _problems(cause, "")]
    return "; ".join(dict.fromkeys(problems))[:MAX_PROBLEMS_CHARS]


def _problems(error: BaseException, path: str) -> list[tuple[str, str]]:
    path += "".join(_step(note) for note in getattr(error, "__notes__", ()))
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return [found for inner in group.exceptions for found in _problems(inner, path)]
    problem = "is missing" if isinstance(error, KeyError) else str(error)
    if isinstance(error, KeyError) and not path.endswith(str(error.args[0])):
        path = f"{path}.{error.args[0]}"
    return [(path.removeprefix(".").removeprefix("params").removeprefix("."), problem)]


def _step(note: Any) -> str:
    """Return what a note of the converter adds to the path."""
    if isinstance(note, AttributeValidationNote):
        return "." + re.sub("_([a-z])", lambda found: found.group(1).upper(), note.name)
    if isinstance(note, IterableValidationNote):
        return f"[{note.index}]"
    return ""


def _text(value: Any, kind: type) -> Any:
    if issubclass(kind, Enum):  # those of texts come here, too
        return kind(value)
    if isinstance(value, str):
        return value
    raise TypeError("must be a string")


def _truth(value: Any, _: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise TypeError("must be true or false")


def _integer(value: Any, kind: type) -> Any:
    """JSON has one kind of number, and some clients write 3.0."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("must be an integer")
    return kind(value) if issubclass(kind, Enum) else value
