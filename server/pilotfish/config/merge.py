"""Which layer wins.

Owns: the merge of design 05 §7.2: for single values the strongest layer wins, switches that turn
something off count from any layer, rules of all layers stand beside each other. Layers of an
untrusted project may only tighten.
Does not own: reading layers (``sources``). Pure.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from pilotfish.config.layers import Layer
from pilotfish.config.modes import MODE_RANK, UNASKED_MODES, clamp, read_mode, read_settable_mode
from pilotfish.config.schema import (
    EditSettings,
    LoadedSettings,
    ModelSettings,
    PermissionSettings,
    Settings,
    SettingsProblem,
)
from pilotfish.core.permission import PermissionMode

_PROJECT_SOURCES = frozenset({"projectSettings", "localSettings"})

T = TypeVar("T")


def merge_layers(
    layers: list[Layer], *, trusted: bool, project_root: Path | None
) -> LoadedSettings:
    """Merge layers that are ordered weakest first."""
    problems = [problem for layer in layers for problem in layer.problems]
    mode = _mode(layers, trusted=trusted, problems=problems)
    free = [layer for layer in layers if trusted or layer.source not in _PROJECT_SOURCES]
    settings = Settings(
        permissions=PermissionSettings(
            default_mode=mode,
            bypass_disabled=any(
                layer.values.permissions.disable_bypass_permissions_mode == "disable"
                for layer in layers
            ),
            ask_beats_allow=any(
                layer.values.permissions.ask_beats_allow is True for layer in layers
            ),
            additional_directories=_directories(free, project_root, problems),
        ),
        model=_model(layers),
        edit=EditSettings(
            save_after_edit=_strongest(
                (layer.values.edit.save_after_edit for layer in layers),
                EditSettings().save_after_edit,
            )
        ),
        max_turns=_max_turns(layers, free),
    )
    _report_ignored(layers, trusted=trusted, problems=problems)
    return LoadedSettings(
        settings=settings,
        rules=tuple(dict.fromkeys(rule for layer in layers for rule in layer.rules)),
        problems=tuple(problems),
        trusted=trusted,
    )


def _mode(layers: list[Layer], *, trusted: bool, problems: list[SettingsProblem]) -> PermissionMode:
    current: PermissionMode = "default"
    cap: PermissionMode | None = None
    for layer in layers:
        wanted = _mode_of(layer, problems)
        if wanted is None:
            continue
        if layer.source == "policySettings":
            # What an administrator sets is the start for everyone and the most for anyone.
            cap = wanted
        if layer.source in _PROJECT_SOURCES and wanted in UNASKED_MODES:
            message = f"permissions.defaultMode: a project cannot choose {wanted}; you can."
            problems.append(SettingsProblem(text=message, file=layer.file))
            continue
        may_only_tighten = not trusted and layer.source in _PROJECT_SOURCES
        if may_only_tighten and MODE_RANK[wanted] > MODE_RANK[current]:
            text = layer.values.permissions.default_mode
            message = f"permissions.defaultMode {text!r} waits until the folder is trusted."
            problems.append(SettingsProblem(text=message, file=layer.file))
            continue
        current = wanted
    return current if cap is None else clamp(current, cap)


def _mode_of(layer: Layer, problems: list[SettingsProblem]) -> PermissionMode | None:
    """Return the mode that a layer names; an unusable name is reported and counts as default."""
    text = layer.values.permissions.default_mode
    if text is None:
        return None
    # The last layer carries what a client asked for, which knows modes that a file may not name.
    reading = read_mode(text) if layer.source == "cliArg" else read_settable_mode(text)
    if reading.mode is not None:
        return reading.mode
    message = f"permissions.defaultMode: {reading.problem}; `default` is used."
    problems.append(SettingsProblem(text=message, file=layer.file))
    return "default"


def _directories(
    layers: list[Layer], project_root: Path | None, problems: list[SettingsProblem]
) -> tuple[Path, ...]:
    found: dict[Path, None] = {}
    for layer in layers:
        for text in layer.values.permissions.additional_directories:
            if text.startswith("~"):
                message = f"additionalDirectories entry {text!r} is no absolute or project path."
                problems.append(SettingsProblem(text=message, file=layer.file))
            elif Path(text).is_absolute():
                found[Path(text)] = None
            elif project_root is not None and text:
                found[project_root / text] = None
    return tuple(found)


def _model(layers: list[Layer]) -> ModelSettings:
    defaults = ModelSettings()
    everywhere = [layer.values.model for layer in layers]
    # Where requests go decides who gets the source code and the key: never a project, trusted or not.
    own = [layer.values.model for layer in layers if layer.source not in _PROJECT_SOURCES]
    return ModelSettings(
        name=_strongest((model.name for model in everywhere), None),
        base_url=_strongest((model.base_url for model in own), None),
        max_tokens=_strongest((model.max_tokens for model in everywhere), defaults.max_tokens),
        thinking_budget_tokens=_strongest(
            (model.thinking_budget_tokens for model in everywhere), defaults.thinking_budget_tokens
        ),
    )


def _max_turns(layers: list[Layer], free: list[Layer]) -> int | None:
    chosen = _strongest((layer.values.max_turns for layer in free), None)
    limits = [
        layer.values.max_turns
        for layer in layers
        if layer not in free and layer.values.max_turns is not None
    ]
    return min([*limits, *([] if chosen is None else [chosen])], default=None)


def _report_ignored(layers: list[Layer], *, trusted: bool, problems: list[SettingsProblem]) -> None:
    for layer in layers:
        if layer.source not in _PROJECT_SOURCES:
            continue
        if layer.values.model.base_url is not None:
            message = "model.baseUrl is not taken from a project: it would get your key and code."
            problems.append(SettingsProblem(text=message, file=layer.file))
        if layer.values.permissions.additional_directories and not trusted:
            message = "permissions.additionalDirectories waits until the folder is trusted."
            problems.append(SettingsProblem(text=message, file=layer.file))


def _strongest(values: Iterable[T | None], otherwise: T) -> T:
    chosen = otherwise
    for value in values:
        if value is not None:
            chosen = value
    return chosen
