"""Exit codes that say something other than failure.

Owns: the short list of commands whose code 1 is an answer (design 06 §10.5).
"""

import shlex
from pathlib import PurePosixPath

_ANSWERS: dict[str, str] = {
    "grep": "no line matched",
    "egrep": "no line matched",
    "fgrep": "no line matched",
    "rg": "no line matched",
    "findstr": "no line matched",
    "diff": "the files differ",
    "cmp": "the files differ",
    "test": "the condition is false",
    "[": "the condition is false",
}

_SEPARATORS = frozenset({";", "|", "||", "|&", "&"})


def meaning_of(command: str, exit_code: int | None) -> str | None:
    """Tell what an exit code means when it is no failure; None when it is one, or not known.

    The code of a line is that of its last command. After ``&&`` one cannot tell whether that
    command ran at all.
    """
    if exit_code != 1:
        return None
    words = _words(command)
    if words is None:
        return None
    if "&&" in words or any(set(word) & set("()") for word in words):
        return None
    return answer_of(_last(words))


def answer_of(words: list[str]) -> str | None:
    """Tell what the exit code 1 of one command means; None when it is a failure, or not known."""
    program = PurePosixPath(words[0]).name if words else ""
    if program == "git" and "diff" in words and "--exit-code" in words:
        return "there are differences"
    return _ANSWERS.get(program)


def last_command(command: str) -> list[str]:
    """Return the words of the last command of a line that reads no pipe and no file.

    Empty when it reads one, and when that cannot be told.
    """
    words = _words(command) or []
    if any(set(word) & set("()<") for word in words) or "|" in words or "|&" in words:
        return []
    return _last([";" if word == "&&" else word for word in words])


def is_wait(command: str) -> bool:
    """Tell whether a command begins by only waiting: it is over when its time is."""
    words = _words(command) or [""]
    return PurePosixPath(words[0]).name == "sleep"


def _last(words: list[str]) -> list[str]:
    while words and words[-1] == ";":
        words = words[:-1]
    last: list[str] = []
    for word in words:
        last = [] if word in _SEPARATORS else [*last, word]
    return last


def _words(command: str) -> list[str] | None:
    """Return the words of a command with its operators between them; None when quotes are open."""
    lexer = shlex.shlex(command.replace("\n", ";"), posix=True, punctuation_chars=";&|()<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:
        return None
