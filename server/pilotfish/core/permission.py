"""Permission vocabulary shared by the judge, the engine and the edges.

Owns: modes, rules, decisions, questions and answers as data.
Does not own: how a decision is made (``permissions``) or shown (edges).
See also: design 05 §7.3, §9.
"""

import re
from typing import Literal, get_args

from pilotfish.core.ids import AgentId, RequestId, SessionId, ToolUseId
from pilotfish.core.jsontypes import JsonObject
from pilotfish.util.records import dataclass

PermissionMode = Literal[
    "default",
    "acceptEdits",
    "plan",
    "autoInProject",
    "dontAsk",
    "delegate",
    "work",
    "fullAccess",
    "bypassPermissions",
]
"""What acts where no rule decided (design 05 §7.1)."""
PERMISSION_MODES: tuple[PermissionMode, ...] = get_args(PermissionMode)

SettableMode = Literal[
    "default", "acceptEdits", "plan", "autoInProject", "dontAsk", "bypassPermissions"
]
"""Modes that people choose; ``delegate``, ``work`` and ``fullAccess`` come from a client's own logic."""

AgentMode = Literal[PermissionMode, "ignore", "bubble"]
"""What the definition of a sub-agent may name.

``ignore`` takes the parent's mode whatever the settings say; ``bubble``, for forks, also puts the
questions to the parent's user. Neither is ever the mode of a decision.
"""

Behavior = Literal["allow", "ask", "deny"]

RuleSource = Literal[
    "userSettings",
    "projectSettings",
    "localSettings",
    "flagSettings",
    "policySettings",
    "cliArg",
    "command",
    "session",
]
"""Where a rule comes from, weakest first (design 05 §7.2)."""

RuleDestination = Literal["session", "local", "project", "user"]
"""Where a rule that the user grants in a dialog is kept."""

Phase = Literal[
    "hooks",
    "deny_rules",
    "plan_gate",
    "delegate_gate",
    "protected",
    "trusted_allow",
    "command_safety",
    "ask_rules",
    "bypass",
    "untrusted_allow",
    "mode",
    "no_prompt",
    "user",
]
"""The step of the chain that decided (design 05 §7.4)."""

RiskTier = Literal["normal", "dangerous", "protected", "catastrophic"]


_NEEDS_ESCAPE = re.compile(r"[()]|\\(?=[()\\]|$)")
_BACKSLASH = r"\\\g<0>"


@dataclass(frozen=True, kw_only=True, slots=True)
class PermissionRule:
    """One rule: ``tool`` or ``tool(content)``."""

    source: RuleSource
    behavior: Behavior
    tool: str
    content: str | None = None
    """The specifier between the parentheses; None when the rule is for the whole tool."""

    def text(self) -> str:
        """Return the rule as it stands in a settings file, parentheses escaped."""
        if self.content is None:
            return self.tool
        return f"{self.tool}({_NEEDS_ESCAPE.sub(_BACKSLASH, self.content)})"


@dataclass(frozen=True, kw_only=True, slots=True)
class UnreadSettings:
    """A settings file whose deny and ask rules are not all known: it is broken."""

    source: RuleSource
    place: str
    """The file, and after a colon the line of the trouble when that is known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TraceStep:
    """One phase of a decision and what it found."""

    phase: Phase
    outcome: Literal["allow", "ask", "deny", "pass"]
    detail: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleSuggestion:
    """A grant that the dialog may offer beside "once"."""

    label: str
    rule: PermissionRule | None = None
    """The exact rule that would be saved."""
    mode: PermissionMode | None = None
    """Set instead of a rule when the grant switches the session's mode."""
    destinations: tuple[RuleDestination, ...] = ("session",)


@dataclass(frozen=True, kw_only=True, slots=True)
class PermissionDecision:
    """The judge's answer for one call."""

    behavior: Behavior
    phase: Phase
    reason: str
    """One sentence for the user."""
    rule: PermissionRule | None = None
    risk: RiskTier = "normal"
    hide_always: bool = False
    """True when the dialog must not offer a lasting grant."""
    suggestions: tuple[RuleSuggestion, ...] = ()
    trace: tuple[TraceStep, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class FilePreview:
    """The exact change that an edit call would make."""

    path: str
    """Absolute path."""
    old_text: str | None
    """None when the file does not exist yet."""
    new_text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Preflight:
    """What an edit would break and repair, as far as that is known before it is made."""

    lines: tuple[str, ...] = ()
    """The first of the problems that it would add, one line each."""
    added: int = 0
    """How many it would add."""
    fixed: int = 0
    """How many would be gone."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PermissionQuestion:
    """A question to the user; kept in the inbox until it is answered or withdrawn."""

    request_id: RequestId
    session_id: SessionId
    agent_id: AgentId
    tool_use_id: ToolUseId
    tool: str
    title: str
    """One line: the command, or the path."""
    input: JsonObject
    reason: str
    risk: RiskTier
    suggestions: tuple[RuleSuggestion, ...]
    hide_always: bool
    preview: FilePreview | None = None
    batch: tuple[FilePreview, ...] = ()
    """For a change of several files in one: what would change in each; all of them or none."""
    preflight: tuple[str, ...] = ()
    """Diagnostics that the edit would add, one line each; empty when none or unknown."""
    preflight_added: int = 0
    """How many it would add; more than are shown, perhaps."""
    preflight_fixed: int = 0
    """How many would be gone."""
    created_at_ms: int = 0
    type: Literal["permission"] = "permission"


AnswerKind = Literal["allow_once", "allow_always", "reject", "feedback", "withdrawn"]


@dataclass(frozen=True, kw_only=True, slots=True)
class PermissionAnswer:
    """What the user said, or that the question was withdrawn.

    ``reject`` stops the turn; ``feedback`` refuses the call with a text and the turn goes on.
    """

    kind: AnswerKind
    feedback: str = ""
    suggestion_index: int = 0
    destination: RuleDestination = "session"
    updated_input: JsonObject | None = None
    """A changed input, validated and judged again before it runs."""
    edited_text: str | None = None
    """The whole new text of the file when the user changed the proposal in the diff."""
    edited_rule: str | None = None
    """The rule to save instead of the offered one, as it stands in a settings file."""
