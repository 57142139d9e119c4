"""The settings of language servers and diagnostics.

Owns: ``codeIntelligence`` of a settings file, its merged form, which layer wins.
Does not own: what is done with it (``codeintel.servers``).
"""

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any, Literal, TypeVar

from pydantic import Field, ValidationError

from pilotfish.config.code_index import IndexSection
from pilotfish.config.section import Section
from pilotfish.config.wrong_values import said_of
from pilotfish.core.jsontypes import JsonMapping
from pilotfish.util.records import dataclass

T = TypeVar("T")

EditorFeatures = Literal["auto", "on", "off"]
"""For which languages the editor hears from us about code; ``auto``: where nobody else serves it."""

DEFAULT_DIAGNOSTICS_WAIT_MS = 2_000
"""Longest wait for a judgement after an edit when no setting says otherwise (design §6.3)."""

DEFAULT_DIAGNOSTICS_PER_FILE = 10
"""Diagnostics of one file that the model is told at once when no setting says otherwise (design §6.5)."""

DEFAULT_DIAGNOSTICS_PER_TURN = 30
"""Diagnostics that it is told in one turn when no setting says otherwise (design §6.5)."""

DEFAULT_PREFLIGHT_WAIT_MS = 500
"""Longest wait for a judgement before an edit, for the dialog, when no setting says otherwise (design §6.6)."""


class ServerSection(Section):
    """One entry of ``codeIntelligence.servers``."""

    command: list[str] = Field(min_length=1)
    languages: dict[str, str] = Field(min_length=1)
    root_markers: list[str] = Field(default_factory=list)
    initialization_options: dict[str, Any] = Field(default_factory=dict[str, Any])
    settings: dict[str, Any] = Field(default_factory=dict[str, Any])
    env: dict[str, str] = Field(default_factory=dict[str, str])


class CodeIntelligenceSection(Section):
    """``codeIntelligence`` of a settings file."""

    use_servers: bool | None = None
    servers: dict[str, Any] = Field(default_factory=dict[str, Any])
    python: str | None = None
    python_by_folder: dict[str, str] | None = None
    diagnostics: bool | None = None
    diagnostics_wait_ms: int | None = Field(default=None, ge=0, le=30_000)
    diagnostics_per_file: int | None = Field(default=None, ge=1, le=100)
    diagnostics_per_turn: int | None = Field(default=None, ge=1, le=300)
    preflight_wait_ms: int | None = Field(default=None, ge=0, le=60_000)
    quiet_languages: list[str] | None = None
    editor_features: EditorFeatures | None = None
    index: IndexSection = Field(default_factory=IndexSection)


@dataclass(frozen=True, kw_only=True)
class ServerEntry:
    """A language server that a settings file describes."""

    name: str
    argv: tuple[str, ...]
    languages: Mapping[str, str]
    """From the suffix of a file, with its dot, to the language's name in the protocol."""
    root_markers: tuple[str, ...]
    initialization_options: JsonMapping
    settings: JsonMapping
    env: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class CodeIntelligenceSettings:
    """How code is understood, and what the model is told of its edits."""

    use_servers: bool = True
    """Whether language servers of our own may run."""
    servers: tuple[ServerEntry, ...] = ()
    """In the order of their names."""
    servers_off: frozenset[str] = frozenset()
    """Names of servers that are not wanted."""
    python: str = ""
    """An interpreter, or the folder of its environment; empty: it is looked for."""
    python_by_folder: Mapping[str, str] = field(default_factory=dict[str, str])
    """The same for single folders, by their paths; goes before ``python``."""
    diagnostics: bool = True
    """Whether the model is told what language servers find of its edits."""
    diagnostics_wait_ms: int = DEFAULT_DIAGNOSTICS_WAIT_MS
    diagnostics_per_file: int = DEFAULT_DIAGNOSTICS_PER_FILE
    diagnostics_per_turn: int = DEFAULT_DIAGNOSTICS_PER_TURN
    preflight_wait_ms: int = DEFAULT_PREFLIGHT_WAIT_MS
    """How long a dialog waits for what language servers say of an edit; 0: syntax alone."""
    quiet_languages: frozenset[str] = field(default_factory=frozenset[str])
    """Languages of which the model is told nothing."""
    editor_features: EditorFeatures = "auto"


Problem = str


def merge_code_intelligence(
    everywhere: list[CodeIntelligenceSection], free: list[CodeIntelligenceSection]
) -> tuple[CodeIntelligenceSettings, list[Problem]]:
    """Merge sections, weakest first.

    Args:
        everywhere: Of all layers: each may switch something off.
        free: Of those layers that may loosen: they alone say which programs run.
    """
    usual = CodeIntelligenceSettings()
    problems: list[Problem] = []
    entries: dict[str, ServerEntry] = {}
    off: set[str] = set()
    for section in free:
        for name, value in section.servers.items():
            off.discard(name)
            entries.pop(name, None)
            if value is False:
                off.add(name)
            else:
                _take(name, value, entries, problems)
    off |= {name for one in everywhere for name, value in one.servers.items() if value is False}
    forbidden = any(one.use_servers is False for one in everywhere if one not in free)
    return (
        CodeIntelligenceSettings(
            use_servers=_strongest((one.use_servers for one in free), usual.use_servers)
            and not forbidden,
            servers=tuple(entries[name] for name in sorted(entries) if name not in off),
            servers_off=frozenset(off),
            python=_strongest((one.python for one in free), usual.python),
            python_by_folder=_strongest((one.python_by_folder for one in free), {}),
            diagnostics=_strongest((one.diagnostics for one in everywhere), usual.diagnostics),
            diagnostics_wait_ms=_strongest(
                (one.diagnostics_wait_ms for one in everywhere), usual.diagnostics_wait_ms
            ),
            diagnostics_per_file=_strongest(
                (one.diagnostics_per_file for one in everywhere), usual.diagnostics_per_file
            ),
            diagnostics_per_turn=_strongest(
                (one.diagnostics_per_turn for one in everywhere), usual.diagnostics_per_turn
            ),
            preflight_wait_ms=_strongest(
                (one.preflight_wait_ms for one in everywhere), usual.preflight_wait_ms
            ),
            editor_features=_strongest(
                (one.editor_features for one in everywhere), usual.editor_features
            ),
            quiet_languages=frozenset(_strongest((one.quiet_languages for one in everywhere), [])),
        ),
        problems,
    )


def _take(
    name: str, value: object, entries: dict[str, ServerEntry], problems: list[Problem]
) -> None:
    try:
        section = ServerSection.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        problems.append(f"codeIntelligence.servers.{name}: {place or 'it'}: {said_of(first)}.")
        return
    entries[name] = ServerEntry(
        name=name,
        argv=tuple(section.command),
        languages={
            f".{suffix.removeprefix('.').lower()}": language
            for suffix, language in section.languages.items()
        },
        root_markers=tuple(section.root_markers),
        initialization_options=section.initialization_options,
        settings=section.settings,
        env=section.env,
    )


def _strongest(values: Iterable[T | None], otherwise: T) -> T:
    chosen = otherwise
    for value in values:
        if value is not None:
            chosen = value
    return chosen
