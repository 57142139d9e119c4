"""All rules at a glance.

Owns: the rules in force with where each stands, whether it can be changed there and whether it counts
at present; the trusted folders; everything that is wrong with them.
Does not own: reading settings (``config``), finding what is wrong (``lint``).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pilotfish.config.layers import Layer
from pilotfish.config.schema import LoadedSettings
from pilotfish.core.permission import (
    Behavior,
    PermissionMode,
    PermissionRule,
    RuleDestination,
    RuleSource,
)
from pilotfish.permissions.lint import PlacedRule, RuleProblem, lint_rules
from pilotfish.permissions.rules import PROJECT_SOURCES
from pilotfish.util.records import dataclass

_DESTINATIONS: dict[RuleSource, RuleDestination] = {
    "userSettings": "user",
    "projectSettings": "project",
    "localSettings": "local",
    "session": "session",
}

FolderSource = Literal[RuleSource, "workspace"]
"""Where a trusted folder comes from; ``workspace`` is what the editor has open."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedRule:
    """A rule as a panel shows it."""

    rule: PermissionRule
    """What acts."""
    behavior: Behavior
    """The list that it stands in; a malformed deny rule acts as an ask rule."""
    text: str
    """As it is written there."""
    file: Path | None = None
    line: int | None = None
    """1-based."""
    destination: RuleDestination | None = None
    """Where it can be changed; None when it cannot be, as in managed settings."""
    counts: bool = True
    """False for an allow rule of a project that the user does not vouch for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TrustedFolder:
    """A folder whose files may be read without a question."""

    path: Path
    text: str
    """As it is written where it comes from."""
    source: FolderSource
    file: Path | None = None
    destination: RuleDestination | None = None
    counts: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleOverview:
    """Everything that a permissions panel shows, but for past decisions."""

    mode: PermissionMode
    trusted: bool
    """Whether the user vouches for the project's own settings."""
    rules: tuple[ListedRule, ...]
    folders: tuple[TrustedFolder, ...]
    problems: tuple[RuleProblem, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionGrants:
    """What holds for one session beside the settings."""

    rules: tuple[PermissionRule, ...] = ()
    folders: tuple[Path, ...] = ()
    roots: tuple[Path, ...] = ()
    mode: PermissionMode = "default"


def overview(
    loaded: LoadedSettings, layers: Sequence[Layer], grants: SessionGrants, root: Path | None
) -> RuleOverview:
    """Put together what a panel shows. Time grows with the number of rules squared."""
    listed = [one for layer in layers for one in _rules_of(layer, trusted=loaded.trusted)]
    known = {_meaning(one.rule) for one in listed if one.counts}
    listed += [
        ListedRule(rule=rule, behavior=rule.behavior, text=rule.text(), destination="session")
        for rule in grants.rules
        # A grant that was saved holds for the session as well; once is enough to show.
        if _meaning(rule) not in known
    ]
    folders = [
        TrustedFolder(path=path, text=str(path), source="workspace") for path in grants.roots
    ]
    folders += [one for layer in layers for one in _folders_of(layer, root, trusted=loaded.trusted)]
    folders += [
        TrustedFolder(path=path, text=str(path), source="session", destination="session")
        for path in grants.folders
    ]
    return RuleOverview(
        mode=grants.mode,
        trusted=loaded.trusted,
        rules=tuple(listed),
        folders=tuple(folders),
        problems=tuple(problems_of(loaded, layers)),
    )


def problems_of(loaded: LoadedSettings, layers: Sequence[Layer]) -> list[RuleProblem]:
    """Return everything that is wrong with the settings and their rules."""
    placed = [
        PlacedRule(rule=rule, file=layer.file, line=line)
        for layer in layers
        for rule, line in zip(layer.rules, layer.lines, strict=True)
    ]
    problems = [
        RuleProblem(kind="settings", text=problem.text, file=problem.file, line=problem.line)
        for problem in loaded.problems
    ]
    beats = loaded.settings.permissions.ask_beats_allow
    return problems + lint_rules(placed, ask_beats_allow=beats)


def _rules_of(layer: Layer, *, trusted: bool) -> list[ListedRule]:
    foreign = layer.source in PROJECT_SOURCES and not trusted
    return [
        ListedRule(
            rule=rule,
            behavior=behavior,
            text=text,
            file=layer.file,
            line=line,
            destination=_destination(layer),
            counts=not (foreign and rule.behavior == "allow"),
        )
        for rule, line, (behavior, text) in zip(
            layer.rules, layer.lines, layer.written, strict=True
        )
    ]


def _folders_of(layer: Layer, root: Path | None, *, trusted: bool) -> list[TrustedFolder]:
    foreign = layer.source in PROJECT_SOURCES and not trusted
    return [
        TrustedFolder(
            path=(root or Path("/")) / text,
            text=text,
            source=layer.source,
            file=layer.file,
            destination=_destination(layer),
            counts=not foreign,
        )
        for text in layer.values.permissions.additional_directories
    ]


def _destination(layer: Layer) -> RuleDestination | None:
    """Return where a layer's rules can be changed; the editor's own settings are its own matter."""
    return None if layer.file is None else _DESTINATIONS.get(layer.source)


def _meaning(rule: PermissionRule) -> tuple[Behavior, str, str | None]:
    return rule.behavior, rule.tool, rule.content
