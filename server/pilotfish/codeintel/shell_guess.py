"""Guessing the commands in a line that was not understood.

Owns: splitting at everything that may end or open a command, quotes or not, so that deny rules,
path rules and danger classes look at whatever may run. Finds too much rather than too little.
Does not own: allowing anything: a guess is never complete.
"""

import re

from pilotfish.codeintel.shell_redirects import redirect_kind
from pilotfish.codeintel.shell_words import (
    GLOB_CHARACTERS,
    Redirect,
    SimpleCommand,
    Word,
    name_set,
)

MAX_GUESSES = 500
"""Pieces of a line that are looked at."""

_SPLIT = re.compile(r"\$\(|[<>]\(|[;&|()\n`{}]+")
_QUOTING = re.compile(r"\\\n|['\"\\]|\$(?=['\"])")
_REDIRECT = re.compile(r"(\d*)(>>|>\||>|<)\s*([^\s<>]+)")
_LEADING = name_set(
    "if then else elif while until do ! time coproc exec command builtin function in"
)
_ASSIGNMENT = re.compile(r"^[A-Za-z_]\w*=", re.ASCII)


def guess_commands(source: str) -> tuple[SimpleCommand, ...]:
    """Return what may run, piece by piece; quotes are taken off without regard to what they hold."""
    text = source.replace("\\\n", "").replace(">&", ">").replace("&>", ">")
    pieces = _SPLIT.split(text)[:MAX_GUESSES]
    # A redirection may name its target across what looks like a split: `> "a;b"`.
    found = [_guess(piece) for piece in (*pieces, " ".join(text.split("\n")))]
    return tuple(command for command in found if command is not None)


def _guess(piece: str) -> SimpleCommand | None:
    plain = _QUOTING.sub("", piece)
    redirects = tuple(_redirect(match) for match in _REDIRECT.finditer(plain))
    words = [_word(text) for text in _REDIRECT.sub(" ", plain).split()]
    while words and (words[0].value in _LEADING or _ASSIGNMENT.match(words[0].value)):
        words = words[1:]
    if not words and not redirects:
        return None
    raw = " ".join(word.raw for word in words)
    return SimpleCommand(
        words=tuple(words),
        redirects=redirects,
        text=raw,
        full_text=" ".join([raw, *(redirect.raw for redirect in redirects)]).strip(),
        nested=True,
    )


def _redirect(match: re.Match[str]) -> Redirect:
    target = _word(match.group(3))
    op = match.group(2)
    return Redirect(
        op=op, fd=None, target=target, kind=redirect_kind(op, target), raw=match.group()
    )


def _word(text: str) -> Word:
    glob_at = next((i for i, char in enumerate(text) if char in GLOB_CHARACTERS), None)
    return Word(
        raw=text, value=text, known="$" not in text, glob_at=glob_at, tilde=text.startswith("~")
    )
