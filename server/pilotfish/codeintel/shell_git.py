"""Which git commands only read.

Owns: the guards for git's reading sub-commands and its global options (design 05 §8.3).
Does not own: whether the repository's own configuration starts programs (``permissions.git_probe``).
"""

import re
from collections.abc import Callable

from pilotfish.codeintel.shell_readers import is_bad_long
from pilotfish.codeintel.shell_words import Word, name_set
from pilotfish.codeintel.shell_wrappers import git_subcommand

GIT_READERS = name_set(
    "status diff log branch show blame rev-parse remote ls-files describe tag stash"
)

_GIT_BAD_LONG = ("--output", "--ext-diff", "--textconv", "--show-signature", "--exec",
                 "--upload-pack", "--paginate", "--open-files-in-pager", "--filters")  # fmt: skip
_BRANCH_OPTION = re.compile(
    r"^(-[arvqi]+|-vv|--list|-l|--all|--remotes|--verbose|--show-current|--no-color|--color(=.*)?"
    r"|--(no-)?(contains|merged)(=.*)?|--points-at(=.*)?|--(sort|format|column|abbrev)=.*"
    r"|--no-column|--no-abbrev|--ignore-case)$"
)
_TAG_OPTION = re.compile(
    r"^(-n\d*|-l|--list|--(no-)?(contains|merged)(=.*)?|--points-at(=.*)?"
    r"|--(sort|format|column)=.*|-i|--ignore-case)$"
)
_LISTING = re.compile(r"^(--list|--(no-)?(contains|merged).*|--points-at.*)$")
_TAG_LISTING = re.compile(r"^(-l|-n\d*|--list|--(no-)?(contains|merged).*|--points-at.*)$")
_GIT_GLOBALS = frozenset({"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"})


def git_reads_only(words: tuple[Word, ...]) -> bool:
    """Tell whether a git command passes the guards; its words must all be known."""
    inner = git_subcommand(words)
    leading = words[1 : len(words) - len(inner)]
    if not inner or inner[0].value not in GIT_READERS or not _git_globals_harmless(leading):
        return False
    rest = inner[1:]
    named = _before_dashes(rest)
    options = [word.value for word in named if word.value.startswith("-")]
    operands = [word.value for word in rest if not word.value.startswith("-")]
    if any(word.glob_at == 0 for word in named):
        return False
    if any(is_bad_long(option, _GIT_BAD_LONG) for option in options):
        return False
    guard = _GIT_GUARDS.get(inner[0].value)
    return guard is None or guard(options, operands)


def _branch_lists(options: list[str], operands: list[str]) -> bool:
    listing = any(_LISTING.match(option) for option in options)
    return all(_BRANCH_OPTION.match(o) for o in options) and (listing or not operands)


def _tag_lists(options: list[str], operands: list[str]) -> bool:
    listing = any(_TAG_LISTING.match(option) for option in options)
    return all(_TAG_OPTION.match(o) for o in options) and (listing or not operands)


def _remote_lists(options: list[str], operands: list[str]) -> bool:
    if operands:
        return operands[0] == "get-url" and len(operands) == 2
    return set(options) <= {"-v", "--verbose"}


def _stash_lists(_: list[str], operands: list[str]) -> bool:
    return operands[:1] == ["list"]


_GIT_GUARDS: dict[str, Callable[[list[str], list[str]], bool]] = {
    "branch": _branch_lists,
    "tag": _tag_lists,
    "remote": _remote_lists,
    "stash": _stash_lists,
}


def _git_globals_harmless(leading: tuple[Word, ...]) -> bool:
    index = 0
    while index < len(leading):
        if leading[index].value == "-C" and index + 1 < len(leading):
            index += 2
        elif leading[index].value in _GIT_GLOBALS:
            index += 1
        else:
            return False
    return True


def _before_dashes(words: tuple[Word, ...]) -> tuple[Word, ...]:
    for index, word in enumerate(words):
        if word.value == "--":
            return words[:index]
    return words
