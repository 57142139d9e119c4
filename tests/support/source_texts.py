"""The texts of the server's sources: what somebody may read one day.

Owns: finding them, and the form in which they are compared. Does not own: which of them people read
(``test_catalogue``).
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pilotfish

SOURCES = Path(pilotfish.__file__).parent
HOLE = re.compile(r"\{[^{}]*\}")
SEVERAL = re.compile(r"(\{\}){2,}")
SENTENCE_END = re.compile(r"(?<=[.!?])(?: |(?=\{\}))|^\{\} (?=[A-Z])")


def texts_of(node: ast.AST) -> Iterator[str]:
    """Yield the texts below a node but its documentation, with ``{}`` where values are filled in."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.JoinedStr):
        yield "".join(
            str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
        )
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                yield from texts_of(part.value)
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node.value
    else:
        for child in ast.iter_child_nodes(node):
            yield from texts_of(child)


def texts_in(source: str) -> Iterator[str]:
    """Yield every text of a source but its documentation."""
    yield from texts_of(ast.parse(source))


def bare(text: str) -> str:
    """Return a text as it is compared: a sentence may be made of a clause."""
    plain = SEVERAL.sub("{}", HOLE.sub("{}", text)).rstrip(".")
    return plain[:1].lower() + plain[1:]


def in_words(text: str) -> bool:
    """Tell whether a text has words of its own, not only values and marks."""
    return " " in text.strip() and re.search(r"[A-Za-z]{2}", HOLE.sub("", text)) is not None


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; what is filled in between two is none of them."""
    return [part.strip() for part in SENTENCE_END.split(HOLE.sub("{}", text))]


def source_of(file: str) -> str:
    """Return a module's source, by its path within the package."""
    return (SOURCES / file).read_text(encoding="utf-8")
