"""Looking through programs that run other programs.

Owns: finding the command inside ``timeout 5 make``, ``sudo rm x``, ``bash -c '…'``, ``git -C d log``.
Does not own: whether the inner command is allowed.

Two degrees. ``strip_harmless`` takes off wrappers that change nothing about what runs; allow rules
and the read-only list see through those only. ``inner_commands`` finds everything that may run;
deny and ask rules and the danger classes use it, so a miss there is the costly error.
"""

from pilotfish.codeintel.shell_words import Word, name_set

Words = tuple[Word, ...]

MAX_LAYERS = 6
"""Wrappers inside wrappers that are looked through."""

# Options of the harmless wrappers that take their value as the next word.
_HARMLESS: dict[str, frozenset[str]] = {
    "time": frozenset(),
    "timeout": frozenset({"-k", "--kill-after", "-s", "--signal"}),
    "nice": frozenset({"-n", "--adjustment"}),
    "nohup": frozenset(),
    "stdbuf": frozenset({"-i", "-o", "-e", "--input", "--output", "--error"}),
}
_OTHER_WRAPPERS: dict[str, frozenset[str]] = {
    "sudo": name_set("-u -g -h -p -C -D -R -T -U -r -t --user --group --host --prompt --chdir "
                       "--chroot --role --type --other-user --close-from"),
    "doas": frozenset({"-u", "-C"}),
    "env": frozenset({"-u", "--unset", "-C", "--chdir", "-S", "--split-string"}),
    "xargs": name_set("-a -d -E -I -L -n -P -s --arg-file --delimiter --max-lines --max-args "
                        "--max-procs --max-chars --replace"),
    "command": frozenset(),
    "builtin": frozenset(),
    "coproc": frozenset(),
    "exec": frozenset({"-a"}),
    "busybox": frozenset(),
    "setsid": frozenset(),
    "ionice": frozenset({"-c", "-n", "-p"}),
    "chronic": frozenset(),
    "watch": frozenset({"-n", "--interval"}),
    "unbuffer": frozenset(),
    "caffeinate": frozenset({"-t"}),
    "chrt": frozenset(),
    "taskset": frozenset(),
    "npx": frozenset({"-p", "--package"}),
}  # fmt: skip
_GIT_GLOBAL_VALUES = frozenset(
    {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env",
     "--super-prefix", "--attr-source"}
)  # fmt: skip
_FIND_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
WRAPPERS = frozenset(_HARMLESS) | frozenset(_OTHER_WRAPPERS)
"""Programs that run whatever their arguments name."""

SHELLS = name_set("bash sh zsh dash ksh ash fish")
"""Programs that take a script after ``-c``."""


def strip_harmless(words: Words) -> Words:
    """Take off ``time``, ``timeout``, ``nice``, ``nohup`` and ``stdbuf`` with plain options."""
    for _ in range(MAX_LAYERS):
        if not words or words[0].value not in _HARMLESS:
            return words
        rest = _after_options(words, _HARMLESS[words[0].value]) or ()
        if words[0].value == "timeout":
            rest = rest[1:]
        if not rest:
            return words
        words = rest
    return words


def inner_commands(words: Words) -> list[Words]:
    """Return the command itself and every command that it visibly starts, outermost first.

    A script given as text (``bash -c``, ``eval``) is not among them; see ``inner_script``.
    """
    found: list[Words] = []
    pending = [words]
    while pending and len(found) < MAX_LAYERS:
        current = pending.pop(0)
        if not current:
            continue
        found.append(current)
        pending.extend(_started_by(current))
    return found


def inner_script(words: Words) -> str | None:
    """Return the script of ``bash -c SCRIPT`` or ``eval WORDS`` as text; None for others."""
    if not words:
        return None
    name = program_name(words[0].value)
    if name == "eval":
        return " ".join(word.value for word in words[1:])
    if name in SHELLS:
        for index, word in enumerate(words[1:-1], start=1):
            if word.value.startswith("-") and "c" in word.value and not word.value.startswith("--"):
                return words[index + 1].value
    if name == "env":
        for index, word in enumerate(words[1:], start=1):
            if word.value in ("-S", "--split-string") and index + 1 < len(words):
                return words[index + 1].value
            if word.value.startswith("-S"):
                return word.value[2:]
    return None


def program_name(name: str) -> str:
    """Return the last part of a program's path."""
    return name.rpartition("/")[2] or name


def git_subcommand(words: Words) -> Words:
    """Return ``words`` from git's sub-command on, without the global options before it."""
    return _after_options(words, _GIT_GLOBAL_VALUES) or ()


def _started_by(words: Words) -> list[Words]:
    if not words[0].known:
        # An empty variable vanishes, and the next word is the command.
        return [words[1:]]
    name = program_name(words[0].value)
    if name in _HARMLESS:
        rest = _after_options(words, _HARMLESS[name]) or ()
        return [_after_assignments(rest[1:] if name == "timeout" else rest)]
    if name in _OTHER_WRAPPERS:
        return [_after_assignments(_after_options(words, _OTHER_WRAPPERS[name]) or ())]
    if name == "find":
        return _find_commands(words)
    return []


def _after_assignments(words: Words) -> Words:
    """Return what follows assignments: those of ``env``, ``sudo`` and of the keyword ``time``.

    Where a wrapper takes none, a program whose name holds ``=`` is not worth the difference.
    """
    while words and "=" in words[0].value:
        words = words[1:]
    return words


def _find_commands(words: Words) -> list[Words]:
    found: list[Words] = []
    for index, word in enumerate(words):
        if word.value in _FIND_RUNS:
            inner = words[index + 1 :]
            ends = [i for i, w in enumerate(inner) if w.value in (";", "+")]
            found.append(inner[: ends[0]] if ends else inner)
    return found


def _after_options(words: Words, with_value: frozenset[str]) -> Words | None:
    """Return what follows the program's own options; None when they cannot be told apart."""
    index = 1
    while index < len(words):
        value = words[index].value
        if value == "--":
            return words[index + 1 :]
        if not value.startswith("-") or value == "-":
            return words[index:]
        index += 2 if value in with_value else 1
    return None
