"""What a settings file may hold, and what the settings are once merged.

Owns: the pydantic model of a file (where data enters) and the frozen records used inside.
Does not own: reading files (``sources``) or which layer wins (``merge``).
See also: design 05 §7.6.
"""

from dataclasses import field
from pathlib import Path
from typing import Literal

from pydantic import Field

from pilotfish.config.agents import AgentSettings, AgentsSection
from pilotfish.config.code_index import IndexSettings
from pilotfish.config.code_intelligence import (
    CodeIntelligenceSection,
    CodeIntelligenceSettings,
)
from pilotfish.config.model_section import ModelSection, ModelSettings
from pilotfish.config.section import Section
from pilotfish.config.skills import AllowedToolsMode, SkillsSection
from pilotfish.config.status_line import StatusLineSection, StatusLineSettings
from pilotfish.config.task_list import TaskListSection, TaskTools
from pilotfish.config.tool_list import ToolDeferral, ToolsSection
from pilotfish.core.permission import PermissionMode, PermissionRule, RuleSource, UnreadSettings
from pilotfish.util.records import dataclass

DEFAULT_MAX_PROCESSES = 2_000
"""More than any build starts, less than what keeps a user from starting anything else."""

DEFAULT_IDLE_MINUTES = 480
"""A working day: a server that somebody still looks at is not idle for so long."""

DEFAULT_FOREGROUND_MS = 15_000
"""How long a command may hold up the conversation (design 06 §10.4)."""

BackgroundPrompts = Literal["bubble", "deny"]
"""Where the questions of an agent in the background go: to the user, or nowhere."""

PlanEagerness = Literal["restrained", "eager"]
"""How readily the model plans before it acts."""


class PermissionsSection(Section):
    """``permissions`` of a settings file."""

    allow: list[str] = Field(default_factory=list)
    ask: list[str] = Field(default_factory=list)
    deny: list[str] = Field(default_factory=list)
    additional_directories: list[str] = Field(default_factory=list)
    trusted_directories: list[str] = Field(default_factory=list)
    default_mode: str | None = None
    subagent_mode: str | None = None
    disable_bypass_permissions_mode: Literal["disable"] | None = None
    disable_auto_mode: Literal["disable"] | None = None
    ask_beats_allow: bool | None = None
    protect_secrets: bool | None = None
    background_prompts: BackgroundPrompts | None = None
    prompt_timeout_ms: int | None = Field(default=None, ge=0)
    allow_managed_permission_rules_only: bool | None = None


class EditSection(Section):
    """``edit`` of a settings file."""

    save_after_edit: bool | None = None


class ReadSection(Section):
    """``read`` of a settings file."""

    dedup: bool | None = None


class PlanModeSection(Section):
    """``planMode`` of a settings file."""

    directory: str | None = Field(default=None, min_length=1)
    eagerness: PlanEagerness | None = None


class ShellSection(Section):
    """``shell`` of a settings file."""

    background: bool | None = None
    foreground_ms: int | None = Field(default=None, ge=0, le=600_000)
    profile: bool | None = None
    powershell: bool | None = None
    terminal: bool | None = None
    max_memory_mb: int | None = Field(default=None, ge=64)
    max_processes: int | None = Field(default=None, ge=1)
    idle_minutes: int | None = Field(default=None, ge=0)


class SessionsSection(Section):
    """``sessions`` of a settings file."""

    generate_titles: bool | None = None


class SettingsFile(Section):
    """A whole settings file. Unknown keys are kept and reported."""

    permissions: PermissionsSection = Field(default_factory=PermissionsSection)
    model: ModelSection = Field(default_factory=ModelSection)
    read: ReadSection = Field(default_factory=ReadSection)
    edit: EditSection = Field(default_factory=EditSection)
    plan_mode: PlanModeSection = Field(default_factory=PlanModeSection)
    shell: ShellSection = Field(default_factory=ShellSection)
    code_intelligence: CodeIntelligenceSection = Field(default_factory=CodeIntelligenceSection)
    sessions: SessionsSection = Field(default_factory=SessionsSection)
    status_line: StatusLineSection = Field(default_factory=StatusLineSection)
    task_list: TaskListSection = Field(default_factory=TaskListSection)
    tools: ToolsSection = Field(default_factory=ToolsSection)
    skills: SkillsSection = Field(default_factory=SkillsSection)
    agents: AgentsSection = Field(default_factory=AgentsSection)
    max_turns: int | None = Field(default=None, ge=1)
    max_budget_usd: float | None = Field(default=None, gt=0)
    skip_file_edit_permission: bool | None = None
    skip_bash_exec_permission: bool | None = None
    skip_skill_permission: bool | None = None
    skip_mcp_tool_permission: bool | None = Field(default=None, alias="skipMCPToolPermission")


