"""The settings language as one service.

Owns: bringing a text together with the other settings files, and the answers to an editor's
questions about it. Reads the other files, so its methods block: call them off the event loop.
Does not own: documents and positions of the editor (``edges.lsp``).
"""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pilotfish.config.layers import Layer
from pilotfish.config.sources import SettingsSources, is_trusted_project, load_layers
from pilotfish.permissions.language.beside_schema import (
    findings_beside,
    is_under_schema,
    items_beside,
)
from pilotfish.permissions.language.check import SettingsFinding, Surroundings, check
from pilotfish.permissions.language.complete import SettingsItem, complete
from pilotfish.permissions.language.document import (
    SettingsDocument,
    SettingsPlace,
    place_of,
    read_document,
)
from pilotfish.permissions.language.hover import SettingsHover, hover, hover_over_rule
from pilotfish.permissions.lint import PlacedRule
from pilotfish.permissions.state import PermissionState
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True)
class LanguageFacts:
    """What the language must know of the process."""

    state_folder: Path
    user_home: Path
    sources: Callable[[Path | None], SettingsSources]
    """Returns where the settings of a project come from; None for no project."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Analysis:
    """Everything about one text."""

    document: SettingsDocument
    around: Surroundings
    findings: tuple[SettingsFinding, ...]


class SettingsLanguage:
    """Answers for texts of settings files."""

    def __init__(self, facts: LanguageFacts) -> None:
        self._facts = facts
        self.has_schema = False
        """Whether the editor checks settings files by our JSON schema; then we leave that out."""

    def place_of(self, path: Path) -> SettingsPlace | None:
        """Tell which settings file a path is; None for any other. Does not touch the disk."""
        return place_of(path, self._facts.state_folder)

    def analyse(self, place: SettingsPlace, text: str, root: Path | None) -> Analysis:
        """Look at a text.

        Args:
            place: Which file it is.
            text: What the editor holds.
            root: The open project, for the user's own file.
        """
        document = read_document(place, text)
        around = self._around(place, place.root or root)
        findings = tuple(check(document, around))
        if self._leaves_out(place):
            findings = findings_beside(findings)
        return Analysis(document=document, around=around, findings=findings)

    def hover(self, analysis: Analysis, offset: int, root: Path | None) -> SettingsHover | None:
        """Return what to say about a place of a text."""
        home = self._facts.user_home
        project = (analysis.document.place.root or root or home).absolute()
        state = PermissionState(
            mode="default",
            project_root=project,
            cwd=project,
            home=home,
            state_folder=self._facts.state_folder,
            roots=(project.resolve(),),
            trusted=analysis.around.trusted,
            can_ask=True,
            ask_beats_allow=analysis.around.ask_beats_allow,
        )
        say = hover_over_rule if self._leaves_out(analysis.document.place) else hover
        return say(analysis.document, offset, state)

    def complete(self, place: SettingsPlace, text: str, offset: int) -> list[SettingsItem]:
        """Return what fits at a place of a text."""
        around = self._around(place, place.root)
        every = (*around.before, *around.after)
        servers = {one.rule.tool for one in every if one.rule.tool.startswith("mcp__")}
        items = complete(text, offset, servers)
        return items_beside(items) if self._leaves_out(place) else items

    def _leaves_out(self, place: SettingsPlace) -> bool:
        return self.has_schema and is_under_schema(place)

    def _around(self, place: SettingsPlace, root: Path | None) -> Surroundings:
        # What a broken file said before is for decisions; here it counts as it stands.
        sources = replace(self._facts.sources(root), memory=None)
        layers = load_layers(sources)
        index = next((i for i, layer in enumerate(layers) if _is(layer, place)), len(layers))
        return Surroundings(
            before=_placed(layers[:index]),
            after=_placed(layers[index + 1 :]),
            trusted=is_trusted_project(sources),
            ask_beats_allow=any(
                layer.values.permissions.ask_beats_allow is True for layer in layers
            ),
        )


def _is(layer: Layer, place: SettingsPlace) -> bool:
    if layer.file is None or layer.source != place.source:
        return False
    return os.path.realpath(layer.file) == os.path.realpath(place.file)


def _placed(layers: list[Layer]) -> tuple[PlacedRule, ...]:
    return tuple(
        PlacedRule(rule=rule, file=layer.file, line=line)
        for layer in layers
        for rule, line in zip(layer.rules, layer.lines, strict=True)
    )
