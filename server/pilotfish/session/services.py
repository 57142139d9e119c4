"""What all sessions of a process share.

Owns: the record; built once by the composition root.
"""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from pilotfish.codeintel.index.hub import IndexHub
from pilotfish.codeintel.servers.pool import ServerPool
from pilotfish.codeintel.sources import CodeSources
from pilotfish.config.memory import SettingsMemory
from pilotfish.config.sources import CommandLine, SettingsSources
from pilotfish.config.watch import SettingsWatch
from pilotfish.core.jsontypes import JsonMapping
from pilotfish.ports.clock import ClockPort
from pilotfish.ports.editor import EditorPort
from pilotfish.ports.terminals import TerminalPort
from pilotfish.session.kept_works import KeptWorks
from pilotfish.session.providers import ProviderHub
from pilotfish.session.rule_news import RuleNews
from pilotfish.skills.usage import SkillUsage
from pilotfish.tools.shell_profile import ShellProfile
from pilotfish.util.pace import Pace
from pilotfish.util.records import dataclass
from pilotfish.util.redact import Redactor
from pilotfish.workspace.git import Git
from pilotfish.workspace.path_locks import PathLocks
from pilotfish.workspace.process import Governor
from pilotfish.workspace.search import Ripgrep
from pilotfish.workspace.unfinished import UnfinishedWrites
from pilotfish.workspace.worktree import Worktrees


@dataclass(kw_only=True)
class Services:
    """Shared services and the facts of this process."""

    state_folder: Path
    """Pilotfish's own folder."""
    user_home: Path
    environment: Mapping[str, str]
    """The process's environment; tools filter it before they hand it on."""
    platform: str
    clock: ClockPort
    governor: Governor
    search: Ripgrep
    worktrees: Worktrees
    git: Git
    """Git as Pilotfish runs it itself."""
    editor: EditorPort
    providers: ProviderHub
    unfinished: UnfinishedWrites
    servers: ServerPool
    """Language servers of our own."""
    shell_profile: ShellProfile
    index: IndexHub
    """The indexes of workspaces."""
    code: CodeSources
    """Who can be asked about code, best first."""
    skill_usage: SkillUsage
    """Which skills the user uses."""
    powershell: str | None = None
    """PowerShell, an absolute path; None when there is none."""
    terminals: TerminalPort | None = None
    """The client's terminals; None when it offers none."""
    kept_works: KeptWorks = field(default_factory=KeptWorks)
    """Runs commands, and has those that outlive their session."""
    locks: PathLocks = field(default_factory=PathLocks)
    pace: Pace = field(default_factory=Pace)
    """Agents that all begin something at the same moment go one after the other."""
    roots: tuple[Path, ...] = ()
    """Workspace folders of the editor; empty without one."""
    editor_settings: JsonMapping | None = None
    """The editor's ``pilotfish.*`` settings."""
    usual_settings: JsonMapping | None = None
    """What counts where no setting says anything."""
    settings_file: Path | None = None
    """A settings file given at launch."""
    trusted_by_editor: bool | None = None
    """None when no editor decides about trust."""
    recordings: Path | None = None
    """The folder that sessions are recorded into; None to record none."""
    redactor: Redactor = field(default_factory=Redactor)
    """What takes secrets out of recordings."""
    news: RuleNews = field(default_factory=RuleNews)
    """Who hears of changed rules."""
    managed_settings: Path | None = None
    """The administrator's settings file, whether it exists or not."""
    settings_memory: SettingsMemory = field(default_factory=SettingsMemory)
    """What settings files said when they could last be read."""
    settings_watch: SettingsWatch = field(default_factory=SettingsWatch)
    bypass_refusal: str = ""
    """Why nobody may bypass permissions in this process; empty when they may."""

    def settings_sources(
        self, root: Path | None, command_line: CommandLine | None = None
    ) -> SettingsSources:
        """Return where the settings for a folder come from; None when no folder is open."""
        return SettingsSources(
            home=self.state_folder,
            project_root=root,
            usual=self.usual_settings,
            flag=self.settings_file or self.editor_settings,
            command_line=command_line or CommandLine(),
            policy=self.managed_settings,
            trusted_by_editor=self.trusted_by_editor,
            memory=self.settings_memory,
        )