SkipKey = Literal[
    "skipFileEditPermission",
    "skipBashExecPermission",
    "skipSkillPermission",
    "skipMCPToolPermission",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class SkippedQuestion:
    """A switch that lets one kind of calls pass like a rule for the whole tool."""

    key: SkipKey
    source: RuleSource


@dataclass(frozen=True, kw_only=True, slots=True)
class PermissionSettings:
    """Permission settings other than the rules."""

    default_mode: PermissionMode = "default"
    bypass_disabled: bool = False
    ask_beats_allow: bool = False
    """Whether a matching ask rule wins over every allow rule."""
    additional_directories: tuple[Path, ...] = ()
    """Absolute, not resolved; folders beside the workspace that count as trusted. Both keys that name
    such folders end here."""
    subagent_mode: PermissionMode | None = None
    """The mode of every sub-agent; None leaves it to the agent's definition and its parent."""
    auto_disabled: bool = False
    """Whether the mode ``auto`` may not be used. That mode does not exist yet."""
    background_prompts: BackgroundPrompts = "bubble"
    prompt_timeout_ms: int = 0
    """How long a question waits before it counts as refused; 0 means: as long as it takes."""
    protect_secrets: bool = False
    """Whether reading files that usually hold secrets asks."""
    managed_rules_only: bool = False
    """Whether only the administrator's allow rules count."""
    skipped: tuple[SkippedQuestion, ...] = ()
    """Kinds of calls that the user wants no questions about."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanModeSettings:
    """How plan mode works."""

    directory: Path | None = None
    """Absolute; where plans are kept. None: the state folder."""
    eagerness: PlanEagerness = "restrained"


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadSettings:
    """How files are read."""

    dedup: bool = True
    """Whether a read that would only repeat an earlier result points to it instead."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EditSettings:
    """What happens around an edit."""

    save_after_edit: bool = True
    """Whether an open document that was saved before the edit is saved after it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ShellSettings:
    """How commands run."""

    background: bool = True
    """Whether they may go on in the background."""
    foreground_ms: int = DEFAULT_FOREGROUND_MS
    """How long one may hold up the conversation; 0 means: until its own time limit."""
    profile: bool = True
    """Whether they know what the user's own shell knows."""
    powershell: bool = False
    """Whether the model is offered PowerShell where it is not the system's own shell."""
    terminal: bool = False
    """Whether they run in terminals of the client, where it offers them."""
    max_memory_mb: int | None = None
    """Memory that one command may take, in MiB; None: three quarters of the machine's."""
    max_processes: int = DEFAULT_MAX_PROCESSES
    """Processes that one command may be at once."""
    idle_minutes: int = DEFAULT_IDLE_MINUTES
    """How long one may neither write nor compute before it is ended; 0 means: for ever."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionSettings:
    """How sessions are kept."""

    generate_titles: bool = False
    """Whether a small model names a session after its first turn."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """Merged settings."""

    permissions: PermissionSettings = PermissionSettings()
    model: ModelSettings = field(default_factory=ModelSettings)
    read: ReadSettings = ReadSettings()
    edit: EditSettings = EditSettings()
    plan_mode: PlanModeSettings = PlanModeSettings()
    shell: ShellSettings = ShellSettings()
    code_intelligence: CodeIntelligenceSettings = field(default_factory=CodeIntelligenceSettings)
    index: IndexSettings = field(default_factory=IndexSettings)
    sessions: SessionSettings = SessionSettings()
    status_line: StatusLineSettings = field(default_factory=StatusLineSettings)
    task_tools: TaskTools = "auto"
    """With which tools the model keeps the list of what is to be done."""
    skill_tools: AllowedToolsMode = "grant"
    """What the tools that a skill names mean for an agent that works on it."""
    tool_deferral: ToolDeferral = "on"
    """Whether the model looks for tools that are seldom used, instead of being shown all of them."""
    agents: AgentSettings = field(default_factory=AgentSettings)
    max_turns: int | None = None
    """Model calls in one turn; None means no limit."""
    max_budget_usd: float | None = None
    """What a session may cost, its agents included; None means no limit."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SettingsProblem:
    """Something in the settings that does not work as written."""

    text: str
    """One sentence for the user."""
    file: Path | None = None
    """None when it did not come from a file."""
    line: int | None = None
    """1-based, when it could be found."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadedSettings:
    """Everything that the settings say at one moment."""

    settings: Settings
    rules: tuple[PermissionRule, ...]
    problems: tuple[SettingsProblem, ...]
    trusted: bool
    """Whether the user vouches for the project's own files."""
    unread: tuple[UnreadSettings, ...] = ()
    """Broken files of which this process does not know what they forbid."""
