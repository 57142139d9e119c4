"""How the commands of the read-only list read their arguments.

Owns: the table of design 05 §8.3 with the guards of each command, and taking arguments apart.
Does not own: the verdict (``shell_readonly``), git (``shell_git``).
"""

import re
from collections.abc import Callable
from dataclasses import field

from pilotfish.codeintel.shell_words import Word
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Reader:
    """How one command of the list reads its arguments."""

    search: bool = False
    """Whether it searches (for grouping in views)."""
    pattern_first: bool = False
    """Whether its first operand is a pattern or a program and no path."""
    pattern_options: frozenset[str] = frozenset()
    """Options that give the pattern, so that the first operand is a path after all."""
    bad_long: tuple[str, ...] = ()
    """Long options that write or run something; their abbreviations count too."""
    bad_short: str = ""
    """Letters of short options that write or run something."""
    value_short: str = ""
    """Letters of short options that take a value (the rest of the word, or the next)."""
    value_long: frozenset[str] = frozenset()
    """Long options that take the next word as their value."""
    allowed_options: re.Pattern[str] | None = None
    """When set, every option must match it."""
    max_operands: int | None = None
    names_are_paths: bool = True
    """Whether operands are paths at all."""
    recursive: bool = False
    """Whether it reads what lies below a folder that it is given."""
    recursive_options: frozenset[str] = frozenset()
    content: bool = True
    """Whether it shows what is inside files."""
    check: Callable[[tuple[Word, ...]], bool] | None = field(default=None, repr=False)
    """A guard of its own over the words after the name; True means read-only."""


_FIND_TROUBLE = re.compile(r"^-(exec|execdir|ok|okdir|delete|fprint.*|fls|L|follow)$")
"""Writes, runs, or follows links out of the folders that were judged."""
_AWK_TROUBLE = re.compile(r"system\s*\(|\||>|@|getline|ARGV|ARGC|close\s*\(")


def _find_only_looks(words: tuple[Word, ...]) -> bool:
    return not any(_FIND_TROUBLE.match(word.value) for word in words)


def _awk_only_prints(words: tuple[Word, ...]) -> bool:
    index = 0
    while index < len(words) and words[index].value.startswith("-"):
        option = words[index].value
        if option == "--":
            index += 1
            break
        if not re.match(r"^-[Fv]", option):
            return False
        index += 2 if len(option) == 2 else 1
    if index >= len(words) or not words[index].known:
        return False
    # `||` is a plain "or"; any other bar opens a pipe.
    return not _AWK_TROUBLE.search(words[index].value.replace("||", ""))


def _date_only_shows(words: tuple[Word, ...]) -> bool:
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.value in ("-d", "--date", "-r", "--reference"):
            skip = True
        elif not word.value.startswith(("-", "+")):
            return False
    return True


def _no_operands(words: tuple[Word, ...]) -> bool:
    return all(word.value in ("-0", "--null") for word in words)


_GREP = Reader(
    search=True,
    pattern_first=True,
    pattern_options=frozenset({"-e", "-f", "--regexp", "--file"}),
    value_short="efmABCdD",
    value_long=frozenset({"--regexp", "--file", "--max-count", "--include", "--exclude",
                          "--exclude-dir", "--context"}),
    recursive_options=frozenset("r"),
    # These follow links out of the folders that were judged.
    bad_long=("--dereference-recursive",),
    bad_short="R",
)  # fmt: skip
_DIGEST = Reader(bad_long=("--check",), bad_short="c")

