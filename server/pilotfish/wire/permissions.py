"""The rules panel: listing, changing, explaining, trying out."""

from typing import Annotated, Any, Literal

from pydantic import Field

from pilotfish.core.permission import Behavior, PermissionMode, Phase, RuleDestination
from pilotfish.permissions.overview import FolderSource
from pilotfish.permissions.replay import Difference
from pilotfish.wire.base import WireModel

MAX_UPDATES = 100
"""Changes that one request may carry."""

MAX_ENTRIES = 1_000
"""Rules or folders that one change may name."""


class RuleEntry(WireModel):
    """A rule and where it comes from."""

    rule: str
    """As it is written there."""
    behavior: Behavior
    """The list that it stands in."""
    source: str
    path: str
    """The settings file; empty when it comes from none."""
    line: int
    """1-based; 0 when it is not known."""
    destination: RuleDestination | None = None
    """Where it can be removed; null when it cannot be changed, as in managed settings."""
    counts: bool
    """False for an allow rule of a project that is not trusted."""


class FolderEntry(WireModel):
    """A folder whose files may be read without a question."""

    path: str
    text: str
    """As it is written where it comes from."""
    source: FolderSource
    file: str
    """The settings file; empty when it comes from none."""
    destination: RuleDestination | None = None
    counts: bool


class ProblemEntry(WireModel):
    """Something in a settings file that does not work."""

    path: str
    line: int
    message: str
    kind: Literal["settings", "inert", "shadowed", "contradictory"]


class PermissionsListParams(WireModel):
    """``_pilotfish/permissions/list``."""

    session_id: str | None = None
    """A session, its own rules included; without one the rules of a folder."""
    cwd: str | None = None
    """Absolute; without a session the folder that is meant. Default: the first workspace folder."""


class PermissionsListResponse(WireModel):
    """The rules in force."""

    mode: PermissionMode
    """Of the session; without one, that of new sessions."""
    trusted: bool
    """Whether the user vouches for the project's own settings."""
    rules: list[RuleEntry]
    folders: list[FolderEntry]
    problems: list[ProblemEntry]


class RulesUpdateEntry(WireModel):
    """Add or remove rules of one behaviour, or make them all there are."""

    kind: Literal["addRules", "removeRules", "replaceRules"]
    destination: RuleDestination
    behavior: Behavior
    rules: list[str] = Field(max_length=MAX_ENTRIES)


class ModeUpdateEntry(WireModel):
    """Set the session's mode, or the mode that a file lets new sessions begin in."""

    kind: Literal["setMode"]
    destination: RuleDestination
    mode: PermissionMode


class DirectoriesUpdateEntry(WireModel):
    """Trust more folders, or fewer."""

    kind: Literal["addDirectories", "removeDirectories"]
    destination: RuleDestination
    directories: list[str] = Field(max_length=MAX_ENTRIES)


UpdateEntry = Annotated[
    RulesUpdateEntry | ModeUpdateEntry | DirectoriesUpdateEntry, Field(discriminator="kind")
]


class PermissionsUpdateParams(WireModel):
    """``_pilotfish/permissions/update``: changes in their order; the first that fails ends it."""

    session_id: str | None = None
    """Needed for what is to hold for a session."""
    cwd: str | None = None
    updates: list[UpdateEntry] = Field(min_length=1, max_length=MAX_UPDATES)
    dry_run: bool = False
    """Only say what is wrong with the changes; nothing is changed. For input boxes."""


class PermissionsUpdateResponse(WireModel):
    """Whether anything is different now."""

    changed: bool


class PermissionsChangedParams(WireModel):
    """``_pilotfish/permissions/changed``: whoever shows rules should list them again."""

    session_id: str | None = None
    """Set when only this session's own rules or mode changed."""


class PermissionsExplainParams(WireModel):
    """``_pilotfish/permissions/explain``: what would be decided about a call, and why."""

    session_id: str | None = None
    cwd: str | None = None
    tool: str
    input: dict[str, Any]


class TraceEntry(WireModel):
    """One phase of a decision."""

    phase: str
    outcome: Literal["allow", "ask", "deny", "pass"]
    detail: str


class PermissionsExplainResponse(WireModel):
    """A decision with its trace."""

    behavior: Behavior
    phase: str
    reason: str
    rule: str | None = None
    """The rule that decided."""
    suggestions: list[str] = Field(default_factory=list)
    """Rules that a dialog would offer."""
    trace: list[TraceEntry]


class PermissionsDecisionsParams(WireModel):
    """``_pilotfish/permissions/decisions``: the latest decisions of a session, or of all."""

    session_id: str | None = None


class DecisionEntry(WireModel):
    """What was decided about a call."""

    session_id: str
    tool_call_id: str
    tool: str
    title: str
    behavior: Literal["allow", "deny"]
    phase: Phase
    reason: str
    rule: str | None = None
    time_ms: int
    """Wall clock, milliseconds since the epoch."""
    waited_ms: int
    """How long the user took; 0 when nobody was asked."""


class PermissionsDecisionsResponse(WireModel):
    """At most 200, the latest first."""

    decisions: list[DecisionEntry]


class TriedRulesEntry(WireModel):
    """Rules to try out."""

    allow: list[str] = Field(default_factory=list, max_length=MAX_ENTRIES)
    ask: list[str] = Field(default_factory=list, max_length=MAX_ENTRIES)
    deny: list[str] = Field(default_factory=list, max_length=MAX_ENTRIES)


class PermissionsReplayParams(WireModel):
    """``_pilotfish/permissions/replay``: past calls under changed rules. Runs nothing."""

    rules: TriedRulesEntry = TriedRulesEntry()
    alone: bool = False
    """Whether the rules stand in the place of all others; else they are added."""
    session_id: str | None = None
    """Calls of this session alone."""
    cwd: str | None = None
    """Else calls of this folder's sessions. Default: the first workspace folder."""
    since_ms: int = 0
    """Wall clock; calls before it are left out."""


class ReplayGroupEntry(WireModel):
    """Calls of one kind for which the same would differ for the same reason."""

    difference: Difference
    tool: str
    kind: str
    because: str
    count: int
    examples: list[str]


class PermissionsReplayResponse(WireModel):
    """What would differ."""

    calls: int
    sessions: int
    prompts: int
    """Questions that were put at the time."""
    prompts_now: int
    """Questions that would be put with the changed rules."""
    truncated: bool
    groups: list[ReplayGroupEntry]


class PermissionsSuggestParams(WireModel):
    """``_pilotfish/permissions/suggest``: the smallest rules that cover what was approved."""

    session_id: str | None = None
    cwd: str | None = None
    since_ms: int = 0


class ProposalEntry(WireModel):
    """An allow rule that the user's own answers justify."""

    rule: str
    approvals: int
    """Answers that would not have been needed with it."""
    examples: list[str]


class PermissionsSuggestResponse(WireModel):
    """The rules, those that spare the most answers first."""

    proposals: list[ProposalEntry]
