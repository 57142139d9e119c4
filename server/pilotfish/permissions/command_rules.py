"""The content of ``Bash(…)`` rules against command texts.

Owns: exact text, ``prefix:*`` and ``*`` wildcards, and how specific each is.
Does not own: which part of a line must match (``rules``).
See also: design 05 §7.5.
"""

import re
from functools import lru_cache

from pilotfish.codeintel.shell_ast import parse_shell

_EXACT, _PREFIX, _WILD, _ALL = 3, 2, 1, 0
_WORD_BREAKS = re.compile(r"[\s;&|(){}`<>$'\"\\]+")


def specificity(content: str | None) -> tuple[int, int]:
    """Rank a rule's content: exact over longer prefix over wildcard over the whole tool."""
    if content is None:
        return (_ALL, 0)
    if content.endswith(":*"):
        return (_PREFIX, len(content))
    return (_WILD if _has_wildcard(content) else _EXACT, len(content))


def is_exact(content: str) -> bool:
    """Tell whether a rule's content stands for one text only."""
    return specificity(content)[0] == _EXACT


@lru_cache(maxsize=4096)
def text_matches(content: str, text: str) -> bool:
    """Tell whether a rule's content matches one command text.

    The text is one command with single blanks between its words, or a whole line.
    """
    content = collapse_blanks(content)
    if content.endswith(":*"):
        prefix = _literal(content[:-2])
        return text == prefix or text.startswith(prefix + " ")
    if not _has_wildcard(content):
        return text == _literal(content)
    # `npm test *` also means `npm test`.
    return _wild_match(content, text) or (content.endswith(" *") and text == _literal(content[:-2]))


def text_is(content: str, source: str) -> bool:
    """Tell whether an exact rule stands for a whole command line, blanks aside."""
    return is_exact(content) and _literal(collapse_blanks(content)) == collapse_blanks(source)


def part_is(content: str, full_text: str) -> bool:
    """Tell whether an exact rule stands for one part together with its redirections."""
    if not is_exact(content):
        return False
    written = parse_shell(_literal(content))
    return (
        written.kind == "simple"
        and len(written.commands) == 1
        and written.commands[0].full_text == full_text
    )


def words_appear(content: str, source: str) -> bool:
    """Tell whether the fixed start of a rule's content stands anywhere in unreadable text."""
    fixed = content.removesuffix(":*").partition("*")[0]
    wanted = [word for word in _WORD_BREAKS.split(fixed) if word]
    words = [word.rpartition("/")[2] or word for word in _WORD_BREAKS.split(source) if word]
    span = len(wanted)
    if not wanted:
        return True
    return any(words[index : index + span] == wanted for index in range(len(words) - span + 1))


def exact_content(text: str) -> str:
    """Return the content of a rule that stands for exactly this text."""
    return text.replace("*", r"\*")


@lru_cache(maxsize=1024)
def collapse_blanks(text: str) -> str:
    """Make runs of blanks outside quotes one blank; line ends outside quotes stay."""
    result: list[str] = []
    quote = ""
    index = 0
    text = text.strip()
    while index < len(text):
        char = text[index]
        if char == "\\" and quote != "'" and index + 1 < len(text):
            result.append(text[index : index + 2])
            index += 2
            continue
        if char in "'\"" and quote in ("", char):
            quote = "" if quote else char
        blank = char in " \t" and not quote
        if not (blank and result and result[-1] == " "):
            result.append(" " if blank else char)
        index += 1
    return "".join(result)


def _has_wildcard(content: str) -> bool:
    return "*" in content.replace(r"\*", "")


def _literal(content: str) -> str:
    return content.replace(r"\*", "*")


def _wild_match(content: str, text: str) -> bool:
    """Match ``*`` as any run of characters, each piece at its first place: no backtracking."""
    pieces = [_literal(piece) for piece in re.split(r"(?<!\\)\*", content)]
    first, last = pieces[0], pieces[-1]
    if not text.startswith(first) or len(text) < len(first) + len(last):
        return False
    position = len(first)
    end = len(text) - len(last)
    if not text.endswith(last):
        return False
    for piece in pieces[1:-1]:
        found = text.find(piece, position, end)
        if found < 0:
            return False
        position = found + len(piece)
    return True