READERS: dict[str, Reader] = {
    "find": Reader(search=True, content=False, check=_find_only_looks),
    "grep": _GREP,
    "egrep": _GREP,
    "fgrep": _GREP,
    "rg": Reader(
        search=True, pattern_first=True, recursive=True,
        pattern_options=frozenset({"-e", "-f", "--regexp", "--file", "--files", "--type-list"}),
        bad_long=("--pre", "--hostname-bin", "--search-zip", "--follow"), bad_short="zL",
        value_short="efgtTmABCjMrE", value_long=frozenset({"--glob", "--type", "--regexp"}),
    ),
    "ag": Reader(search=True, pattern_first=True, recursive=True, bad_long=("--pager",),
                 value_short="ABCGgm"),
    "ack": Reader(search=True, pattern_first=True, recursive=True,
                  bad_long=("--pager", "--output", "--ackrc", "--env"), value_short="ABCmgx"),
    "locate": Reader(search=True, names_are_paths=False, content=False),
    "which": Reader(search=True, names_are_paths=False, content=False),
    "whereis": Reader(search=True, names_are_paths=False, content=False),
    "cat": Reader(),
    "head": Reader(value_short="nc"),
    "tail": Reader(value_short="ncs", bad_long=("--follow", "--retry"), bad_short="fF"),
    "wc": Reader(bad_long=("--files0-from",)),
    "stat": Reader(value_short="c", value_long=frozenset({"--format", "--printf"}), content=False),
    "file": Reader(bad_long=("--compile", "--uncompress", "--uncompress-noreport", "--magic-file",
                             "--files-from", "--preserve-date"), bad_short="CzZmfp"),
    "jq": Reader(pattern_first=True, pattern_options=frozenset({"-f", "--from-file"})),
    "awk": Reader(pattern_first=True, value_short="Fv", check=_awk_only_prints),
    "sort": Reader(bad_long=("--output", "--compress-program", "--files0-from",
                             "--temporary-directory"),
                   bad_short="oT", value_short="kStT",
                   value_long=frozenset({"--key", "--buffer-size", "--field-separator"})),
    "uniq": Reader(value_short="fsw", max_operands=1,
                   value_long=frozenset({"--skip-fields", "--skip-chars", "--check-chars"})),
    "cut": Reader(value_short="bcdf"),
    "tr": Reader(names_are_paths=False),
    "diff": Reader(bad_long=("--paginate",), bad_short="l", value_short="UCIxFW",
                   recursive_options=frozenset("r")),
    "less": Reader(allowed_options=re.compile(r"^-[NSRFXEeinr]+$")),
    "nl": Reader(value_short="bdfhilnsvw"),
    "md5sum": _DIGEST,
    "sha1sum": _DIGEST,
    "sha224sum": _DIGEST,
    "sha256sum": _DIGEST,
    "sha384sum": _DIGEST,
    "sha512sum": _DIGEST,
    "ls": Reader(content=False, value_short="Iw"),
    "tree": Reader(content=False, bad_short="o", bad_long=("--output",), value_short="LIP",
                   recursive=True),
    "du": Reader(content=False, bad_long=("--files0-from",), value_short="d"),
    "pwd": Reader(names_are_paths=False, content=False),
    "date": Reader(names_are_paths=False, content=False, bad_long=("--set", "--file"),
                   bad_short="sf", value_short="dr", check=_date_only_shows),
    "df": Reader(content=False),
    "realpath": Reader(content=False),
    "basename": Reader(names_are_paths=False, content=False),
    "dirname": Reader(names_are_paths=False, content=False),
    "env": Reader(names_are_paths=False, content=False, check=_no_operands),
    "printenv": Reader(names_are_paths=False, content=False),
}  # fmt: skip


def read_options(reader: Reader, rest: tuple[Word, ...]) -> list[tuple[str, Word, str]]:
    """Take the arguments apart.

    Returns:
        ``("operand", word, "" or "after --")``, ``("value", word, option)`` for a value in a word of
        its own, ``("long", word, "")``, ``("word", word, "")`` for a group of short options and
        ``("short", word, letter)`` for each letter of it.
    """
    found: list[tuple[str, Word, str]] = []
    waiting, ended = "", ""
    for word in rest:
        text = word.value
        if waiting:
            found.append(("value", word, waiting))
            waiting = ""
        elif ended or not text.startswith("-") or text == "-":
            found.append(("operand", word, ended))
        elif text == "--":
            ended = "after --"
        elif text.startswith("--"):
            found.append(("long", word, ""))
            waiting = text if text in reader.value_long else ""
        else:
            found.append(("word", word, ""))
            waiting = _letters(reader, word, found)
    return found


def _letters(reader: Reader, word: Word, found: list[tuple[str, Word, str]]) -> str:
    letters = word.value[1:]
    for index, letter in enumerate(letters):
        found.append(("short", word, letter))
        if letter in reader.value_short:
            return "-" + letter if index == len(letters) - 1 else ""
    return ""


def is_bad_long(text: str, bad: tuple[str, ...]) -> bool:
    """Tell whether a long option is one of the guarded ones or an abbreviation of one."""
    name = text.partition("=")[0]
    return len(name) > 2 and any(option.startswith(name) for option in bad)
