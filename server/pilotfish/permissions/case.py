"""A call as the judge sees it.

Owns: gathering everything that the phases of the chain look at: the kind of call, its paths with
their classes, and for a shell command the same part by part.
Does not own: any judgement (``decide``).
"""

from functools import cached_property
from typing import Literal

from pilotfish.codeintel.powershell import analyse_powershell
from pilotfish.codeintel.shell_facts import PartFacts, ShellFacts, analyse
from pilotfish.codeintel.shell_paths import PathUse, ShellPlace
from pilotfish.codeintel.shell_variables import EVERY_VARIABLE
from pilotfish.core.calls import PreparedCall
from pilotfish.permissions.path_rules import denies
from pilotfish.permissions.paths import (
    PathFacts,
    classify,
    is_inside,
    is_readable,
    is_secret,
)
from pilotfish.permissions.state import PermissionState
from pilotfish.util.records import dataclass

CallFamily = Literal[
    "shell", "edit", "read", "web", "mcp", "mcp_resource", "agent", "skill", "workflow",
    "enter_plan", "worktree", "dialog", "internal", "unknown",
]  # fmt: skip

_FAMILY_BY_NAME: dict[str, CallFamily] = {
    "WebFetch": "web",
    "WebSearch": "web",
    "ReadMcpResource": "mcp_resource",
    "Agent": "agent",
    "Skill": "skill",
    "Workflow": "workflow",
    "EnterPlanMode": "enter_plan",
    "ExitPlanMode": "dialog",
    "AskUserQuestion": "dialog",
}
"""Tools whose row of the mode table is their own, whatever facts they state."""

READ_TOOLS = frozenset({"Read", "Glob", "Grep", "NotebookRead", "LSP"})
"""Tools that a ``Read(…)`` rule governs by name, whatever paths they name."""

WORKTREE_TOOLS = frozenset({"EnterWorktree", "ExitWorktree"})
"""Tools that change where a session works, unless they only go back."""

EDIT_TOOLS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})
"""Tools that an ``Edit(…)`` rule governs by name."""


@dataclass(frozen=True, kw_only=True)
class PathAccess:
    """A path in use, with its class."""

    facts: PathFacts
    tree: bool
    """Whether everything below the path may be reached."""


@dataclass(frozen=True, kw_only=True)
class PartCase:
    """One sub-command with its paths looked up."""

    facts: PartFacts
    reads: tuple[PathAccess, ...]
    writes: tuple[PathAccess, ...]
    state: PermissionState
    tool: str
    """Which shell it is for."""

    @cached_property
    def harmless(self) -> bool:
        """Whether it may pass without any rule: it only reads, inside the trusted folders."""
        part = self.facts
        if not (part.neutral or part.read_only) or part.unknown_paths or self.writes:
            return False
        if self.secret_variables:
            return False
        if any(not is_readable(access.facts, self.state) for access in self.reads):
            return False
        return not self.foreign_git and all(
            self.state.probe.git_is_quiet(folder) for folder in part.git_folders
        )

    @cached_property
    def secret_variables(self) -> tuple[str, ...]:
        """Variables that it may show and that look as if they held a secret."""
        secret, shown = self.state.secret_variables, self.facts.variables
        return tuple(sorted(secret if EVERY_VARIABLE in shown else secret & shown))

    @cached_property
    def foreign_git(self) -> bool:
        """Whether git would run in a repository outside the trusted folders."""
        folders = (classify(folder, self.state) for folder in self.facts.git_folders)
        return any(not is_inside(folder, self.state) for folder in folders)

    @cached_property
    def secrets(self) -> tuple[PathAccess, ...]:
        """Files that it names and that usually hold secrets; none where nobody minds."""
        if not self.state.protect_secrets:
            return ()
        return tuple(access for access in self.reads if is_secret(access.facts))

    def may_show(self, content: str) -> bool:
        """Tell whether a tree that it reads may hold a file that a Read pattern denies."""
        trees = [access.facts for access in self.reads if access.tree]
        return any(
            self.state.probe.any_below(
                tree.named, lambda path: denies(content, _unlinked(path), self.state)
            )
            for tree in trees
        )


@dataclass(frozen=True, kw_only=True)
class Case:
    """A call together with the snapshot that it is judged on."""

    call: PreparedCall
    state: PermissionState

    @cached_property
    def family(self) -> CallFamily:
        """The kind of call: from its facts, and for some tools that state none, from its name."""
        tool, effects = self.call.tool, self.call.effects
        found: CallFamily = "read" if effects.read_only else "unknown"
        if tool.startswith("mcp__"):
            found = "mcp"
        elif effects.command is not None:
            found = "shell"
        elif effects.writes:
            found = "edit"
        elif tool in _FAMILY_BY_NAME:
            found = _FAMILY_BY_NAME[tool]
        elif effects.hosts:
            found = "web"
        elif effects.internal:
            found = "internal"
        elif tool in WORKTREE_TOOLS:
            found = "worktree"
        return found

    @cached_property
    def reads(self) -> tuple[PathAccess, ...]:
        """Paths that the call itself reads (not those of a shell command)."""
        paths = self.call.effects.reads
        return tuple(PathAccess(facts=self._classified(str(path)), tree=False) for path in paths)

    @cached_property
    def writes(self) -> tuple[PathAccess, ...]:
        """Paths that the call itself writes."""
        paths = self.call.effects.writes
        return tuple(PathAccess(facts=self._classified(str(path)), tree=False) for path in paths)

    @cached_property
    def creates(self) -> bool:
        """Whether an edit would make a new file."""
        preview = self.call.preview
        return self.family == "edit" and preview is not None and preview.old_text is None

    @cached_property
    def shell(self) -> ShellFacts | None:
        """The facts of the shell command, if the call runs one."""
        effect = self.call.effects.command
        if effect is None:
            return None
        place = ShellPlace(
            cwd=str(effect.cwd),
            home=str(self.state.home),
            roots=tuple(str(root) for root in self.state.roots),
        )
        if self.call.tool == "PowerShell":
            return analyse_powershell(effect.command, place)
        return analyse(effect.command, place, background=effect.background)

    @cached_property
    def parts(self) -> tuple[PartCase, ...]:
        """The parts of the shell command with their paths looked up."""
        if self.shell is None:
            return ()
        return tuple(
            PartCase(
                facts=part,
                reads=self._looked_up(part.reads),
                writes=self._looked_up(part.writes),
                state=self.state,
                tool=self.call.tool,
            )
            for part in self.shell.parts
        )

    @cached_property
    def shell_is_harmless(self) -> bool:
        """Whether the whole command only reads, inside the trusted folders, as far as is known."""
        if self.shell is None or self.shell.shell.kind != "simple" or not self.parts:
            return False
        return all(part.harmless for part in self.parts)

    def _looked_up(self, uses: tuple[PathUse, ...]) -> tuple[PathAccess, ...]:
        return tuple(PathAccess(facts=self._classified(use.path), tree=use.tree) for use in uses)

    def _classified(self, path: str) -> PathFacts:
        # The parts of one line name the same few paths; each costs several calls to the disk.
        if path not in self._known_paths:
            self._known_paths[path] = classify(path, self.state)
        return self._known_paths[path]

    @cached_property
    def _known_paths(self) -> dict[str, PathFacts]:
        return {}


def _unlinked(path: str) -> PathFacts:
    return PathFacts(named=path, real=path, tier="inside")
