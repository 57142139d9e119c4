"""What a shell command would do, as far as that can be told without running it.

Owns: one record of facts for a command line, used by the shell tool (may it run beside others?)
and by the permission layer. Pure: nothing here looks at the disk, so whether a path lies inside
the project or a repository is harmless is asked elsewhere.
Does not own: the decision (``permissions``).
See also: design 05 §8.2, §8.3, ``shell_readonly``, ``shell_danger``, ``shell_targets``.
"""

import re
from functools import lru_cache

from pilotfish.codeintel.shell_ast import CACHE_SIZE, parse_shell
from pilotfish.codeintel.shell_danger import Danger, danger_of, writes_device
from pilotfish.codeintel.shell_paths import (
    FolderTracker,
    PathUse,
    ShellPlace,
    resolve,
    resolve_loosely,
)
from pilotfish.codeintel.shell_readonly import SAFE_VARIABLES, is_neutral, reads_only
from pilotfish.codeintel.shell_targets import git_folder, reads_of, writes_of
from pilotfish.codeintel.shell_variables import variables_shown
from pilotfish.codeintel.shell_words import ShellCommand, SimpleCommand, Word, joined
from pilotfish.codeintel.shell_wrappers import (
    git_subcommand,
    inner_commands,
    inner_script,
    program_name,
    strip_harmless,
)
from pilotfish.util.records import dataclass

MAX_SCRIPT_DEPTH = 3
"""Scripts inside scripts (``bash -c "bash -c …"``) that are read."""

_VARIABLE = re.compile(r"\$(?:\{\w+\}|\w+|[*@#?$!-])|[\"']")

_NOWHERE = ShellPlace(cwd="/nowhere", home="/nowhere/home")


@dataclass(frozen=True, kw_only=True)
class PartFacts:
    """One sub-command of the line."""

    command: SimpleCommand
    spellings: tuple[str, ...]
    """Texts under which deny and ask rules look for it and for what it starts."""
    allow_spellings: tuple[str, ...]
    """Texts under which allow rules look for it: as written, and without harmless wrappers."""
    neutral: bool
    """It has no effect of its own and is skipped when a line is judged."""
    read_only: bool
    """It passes the read-only list and its guards, wherever its paths lie."""
    safe_environment: bool
    """No assignment before it changes what runs."""
    redirects_files: bool
    """It has a redirection that only an exact rule may cover."""
    reads: tuple[PathUse, ...]
    writes: tuple[PathUse, ...]
    unknown_paths: bool
    """A path or the folder that it starts in is known only to the shell."""
    folders: tuple[str, ...] | None
    """Folders in which it may start; None when only the shell could tell."""
    git_folders: tuple[str, ...]
    """Folders in whose repository git would run."""
    danger: Danger
    danger_reason: str
    variables: frozenset[str] = frozenset()
    """Variables of the environment that it may show; ``EVERY_VARIABLE`` for all."""


@dataclass(frozen=True, kw_only=True)
class ShellFacts:
    """A whole command line."""

    shell: ShellCommand
    parts: tuple[PartFacts, ...]
    """The sub-commands of the line, nested ones among them, scripts after ``-c`` last."""
    changes_folder: bool
    danger: Danger
    danger_reason: str

    @property
    def read_only(self) -> bool:
        """Whether every part only reads or has no effect. Says nothing about where."""
        return self.shell.kind == "simple" and all(
            part.neutral or part.read_only for part in self.parts
        )


def analyse(command: str, place: ShellPlace, *, background: bool = False) -> ShellFacts:
    """Gather the facts of a command line. Never raises; recent answers are reused."""
    return _analyse(command, place, background)


def forget_analysed() -> None:
    """Drop recent answers, for tests that take the grammar away."""
    _analyse.cache_clear()


def is_concurrency_safe(command: str) -> bool:
    """Tell whether a command may run beside other calls: it reads only and stays in its folder."""
    facts = analyse(command, _NOWHERE)
    return facts.read_only and not facts.changes_folder


@lru_cache(maxsize=CACHE_SIZE)
def _analyse(command: str, place: ShellPlace, background: bool) -> ShellFacts:  # noqa: FBT001
    shell = parse_shell(command)
    parts = _parts_of(shell, place, background=background, depth=0)
    danger, reason = _worst(shell, parts)
    return ShellFacts(
        shell=shell,
        parts=tuple(parts),
        changes_folder="cd" in shell.flags,
        danger=danger,
        danger_reason=reason,
    )


def _parts_of(
    shell: ShellCommand, place: ShellPlace, *, background: bool, depth: int
) -> list[PartFacts]:
    tracker = FolderTracker(place)
    parts: list[PartFacts] = []
    scripts: list[PartFacts] = []
    for command in shell.commands:
        folders = tracker.before(command)
        parts.append(_part(command, folders, place, background=background))
        tracker.after(command)
        if depth < MAX_SCRIPT_DEPTH:
            scripts += _scripts_of(command, folders, place, depth)
    return parts + scripts


