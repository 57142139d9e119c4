"""Which layer wins.

Owns: the merge of design 05 §7.2: for single values the strongest layer wins, switches that turn
something off count from any layer, rules of all layers stand beside each other. Layers of an
untrusted project may only tighten.
Does not own: reading layers (``sources``). Pure.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pilotfish.config.agents import merge_agents
from pilotfish.config.code_index import merge_index
from pilotfish.config.code_intelligence import (
    CodeIntelligenceSettings,
    merge_code_intelligence,
)
from pilotfish.config.layers import Layer
from pilotfish.config.layers_order import strongest
from pilotfish.config.merge_special import (
    PROJECT_SOURCES,
    managed_rules_only,
    plan_mode,
    skipped_questions,
)
from pilotfish.config.model_section import ModelSettings, merge_model, personal_keys
from pilotfish.config.modes import MODE_RANK, UNASKED_MODES, clamp, read_mode, read_settable_mode
from pilotfish.config.schema import (
    BackgroundPrompts,
    EditSettings,
    LoadedSettings,
    PermissionSettings,
    ReadSettings,
    SessionSettings,
    Settings,
    SettingsFile,
    SettingsProblem,
    ShellSettings,
)
from pilotfish.config.skills import merge_allowed_tools
from pilotfish.config.status_line import merge_status_line
from pilotfish.core.permission import PermissionMode, PermissionRule, UnreadSettings

LimitT = TypeVar("LimitT", int, float)


def merge_layers(
    layers: list[Layer], *, trusted: bool, project_root: Path | None
) -> LoadedSettings:
    """Merge layers that are ordered weakest first."""
    problems = [problem for layer in layers for problem in layer.problems]
    mode = _mode(layers, trusted=trusted, problems=problems)
    free = [layer for layer in layers if _may_loosen(layer, trusted=trusted)]
    settings = Settings(
        permissions=_permissions(layers, free, mode, project_root, problems),
        model=_model(layers),
        read=ReadSettings(
            dedup=strongest((layer.values.read.dedup for layer in layers), ReadSettings().dedup)
        ),
        edit=EditSettings(
            save_after_edit=strongest(
                (layer.values.edit.save_after_edit for layer in layers),
                EditSettings().save_after_edit,
            )
        ),
        plan_mode=plan_mode(layers, free, project_root, problems),
        shell=_shell(layers),
        code_intelligence=_code_intelligence(layers, free, problems),
        index=merge_index([layer.values.code_intelligence.index for layer in layers]),
        sessions=SessionSettings(
            generate_titles=strongest(
                (layer.values.sessions.generate_titles for layer in free),
                SessionSettings().generate_titles,
            )
        ),
        status_line=merge_status_line(
            layer.values.status_line for layer in layers if layer.source not in PROJECT_SOURCES
        ),
        task_tools=strongest((layer.values.task_list.tools for layer in layers), "auto"),
        tool_deferral=strongest((layer.values.tools.deferral for layer in layers), "on"),
        skill_tools=merge_allowed_tools(layer.values.skills for layer in layers),
        agents=merge_agents(layer.values.agents for layer in free),
        max_turns=_limit(layers, free, lambda values: values.max_turns),
        max_budget_usd=_limit(layers, free, lambda values: values.max_budget_usd),
    )
    _report_ignored(layers, trusted=trusted, problems=problems)
    return LoadedSettings(
        settings=settings,
        rules=_rules(layers, managed_only=settings.permissions.managed_rules_only),
        problems=tuple(problems),
        trusted=trusted,
        unread=tuple(_unread(layer) for layer in layers if layer.unread),
    )


def _permissions(
    layers: list[Layer],
    free: list[Layer],
    mode: PermissionMode,
    project_root: Path | None,
    problems: list[SettingsProblem],
) -> PermissionSettings:
    sections = [layer.values.permissions for layer in layers]
    return PermissionSettings(
        default_mode=mode,
        subagent_mode=_subagent_mode(layers, free, problems),
        bypass_disabled=any(one.disable_bypass_permissions_mode == "disable" for one in sections),
        auto_disabled=any(one.disable_auto_mode == "disable" for one in sections),
        ask_beats_allow=any(one.ask_beats_allow is True for one in sections),
        protect_secrets=any(one.protect_secrets is True for one in sections),
        background_prompts=_background_prompts(layers, free),
        prompt_timeout_ms=strongest(
            (layer.values.permissions.prompt_timeout_ms for layer in free), 0
        ),
        managed_rules_only=managed_rules_only(layers, problems),
        skipped=skipped_questions(layers, problems),
        additional_directories=_directories(free, project_root, problems),
    )


def _shell(layers: list[Layer]) -> ShellSettings:
    usual = ShellSettings()
    sections = [layer.values.shell for layer in layers]
    return ShellSettings(
        background=strongest((one.background for one in sections), usual.background),
        foreground_ms=strongest((one.foreground_ms for one in sections), usual.foreground_ms),
        terminal=strongest((one.terminal for one in sections), usual.terminal),
        profile=strongest((one.profile for one in sections), usual.profile),
        powershell=strongest((one.powershell for one in sections), usual.powershell),
        max_memory_mb=strongest((one.max_memory_mb for one in sections), usual.max_memory_mb),
        max_processes=strongest((one.max_processes for one in sections), usual.max_processes),
        idle_minutes=strongest((one.idle_minutes for one in sections), usual.idle_minutes),
    )


def _code_intelligence(
    layers: list[Layer], free: list[Layer], problems: list[SettingsProblem]
) -> CodeIntelligenceSettings:
    settings, found = merge_code_intelligence(
        [layer.values.code_intelligence for layer in layers],
        [layer.values.code_intelligence for layer in free],
    )
    problems += [SettingsProblem(text=text) for text in found]
    return settings


def _may_loosen(layer: Layer, *, trusted: bool) -> bool:
    return not layer.only_tightens and (trusted or layer.source not in PROJECT_SOURCES)


def _rules(layers: list[Layer], *, managed_only: bool) -> tuple[PermissionRule, ...]:
    found = dict.fromkeys(rule for layer in layers for rule in layer.rules)
    return tuple(
        rule
        for rule in found
        if not managed_only or rule.behavior != "allow" or rule.source == "policySettings"
    )


def _unread(layer: Layer) -> UnreadSettings:
    place = "the editor's settings" if layer.file is None else str(layer.file)
    if layer.unread_line is not None:
        place += f":{layer.unread_line}"
    return UnreadSettings(source=layer.source, place=place)


def _background_prompts(layers: list[Layer], free: list[Layer]) -> BackgroundPrompts:
    tightened = any(
        layer.values.permissions.background_prompts == "deny"
        for layer in layers
        if layer not in free
    )
    chosen: BackgroundPrompts = strongest(
        (layer.values.permissions.background_prompts for layer in free), "bubble"
    )
    return "deny" if tightened else chosen


def _subagent_mode(
    layers: list[Layer], free: list[Layer], problems: list[SettingsProblem]
) -> PermissionMode | None:
    """Merge the mode of sub-agents.

    Without one they follow their parent, whose mode is not known here. So a voice that may only
    tighten can name the strictest modes, or one that permits no more than what is set.
    """
    current: PermissionMode | None = None
    cap: PermissionMode | None = None
    for layer in layers:
        text = layer.values.permissions.subagent_mode
        if text is None:
            continue
        wanted = _readable_mode(layer, "permissions.subagentMode", text, problems)
        if layer.source == "policySettings":
            cap = wanted
        limit = current or "dontAsk"
        if layer.source in PROJECT_SOURCES and wanted in UNASKED_MODES:
            message = f"permissions.subagentMode: a project cannot choose {wanted}; you can."
        elif layer not in free and MODE_RANK[wanted] > MODE_RANK[limit]:
            message = f"permissions.subagentMode {text!r} waits until the folder is trusted."
        else:
            current = wanted
            continue
        problems.append(SettingsProblem(text=message, file=layer.file))
    return current if cap is None or current is None else clamp(current, cap)


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
        if layer.source in PROJECT_SOURCES and wanted in UNASKED_MODES:
            message = f"permissions.defaultMode: a project cannot choose {wanted}; you can."
            problems.append(SettingsProblem(text=message, file=layer.file))
            continue
        if not _may_loosen(layer, trusted=trusted) and MODE_RANK[wanted] > MODE_RANK[current]:
            text = layer.values.permissions.default_mode
            wait = "the file is mended" if layer.only_tightens else "the folder is trusted"
            message = f"permissions.defaultMode {text!r} waits until {wait}."
            problems.append(SettingsProblem(text=message, file=layer.file))
            continue
        current = wanted
    return current if cap is None else clamp(current, cap)


def _mode_of(layer: Layer, problems: list[SettingsProblem]) -> PermissionMode | None:
    """Return the mode that a layer names; an unusable name is reported and counts as default."""
    text = layer.values.permissions.default_mode
    if text is None:
        return None
    return _readable_mode(layer, "permissions.defaultMode", text, problems)


def _readable_mode(
    layer: Layer, key: str, text: str, problems: list[SettingsProblem]
) -> PermissionMode:
    # The last layer carries what a client asked for, which knows modes that a file may not name.
    reading = read_mode(text) if layer.source == "cliArg" else read_settable_mode(text)
    if reading.mode is not None:
        return reading.mode
    message = f"{key}: {reading.problem}; `default` is used."
    problems.append(SettingsProblem(text=message, file=layer.file))
    return "default"


def _directories(
    layers: list[Layer], project_root: Path | None, problems: list[SettingsProblem]
) -> tuple[Path, ...]:
    found: dict[Path, None] = {}
    for layer in layers:
        section = layer.values.permissions
        for text in (*section.additional_directories, *section.trusted_directories):
            if text.startswith("~"):
                message = f"Directory entry {text!r} is no absolute or project path."
                problems.append(SettingsProblem(text=message, file=layer.file))
            elif Path(text).is_absolute():
                found[Path(text)] = None
            elif project_root is not None and text:
                found[project_root / text] = None
    return tuple(found)


def _model(layers: list[Layer]) -> ModelSettings:
    own = [layer.values.model for layer in layers if layer.source not in PROJECT_SOURCES]
    return merge_model([layer.values.model for layer in layers], own)


def _limit(
    layers: list[Layer], free: list[Layer], of: Callable[[SettingsFile], LimitT | None]
) -> LimitT | None:
    """Return a limit: the strongest layer's, unless one that may only tighten has a smaller one."""
    chosen = strongest((of(layer.values) for layer in free), None)
    tighter = [of(layer.values) for layer in layers if layer not in free]
    return min((limit for limit in (chosen, *tighter) if limit is not None), default=None)


def _report_ignored(layers: list[Layer], *, trusted: bool, problems: list[SettingsProblem]) -> None:
    for layer in layers:
        if layer.source not in PROJECT_SOURCES:
            continue
        for key, reason in personal_keys(layer.values.model).items():
            message = f"model.{key} is not taken from a project: {reason}."
            problems.append(SettingsProblem(text=message, file=layer.file))
        if layer.values.status_line.command is not None:
            message = "statusLine is not taken from a project: it runs a command."
            problems.append(SettingsProblem(text=message, file=layer.file))
        section = layer.values.permissions
        waiting = {
            "additionalDirectories": section.additional_directories,
            "trustedDirectories": section.trusted_directories,
            "promptTimeoutMs": section.prompt_timeout_ms,
        }
        for key in (key for key, value in waiting.items() if value and not trusted):
            message = f"permissions.{key} waits until the folder is trusted."
            problems.append(SettingsProblem(text=message, file=layer.file))
