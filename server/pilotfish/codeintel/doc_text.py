"""Signatures and doc comments as one reads them.

Owns: cutting a definition's text to its signature, taking the marks off comments.
"""

import inspect
import re

MAX_SIGNATURE_CHARS = 300
"""Longest signature; the rest is cut."""

MAX_DOC_CHARS = 1_000
"""Longest documentation that is kept of a definition."""

_SPACE = re.compile(r"\s+")
_LINE_MARK = re.compile(r"^\s*(?:///?!?<?|#+|--+(?: [|^](?= ))?|;+|%+|\*(?!/))[ \t]?")
_BLOCK_OPEN = re.compile(r"^\s*(?:/\*+!?<?|--\[=*\[|\(\*+|<!--|=begin|\{-\|?)\s?")
_BLOCK_CLOSE = re.compile(r"\s*(?:\*+/|\]=*\]|\*\)|-->|=end|-\})\s*$")
_XML_TAG = re.compile(
    r"</?(?:summary|param|returns|remarks|para|c|see|typeparam|exception)\b[^>]*>"
)
_QUOTES = re.compile(r"^~?[A-Za-z]{0,2}(\"\"\"|'''|\"|')(.*)\1$", re.DOTALL)


def signature_of(text: str) -> str:
    """Return a definition's text up to its body in one line."""
    line = _SPACE.sub(" ", text).strip().rstrip("{;,").rstrip()
    if line.endswith((":", "=")) and not line.endswith("::"):
        line = line[:-1].rstrip()
    line = line.removesuffix(" where")
    if len(line) > MAX_SIGNATURE_CHARS:
        line = line[: MAX_SIGNATURE_CHARS - 3] + "..."
    return line


def doc_of_comments(comments: list[str]) -> str:
    """Return what comments say, without their marks."""
    lines: list[str] = []
    for comment in comments:
        if comment.startswith("#!"):
            continue
        body = _BLOCK_CLOSE.sub("", _BLOCK_OPEN.sub("", comment, count=1), count=1)
        block = body != comment
        for line in body.splitlines() or [""]:
            lines.append((_LINE_MARK.sub("", line) if not block or "*" in line else line).rstrip())
    return _cut(_XML_TAG.sub("", inspect.cleandoc("\n".join(lines))))


def doc_of_string(text: str) -> str:
    """Return what a documentation string says, without its quotes."""
    found = _QUOTES.match(text)
    return _cut(inspect.cleandoc(found[2] if found else text))


def _cut(text: str) -> str:
    text = text.strip()
    return text if len(text) <= MAX_DOC_CHARS else text[: MAX_DOC_CHARS - 3] + "..."
