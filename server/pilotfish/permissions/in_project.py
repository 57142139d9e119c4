"""Commands that provably stay inside the project.

Owns: the proof that the mode ``autoInProject`` wants before it runs a command unasked (design 05
§7.1). Whatever is not proved asks.
Does not own: what happens then (``modes``), danger classes (``codeintel.shell_danger``).

The programs are a positive list. A negative one would have to know every program with an option
that runs a command or reaches the network; `tar --checkpoint-action=exec=…` is one of hundreds.
Project code that the listed builders and test runners start is the user's choice of this mode.
"""

import re

from pilotfish.codeintel.shell_words import Word, name_set
from pilotfish.codeintel.shell_wrappers import strip_harmless
from pilotfish.permissions.case import Case, PartCase
from pilotfish.permissions.paths import classify

_FILE_PROGRAMS = name_set("rm rmdir mv cp mkdir touch ln chmod tee truncate unlink")
"""Programs whose operands are all that they touch."""

_RUNNERS = name_set(
    "make pytest tox nox ruff mypy pyright basedpyright black isort flake8 pylint coverage eslint "
    "prettier tsc vitest jest mocha ctest phpunit rspec gofmt rustfmt shellcheck"
)
"""Builders, checkers and test runners of the project's own code."""

_RUNNER_WORDS: dict[str, frozenset[str]] = {
    "npm": name_set("test t run run-script"),
    "pnpm": name_set("test t run"),
    "yarn": name_set("test run"),
    "bun": name_set("test run"),
    "cargo": name_set("build test check clippy fmt run bench doc"),
    "go": name_set("build test vet fmt run"),
    "dotnet": name_set("build test format run"),
    "mvn": name_set("compile test verify package"),
    "gradle": name_set("build test check assemble"),
    "git": name_set(
        "add commit status diff log show switch stash restore reset merge mv rm init checkout branch "
        "tag blame"
    ),
}
"""Sub-commands that build, test or keep history in the project; the others may reach further."""

_PYTHON = re.compile(r"^python[\d.]*$")
_PYTHON_MODULES = name_set("pytest unittest doctest compileall mypy ruff black isort coverage")
_SCRIPT_HOSTS = name_set("node ruby perl php")
_RUNS_TEXT = re.compile(r"exec|eval|config|command|cmd|shell|runner|hook|program|wrapper|ext-diff")
"""In the name of an option: its value may be code or name a program."""

MAX_OPTION_CHARS = 60
"""A longer option without an equals sign is not looked into, so it proves nothing."""

_MOVERS = frozenset({"mv", "ln", "cp"})
"""After one of these a name may lead elsewhere than it did when the line was judged."""

_RECURSIVE = re.compile(r"^(-\w*[rRa]\w*|--recursive|--archive)$")
_GLOB_PROGRAMS = frozenset({"rm", "rmdir", "git"})
"""They act on a link itself, so that a pattern which finds one does not lead outside."""

_AFTER_SEPARATOR = re.compile(r"(?<=[=:,@])(?=[^=:,@])")
_SLASH = re.compile(r"/")
_SLASH_AFTER_NO_NAME = re.compile(r"(?<![\w./~+-])/")
_NEUTRAL = frozenset({"echo", "printf", "true", "false", ":", "cd"})


def stays_in_project(case: Case) -> bool:
    """Tell whether every part of a command runs a listed program on paths inside the project."""
    shell = case.shell
    if case.call.tool != "Bash":
        return False
    if shell is None or shell.shell.kind != "simple" or not shell.shell.complete:
        return False
    parts = [part for part in case.parts if not part.harmless]
    moved = any(_name(part) in _MOVERS for part in parts)
    if moved and len(parts) > 1:
        return False
    return bool(case.parts) and all(_is_proved(part) for part in parts)


def _name(part: PartCase) -> str:
    words = strip_harmless(part.facts.command.words)
    return words[0].value if words else ""


