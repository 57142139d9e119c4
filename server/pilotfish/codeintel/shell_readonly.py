"""Commands that only read.

Owns: the read-only list of design 05 §8.3 with the argument guards: options that write, run a
program or reach elsewhere take a command off the list.
Does not own: where the paths lie (``permissions``), what else a command may do (``shell_danger``).
"""

from collections.abc import Callable

from pilotfish.codeintel.shell_git import git_reads_only
from pilotfish.codeintel.shell_readers import READERS, Reader, is_bad_long, read_options
from pilotfish.codeintel.shell_words import Word, name_set

NEUTRAL = frozenset({"echo", "printf", "true", "false", ":", "cd"})
"""Commands without an effect of their own; they neither make nor break a read-only line."""

SAFE_VARIABLES = name_set(
    "NODE_ENV CI LANG LANGUAGE TZ FORCE_COLOR NO_COLOR PYTHONUNBUFFERED RUST_LOG RUST_BACKTRACE "
    "CLICOLOR CLICOLOR_FORCE TERM COLUMNS LINES"
)
"""Variables that may stand before a command without changing what runs."""

_VERSION_TOOLS = name_set(
    "node npm npx bun deno python python3 pip pip3 uv poetry ruby gem go cargo rustc rustup java "
    "javac git gh docker kubectl make cmake gcc g++ clang clang++ tsc php perl bash rg jq curl wget "
    "sqlite3 psql terraform helm dotnet swift zig ninja pytest ruff mypy pyright eslint prettier"
)
_VERSION_OPTIONS = frozenset({"--version", "-V"})


def _printf_only_prints(words: tuple[Word, ...]) -> bool:
    return not words or (words[0].known and not words[0].value.startswith("-v"))


def _anything(_: tuple[Word, ...]) -> bool:
    return True


NEUTRAL_CHECKS: dict[str, Callable[[tuple[Word, ...]], bool]] = {"printf": _printf_only_prints}


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
        return git_reads_only(words)
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
    return bool(unlisted) or (kind == "long" and is_bad_long(word.value, reader.bad_long))
