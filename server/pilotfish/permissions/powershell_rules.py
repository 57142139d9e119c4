"""The content of ``PowerShell(…)`` rules against command texts.

Owns: exact text, ``prefix:*`` and ``*`` wildcards as for the shell, without regard to capitals; for
deny and ask rules, aliases stand for what they mean, on either side.
Does not own: reading a line (``codeintel.powershell``), which part must match (``rules``).
"""

import re
from functools import lru_cache

from pilotfish.codeintel.powershell import canonical_name
from pilotfish.permissions.command_rules import is_exact, text_matches

_WORD_BREAKS = re.compile(r"[\s;&|(){}<>$'\"\\/@,]+")


@lru_cache(maxsize=4096)
def powershell_matches(content: str, text: str) -> bool:
    """Tell whether a rule's content matches one folded command text, as it is written."""
    return text_matches(_folded(content), text)


@lru_cache(maxsize=4096)
def powershell_hits(content: str, text: str) -> bool:
    """Like ``powershell_matches`` for rules that forbid: with aliases, and generous with patterns."""
    folded = _folded(content)
    spellings = {folded, _canonical(folded)}
    # In a path a backslash stands before a star without taking away its meaning.
    spellings |= {spelling.replace("\\*", "*") for spelling in spellings}
    return any(text_matches(spelling, text) for spelling in spellings)


def powershell_is(content: str, source: str) -> bool:
    """Tell whether an exact rule stands for a whole line, blanks and capitals aside."""
    return is_exact(content) and _folded(content).replace("\\*", "*") == _folded(source)


def powershell_appears(content: str, source: str) -> bool:
    """Tell whether the fixed start of a rule's content stands anywhere in a line that cannot be read.

    Backticks, which PowerShell drops, do not hide a name.
    """
    fixed = content.removesuffix(":*").partition("*")[0]
    wanted, words = _words(fixed), _words(source)
    span = len(wanted)
    if not wanted:
        return True
    return any(words[index : index + span] == wanted for index in range(len(words) - span + 1))


def _words(text: str) -> list[str]:
    # A typographic dash counts as a plain one.
    text = re.sub("[\u2010-\u2015\u2212]", "-", text.replace("`", ""))
    return [canonical_name(word) for word in _WORD_BREAKS.split(text) if word]


def _canonical(content: str) -> str:
    name, blank, rest = content.partition(" ")
    name, colon, ending = name.partition(":*")
    return f"{canonical_name(name)}{colon}{ending}{blank}{rest}"


def _folded(text: str) -> str:
    """Fold capitals and make runs of blanks outside quotes one blank."""
    pieces = re.split(r"('[^']*'|\"[^\"]*\")", text.strip().casefold())
    return "".join(
        piece if index % 2 else re.sub(r"[ \t]+", " ", piece) for index, piece in enumerate(pieces)
    )