def _is_proved(part: PartCase) -> bool:
    facts = part.facts
    words = strip_harmless(facts.command.words)
    if not words or not facts.safe_environment or facts.unknown_paths or facts.folders is None:
        return False
    if (
        part.secret_variables
        or not _git_is_ours(part)
        or any(redirect.kind == "text" for redirect in facts.command.redirects)
    ):
        return False
    if any(access.facts.tier != "inside" for access in (*part.reads, *part.writes)):
        return False
    if any(classify(folder, part.state).tier != "inside" for folder in facts.folders):
        return False
    if not all(word.known for word in words):
        return False
    checked = _without_messages(words)
    inside = all(_word_stays_inside(word, words[0].value, part) for word in checked)
    return inside and _runs_listed_program(words, part)


def _git_is_ours(part: PartCase) -> bool:
    """Tell whether the repository, all of which a command may change, lies inside the project."""
    probe = part.state.probe
    for folder in part.facts.git_folders:
        top = probe.git_top(probe.real_path(folder))
        # An unusual configuration may put the files that git changes anywhere.
        if top is None or not probe.git_is_quiet(folder):
            return False
        if classify(top, part.state).tier != "inside":
            return False
    return True


def _without_messages(words: tuple[Word, ...]) -> list[Word]:
    """Leave out what follows ``git commit -m``: it is text, whatever it looks like."""
    if words[0].value != "git":
        return list(words)
    return [
        word
        for before, word in zip((words[0], *words), words, strict=False)
        if before.value not in ("-m", "-am", "--message")
    ]


def _runs_listed_program(words: tuple[Word, ...], part: PartCase) -> bool:
    name, rest = words[0].value, [word.value for word in words[1:]]
    if name in _NEUTRAL:
        return True
    if name in _FILE_PROGRAMS:
        return name != "cp" or not any(_RECURSIVE.match(value) for value in rest)
    if any(value == "-" or _may_carry_code(value) for value in rest):
        return False
    # A path leads to a program of the project: that was checked with the other words.
    return "/" in name or name in _RUNNERS or part.facts.read_only or _runs_listed_word(words)


def _runs_listed_word(words: tuple[Word, ...]) -> bool:
    """Tell whether a program with sub-commands, or a script's host, runs something on the list."""
    name, rest = words[0].value, [word.value for word in words[1:]]
    if not rest:
        return False
    if name in _RUNNER_WORDS:
        # For git also: no global option before the sub-command.
        return rest[0] in _RUNNER_WORDS[name]
    if _PYTHON.match(name):
        module = rest[1] if rest[0] == "-m" and len(rest) > 1 else ""
        return module in _PYTHON_MODULES or not rest[0].startswith("-")
    return name in _SCRIPT_HOSTS and not rest[0].startswith("-")


def _may_carry_code(value: str) -> bool:
    name, equals, _ = value.partition("=")
    if not value.startswith("-"):
        # `make SHELL=…` hands a value to the build.
        return bool(equals) and name.isidentifier()
    return bool(_RUNS_TEXT.search(name))


def _word_stays_inside(word: Word, program: str, part: PartCase) -> bool:
    """Tell whether nothing in a word can be a path that leads out of the project."""
    text = word.value
    if word.tilde or "~/" in text:
        return False
    if word.glob_at is not None:
        pattern = text[word.glob_at :]
        if program not in _GLOB_PROGRAMS or "{" in pattern or "/" in pattern:
            return False
        text = text[: word.glob_at].rpartition("/")[0]
    glued = text.startswith("-") and not (text.startswith("--") and "=" in text)
    slashes = _SLASH if glued else _SLASH_AFTER_NO_NAME
    starts = {0, *(m.start() for m in _AFTER_SEPARATOR.finditer(text))}
    starts |= {match.start() for match in slashes.finditer(text)}
    if glued:
        # Any letter of a group may be the option that takes the rest as its value: `cp -rtlink x`.
        if ".." in text or len(text) > MAX_OPTION_CHARS:
            return False
        starts |= set(range(2, len(text)))
    return all(_is_inside(text[start:], part) for start in starts)


def _is_inside(text: str, part: PartCase) -> bool:
    if text.startswith("/"):
        return classify(text, part.state).tier == "inside"
    return all(
        classify(f"{folder}/{text}", part.state).tier == "inside"
        for folder in part.facts.folders or ()
    )