def _scripts_of(
    command: SimpleCommand, folders: tuple[str, ...] | None, place: ShellPlace, depth: int
) -> list[PartFacts]:
    found: list[PartFacts] = []
    for words in inner_commands(command.words):
        script = inner_script(words)
        if script is None:
            continue
        cwd = folders[0] if folders else place.cwd
        inner = ShellPlace(cwd=cwd, home=place.home, roots=place.roots)
        found += _parts_of(parse_shell(script), inner, background=False, depth=depth + 1)
    return found


def _part(
    command: SimpleCommand,
    folders: tuple[str, ...] | None,
    place: ShellPlace,
    *,
    background: bool,
) -> PartFacts:
    stripped = strip_harmless(command.words)
    inner = inner_commands(command.words)
    reads, writes, unknown = _paths(command, inner, folders, place)
    safe = all(_is_safe(name) for name in (a.name for a in command.assignments))
    file_redirects = [r for r in command.redirects if not r.exempt]
    plain = safe and not any(r.kind == "write" for r in file_redirects)
    danger, reason = _danger(command, inner, folders, place)
    return PartFacts(
        command=command,
        spellings=_spellings(inner, command),
        allow_spellings=tuple(dict.fromkeys((command.text, joined(stripped)))),
        neutral=plain and (is_neutral(command.words) or _only_assigns(command)),
        read_only=plain and reads_only(stripped, background=background),
        safe_environment=safe,
        redirects_files=bool(file_redirects),
        reads=reads,
        writes=writes,
        unknown_paths=unknown,
        folders=folders,
        git_folders=_git_folders(inner, folders, place),
        danger=danger,
        danger_reason=reason,
        variables=variables_shown(command, tuple(word.value for word in stripped)),
    )


def _is_safe(variable: str) -> bool:
    return variable in SAFE_VARIABLES or variable.startswith("LC_")


def _only_assigns(command: SimpleCommand) -> bool:
    """Whether a bare assignment sets plain text. Without ``export`` it reaches later words only."""
    if command.words or command.redirects or not command.assignments:
        return False
    return all(
        (a.value is None or a.value.known) and (_is_safe(a.name) or a.name.islower())
        for a in command.assignments
    )


def _spellings(inner: list[tuple[Word, ...]], command: SimpleCommand) -> tuple[str, ...]:
    texts: list[str] = [command.text, command.full_text]
    redirects = [redirect.raw for redirect in command.redirects]
    for words in inner:
        texts += [joined(words), joined(words, decoded=True)]
        # What a wrapper starts writes where the wrapper does: `time echo a > b`.
        texts.append(" ".join([joined(words), *redirects]))
        name = program_name(words[0].value)
        tail = joined(words[1:], decoded=True)
        texts.append(f"{name} {tail}".rstrip())
        if not words[0].known:
            # Empty variables vanish from a name: `r${x}m` runs rm.
            texts.append(f"{_VARIABLE.sub('', words[0].raw)} {tail}".strip())
        if name == "git":
            texts.append(f"git {joined(git_subcommand(words), decoded=True)}".rstrip())
    return tuple(dict.fromkeys(text for text in texts if text))


def _paths(
    command: SimpleCommand,
    inner: list[tuple[Word, ...]],
    folders: tuple[str, ...] | None,
    place: ShellPlace,
) -> tuple[tuple[PathUse, ...], tuple[PathUse, ...], bool]:
    reads: dict[PathUse, None] = {}
    writes: dict[PathUse, None] = {}
    unknown = folders is None
    for folder in folders or (place.cwd,):
        for words in inner:
            found = reads_of(words, folder, place)
            unknown = unknown or None in found
            reads.update((use, None) for use in found if use)
            writes.update((use, None) for use in writes_of(words, folder, place))
        for redirect in command.redirects:
            if redirect.target is None or redirect.kind not in ("read", "write"):
                continue
            use = resolve_loosely(redirect.target, folder, place.home)
            certain = resolve(redirect.target, folder, place.home)
            unknown = unknown or certain is None or redirect.target.glob_at is not None
            if use:
                (writes if redirect.kind == "write" else reads)[use] = None
    return tuple(reads), tuple(writes), unknown


def _git_folders(
    inner: list[tuple[Word, ...]], folders: tuple[str, ...] | None, place: ShellPlace
) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for words in inner:
        if program_name(words[0].value) == "git":
            for folder in folders or ("/",):
                found[git_folder(words, folder, place)] = None
    return tuple(found)


def _danger(
    command: SimpleCommand,
    inner: list[tuple[Word, ...]],
    folders: tuple[str, ...] | None,
    place: ShellPlace,
) -> tuple[Danger, str]:
    if any(writes_device(redirect) for redirect in command.redirects):
        return "catastrophic", "it writes to a device"
    found = [danger_of(words, folders, place) for words in inner]
    if any(redirect.kind == "write" for redirect in command.redirects):
        found.append(("dangerous", "it writes to a file"))
    return _most(found)


def _worst(shell: ShellCommand, parts: list[PartFacts]) -> tuple[Danger, str]:
    if "fork_bomb" in shell.flags:
        return "catastrophic", "it starts itself again and again"
    return _most([(part.danger, part.danger_reason) for part in parts])


def _most(found: list[tuple[Danger, str]]) -> tuple[Danger, str]:
    for level in ("catastrophic", "dangerous"):
        for danger, reason in found:
            if danger == level:
                return danger, reason
    return "none", ""
