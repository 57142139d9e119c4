"""Shell commands as records.

Owns: turning a command line into sub-commands with a verdict on how well it is understood. Only
what is on a positive list of syntax counts as ``simple``; anything else is ``complex``, and what
the grammar or our own checks cannot read at all is an ``error``.
Does not own: what a command does (``shell_facts``), who may run it (``permissions``).
See also: design 06 §10.3, ``shell_tree`` (the walk), ``shell_fallback`` (without the grammar),
``shell_words`` (the records).
"""

import logging
import re
import unicodedata
from dataclasses import replace
from functools import lru_cache

from pilotfish.codeintel.shell_fallback import parse_without_grammar
from pilotfish.codeintel.shell_tree import walk
from pilotfish.codeintel.shell_words import ShellCommand

MAX_COMMAND_CHARS = 10_000
"""Longer commands are not parsed; they count as complex and incomplete."""

MAX_SUBCOMMANDS = 50
"""More sub-commands than this make a command complex; all of them are still collected."""

CACHE_SIZE = 256
"""Parsed commands that are kept: a dialog and a second decision ask for the same text again."""

# The shell drops a backslash together with the line end after it. Where blanks stand before it,
# grammar and shell agree on the words; elsewhere the grammar sees two words and the shell one.
_JOINING_CONTINUATION = re.compile(r"(?:(?<![ \t])|(?<=\\[ \t]))\\\n")

_ODD_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})

logger = logging.getLogger(__name__)


def parse_shell(source: str) -> ShellCommand:
    """Parse a command line. Never raises; the record of a recent text is reused.

    The first call loads the grammar, which takes some 50 ms: make it off the event loop.
    """
    return _parse(source)


def forget_parsed() -> None:
    """Drop the records of recent texts, for measuring and for tests that take the grammar away."""
    _parse.cache_clear()


def odd_character(source: str) -> str:
    """Say which character makes a command unreadable for people; empty when there is none.

    Control and format characters, carriage returns and blanks outside ASCII show as something
    else than what the shell reads.
    """
    for char in source:
        if " " <= char <= "~" or char in "\n\t":
            continue
        if unicodedata.category(char) in _ODD_CATEGORIES:
            return f"it holds the character U+{ord(char):04X}, which does not show as it acts"
    return ""


@lru_cache(maxsize=CACHE_SIZE)
def _parse(source: str) -> ShellCommand:
    odd = odd_character(source)
    if odd:
        return ShellCommand(source=source, kind="error", reason=odd, complete=False)
    if len(source) > MAX_COMMAND_CHARS:
        reason = f"it is longer than {MAX_COMMAND_CHARS} characters"
        return ShellCommand(source=source, kind="complex", reason=reason, complete=False)
    try:
        parsed = walk(source)
    except (ImportError, LookupError, OSError) as error:
        logger.warning("the shell grammar could not be loaded: %s", error)
        parsed = parse_without_grammar(source)
    if _JOINING_CONTINUATION.search(source) and "unparsed" not in parsed.flags:
        parsed = _with_joined_lines(source, parsed)
    if parsed.kind == "simple" and len(parsed.commands) > MAX_SUBCOMMANDS:
        return replace(parsed, kind="complex", reason=f"it has more than {MAX_SUBCOMMANDS} parts")
    return parsed


def _with_joined_lines(source: str, parsed: ShellCommand) -> ShellCommand:
    """Add the commands that appear when continued lines are joined as the shell joins them."""
    joined = walk(source.replace("\\\n", ""))
    return replace(
        parsed,
        kind="error" if parsed.kind == "error" else "complex",
        commands=parsed.commands + joined.commands,
        flags=parsed.flags | joined.flags,
        reason=parsed.reason or "a line is continued in the middle of a word",
        complete=parsed.complete and joined.complete,
    )
