"""Settings that only some layers may set.

Owns: the switches of the user and the administrator that skip questions, the administrator's hold on
allow rules, and where plans may be kept.
Does not own: the general merge (``merge``). Pure.
"""

import os
from pathlib import Path

from pilotfish.config.layers import Layer
from pilotfish.config.schema import PlanModeSettings, SettingsProblem, SkipKey, SkippedQuestion

PROJECT_SOURCES = frozenset({"projectSettings", "localSettings"})

_SKIPPING_SOURCES = frozenset({"userSettings", "policySettings"})


def skipped_questions(
    layers: list[Layer], problems: list[SettingsProblem]
) -> tuple[SkippedQuestion, ...]:
    """Return the kinds of calls that need no question. The strongest layer that may say so decides."""
    chosen: dict[SkipKey, SkippedQuestion] = {}
    for layer in layers:
        for key, value in _switches(layer).items():
            if value is None:
                continue
            if layer.source not in _SKIPPING_SOURCES:
                message = f"{key} counts in your own settings and in managed ones only."
                problems.append(SettingsProblem(text=message, file=layer.file))
            elif value and not layer.only_tightens:
                chosen[key] = SkippedQuestion(key=key, source=layer.source)
            else:
                chosen.pop(key, None)
    return tuple(chosen.values())


def managed_rules_only(layers: list[Layer], problems: list[SettingsProblem]) -> bool:
    """Tell whether the administrator lets only his own allow rules count."""
    found = False
    for layer in layers:
        value = layer.values.permissions.allow_managed_permission_rules_only
        if layer.source == "policySettings":
            found = found or value is True
        elif value is not None:
            message = "permissions.allowManagedPermissionRulesOnly counts in managed settings only."
            problems.append(SettingsProblem(text=message, file=layer.file))
    return found


def plan_mode(
    layers: list[Layer],
    free: list[Layer],
    project_root: Path | None,
    problems: list[SettingsProblem],
) -> PlanModeSettings:
    """Merge ``planMode``.

    Plan mode may write where plans are kept, so a project chooses only a folder of its own, and that
    only where it is trusted.
    """
    settings = PlanModeSettings()
    directory, eagerness = settings.directory, settings.eagerness
    for layer in layers:
        section = layer.values.plan_mode
        eagerness = section.eagerness or eagerness
        if section.directory is None:
            continue
        problem = "waits until the folder is trusted" if layer not in free else ""
        place = None
        if not problem:
            place, problem = _plan_folder(section.directory, layer, project_root)
        if place is None:
            message = f"planMode.directory {section.directory!r} {problem}."
            problems.append(SettingsProblem(text=message, file=layer.file))
        else:
            directory = place
    return PlanModeSettings(directory=directory, eagerness=eagerness)


def _plan_folder(text: str, layer: Layer, project_root: Path | None) -> tuple[Path | None, str]:
    if text.startswith("~"):
        return None, "is no absolute or project path"
    if not Path(text).is_absolute() and project_root is None:
        return None, "needs an open folder to start from"
    place = Path(os.path.normpath(text if project_root is None else project_root / text))
    if layer.source in PROJECT_SOURCES and (
        project_root is None or not place.is_relative_to(project_root) or ".git" in place.parts
    ):
        return None, "leads out of the project"
    return place, ""


def _switches(layer: Layer) -> dict[SkipKey, bool | None]:
    values = layer.values
    return {
        "skipFileEditPermission": values.skip_file_edit_permission,
        "skipBashExecPermission": values.skip_bash_exec_permission,
        "skipSkillPermission": values.skip_skill_permission,
        "skipMCPToolPermission": values.skip_mcp_tool_permission,
    }
