"""Commands that only read.

Owns: the read-only list of design 05 §8.3 with the argument guards: options that write, run a
program or reach elsewhere take a command off the list.
Does not own: where the paths lie (``permissions``), what else a command may do (``shell_danger``).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from pilotfish.codeintel.shell_words import Word, name_set
from pilotfish.codeintel.shell_wrappers import git_subcommand

NEUTRAL = frozenset({"echo", "printf", "true", "false", ":", "cd"})
"""Commands without an effect of their own; they neither make nor break a read-only line."""

SAFE_VARIABLES = name_set(
    "NODE_ENV CI LANG LANGUAGE TZ FORCE_COLOR NO_COLOR PYTHONUNBUFFERED RUST_LOG RUST_BACKTRACE "
    "CLICOLOR CLICOLOR_FORCE TERM COLUMNS LINES"
)
"""Variables that may stand before a command without changing what runs."""

GIT_READERS = name_set(
    "status diff log branch show blame rev-parse remote ls-files describe tag stash"
)

_VERSION_TOOLS = name_set(
    "node npm npx bun deno python python3 pip pip3 uv poetry ruby gem go cargo rustc rustup java "
    "javac git gh docker kubectl make cmake gcc g++ clang clang++ tsc php perl bash rg jq curl wget "
    "sqlite3 psql terraform helm dotnet swift zig ninja pytest ruff mypy pyright eslint prettier"
)
_VERSION_OPTIONS = frozenset({"--version", "-V"})


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


_FIND_WRITES = re.compile(r"^-(exec|execdir|ok|okdir|delete|fprint.*|fls)$")
_AWK_TROUBLE = re.compile(r"system\s*\(|\||>|@|getline|ARGV|ARGC|close\s*\(")


def _find_only_looks(words: tuple[Word, ...]) -> bool:
    return not any(_FIND_WRITES.match(word.value) for word in words)


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


def _printf_only_prints(words: tuple[Word, ...]) -> bool:
    return not words or (words[0].known and not words[0].value.startswith("-v"))


def _anything(_: tuple[Word, ...]) -> bool:
    return True


NEUTRAL_CHECKS: dict[str, Callable[[tuple[Word, ...]], bool]] = {"printf": _printf_only_prints}

_GREP = Reader(
    search=True,
    pattern_first=True,
    pattern_options=frozenset({"-e", "-f", "--regexp", "--file"}),
    value_short="efmABCdD",
    value_long=frozenset({"--regexp", "--file", "--max-count", "--include", "--exclude",
                          "--exclude-dir", "--context"}),
    recursive_options=frozenset("rR"),
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
        bad_long=("--pre", "--hostname-bin", "--search-zip"), bad_short="z",
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
                             "--files-from"), bad_short="CzZmf"),
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


def reads_only(words: tuple[Word, ...], *, background: bool = False) -> bool:
    """Tell whether a command passes the list and its guards, wherever its paths lie.

    Args:
        words: The words of one command, harmless wrappers taken off.
        background: Whether the command runs in the background, where following a file is fine.
    """
    if not words or not words[0].known:
        return False
    name, rest = words[0].value, words[1:]
    if _asks_version(name, rest):
        return True
    if any(not word.known for word in rest):
        return False
    if name == "git":
        return _git_reads_only(words)
    reader = READERS.get(name)
    if reader is None or (reader.check and not reader.check(rest)):
        return False
    if name == "tail" and background:
        reader = READERS["head"]
    return _passes(reader, rest)


def is_neutral(words: tuple[Word, ...]) -> bool:
    """Tell whether a command has no effect of its own (``cd`` is judged by its target)."""
    if not words or not words[0].known or words[0].value not in NEUTRAL:
        return False
    return NEUTRAL_CHECKS.get(words[0].value, _anything)(words[1:])


def _asks_version(name: str, rest: tuple[Word, ...]) -> bool:
    if len(rest) != 1 or name not in _VERSION_TOOLS:
        return False
    return rest[0].value in _VERSION_OPTIONS or (name == "node" and rest[0].value == "-v")


def _passes(reader: Reader, rest: tuple[Word, ...]) -> bool:
    taken = read_options(reader, rest)
    if any(_is_guarded(reader, kind, word, detail) for kind, word, detail in taken):
        return False
    operands = sum(kind == "operand" for kind, _, _ in taken)
    return reader.max_operands is None or operands <= reader.max_operands


def _is_guarded(reader: Reader, kind: str, word: Word, detail: str) -> bool:
    if kind == "operand":
        # A pattern at the start of a word may become an option: a file named `-o…`.
        guarded = reader.bad_long or reader.bad_short or reader.allowed_options or reader.check
        may_be_option = bool(guarded) and word.glob_at == 0 and not detail
        runs_at_start = reader.allowed_options is not None and word.value.startswith("+")
        return may_be_option or runs_at_start
    if kind == "short":
        return detail in reader.bad_short
    if kind == "value":
        return False
    unlisted = reader.allowed_options and not reader.allowed_options.match(word.value)
    return bool(unlisted) or (kind == "long" and _is_bad_long(word.value, reader.bad_long))


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


def _is_bad_long(text: str, bad: tuple[str, ...]) -> bool:
    name = text.partition("=")[0]
    return len(name) > 2 and any(option.startswith(name) for option in bad)


def _git_reads_only(words: tuple[Word, ...]) -> bool:
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
    if any(_is_bad_long(option, _GIT_BAD_LONG) for option in options):
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
