"""The chain.

Owns: the phases of design 05 §7.4 as one small function each, in one table, and the trace of what
each found. The first phase that has an answer gives it.
Does not own: asking (``gate``), facts (``case``), matching (``rules``), the mode table (``modes``).

``decide`` depends on its arguments alone; what it must know of the disk it asks ``state.probe``.
"""

from collections.abc import Callable

from pilotfish.core.calls import PreparedCall
from pilotfish.core.permission import (
    PermissionDecision,
    PermissionRule,
    Phase,
    RiskTier,
    TraceStep,
)
from pilotfish.permissions.agent_memory import memory_gate
from pilotfish.permissions.case import Case
from pilotfish.permissions.command_rules import is_exact
from pilotfish.permissions.finding import Finding
from pilotfish.permissions.mode_gates import delegate_gate, is_plan_file, plan_gate, reads_plan_file
from pilotfish.permissions.modes import (
    SEVERAL_FILES_TEXT,
    SITUATION_TEXT,
    behavior_in,
    situation_of,
)
from pilotfish.permissions.path_rules import names_area
from pilotfish.permissions.plan_prompts import rules_for
from pilotfish.permissions.precautions import (
    doubt_about,
    secret_read,
    standing_grant,
    vouching,
)
from pilotfish.permissions.rules import (
    PROJECT_SOURCES,
    covering_rule,
    first_hit,
    is_trusted,
    rank,
    rules_of,
    tree_may_hold_denied,
)
from pilotfish.permissions.state import PermissionState
from pilotfish.permissions.suggestions import suggest

MAX_NAMED_VARIABLES = 4
"""More names would make a reason that nobody reads."""

PhaseCheck = Callable[[Case], Finding | None]


def decide(call: PreparedCall, state: PermissionState) -> PermissionDecision:
    """Judge one call on one snapshot. May block on the disk for links; never asks anybody."""
    case = Case(call=call, state=state)
    trace: list[TraceStep] = []
    for phase, check in PHASES:
        finding = check(case)
        if finding is None:
            trace.append(TraceStep(phase=phase, outcome="pass", detail=""))
            continue
        trace.append(TraceStep(phase=phase, outcome=finding.behavior, detail=finding.reason))
        doubt = doubt_about(case, finding)
        if doubt is None:
            return _concluded(case, phase, finding, trace)
        trace.append(TraceStep(phase="ask_rules", outcome=doubt.behavior, detail=doubt.reason))
        return _concluded(case, "ask_rules", doubt, trace)
    # The mode table answers for every situation, so this is never reached; ask if it is.
    unknown = Finding(behavior="ask", reason="No rule and no mode says anything about this call.")
    return _concluded(case, "mode", unknown, trace)


def _concluded(
    case: Case, phase: Phase, finding: Finding, trace: list[TraceStep]
) -> PermissionDecision:
    suggestions = ()
    if finding.behavior == "ask" and not finding.hide_always:
        # A rule that will not count must not be offered.
        managed = case.state.managed_rules_only
        suggestions = tuple(one for one in suggest(case) if not (managed and one.rule))
    behavior, reason = finding.behavior, finding.reason
    if behavior == "ask" and not case.state.asks:
        missing = next((s.rule.text() for s in suggestions if s.rule is not None), "")
        behavior, phase = "deny", "no_prompt"
        nobody = "the mode dontAsk refuses it" if case.state.can_ask else "nobody can be asked here"
        reason = f"{finding.reason} This needs approval, and {nobody}."
        if missing:
            reason += f" The rule `{missing}` would allow it."
        trace.append(TraceStep(phase=phase, outcome="deny", detail=reason))
    return PermissionDecision(
        behavior=behavior,
        phase=phase,
        reason=reason,
        rule=finding.rule,
        risk=_risk(case, finding),
        hide_always=finding.hide_always,
        suggestions=suggestions if behavior == "ask" else (),
        trace=tuple(trace),
    )


def _risk(case: Case, finding: Finding) -> RiskTier:
    if finding.risk != "normal":
        return finding.risk
    if case.shell is not None and case.shell.danger == "dangerous" and not case.shell_is_harmless:
        return "dangerous"
    if any(access.facts.tier == "protected" for access in case.writes):
        return "protected"
    return "normal"


# --- the phases, in order ---


def _hooks(_: Case) -> Finding | None:
    """Hooks run before the chain; their answers enter here once there are hooks."""
    return None


def _deny_rules(case: Case) -> Finding | None:
    rule = first_hit(case, "deny")
    if rule is not None:
        return Finding(behavior="deny", reason=f"{_named(rule)} refuses it.", rule=rule)
    return memory_gate(case)


def _denied_below(case: Case) -> Finding | None:
    """Ask about a search that may come upon a denied file; after all that refuses for certain."""
    rule = tree_may_hold_denied(case) if case.family == "shell" else None
    if rule is None:
        return None
    reason = f"It may show a file that {_named(rule)} refuses."
    return Finding(behavior="ask", reason=reason, rule=rule)


def _protected(case: Case) -> Finding | None:
    finding = _catastrophe(case) or _agent_config(case) or vouching(case)
    if finding is None or _policy_names_it(case):
        return None
    return finding


def _catastrophe(case: Case) -> Finding | None:
    shell = case.shell
    if shell is None or shell.danger != "catastrophic":
        return None
    reason = f"This cannot be undone: {shell.danger_reason}."
    return Finding(behavior="ask", reason=reason, risk="catastrophic", hide_always=True)


def _agent_config(case: Case) -> Finding | None:
    accesses = [*case.writes, *(access for part in case.parts for access in part.writes)]
    for access in accesses:
        if access.facts.tier == "agent_config":
            reason = f"{access.facts.named} steers what runs on this machine or what is allowed."
            return Finding(behavior="ask", reason=reason, risk="protected", hide_always=True)
    return None


def _policy_names_it(case: Case) -> bool:
    """Whether a managed rule allows exactly this, the only way past the protected tier."""
    named = [
        rule
        for rule in rules_of(case.state, "allow")
        if rule.source == "policySettings"
        and rule.content is not None
        and (is_exact(rule.content) if case.family == "shell" else names_area(rule.content))
    ]
    return covering_rule(case, named) is not None


def _trusted_allow(case: Case) -> Finding | None:
    state = case.state
    trusted = [rule for rule in rules_of(state, "allow") if is_trusted(rule, state)]
    rule = covering_rule(case, trusted)
    if rule is None:
        return _plan_file(case) or _planned_command(case) or standing_grant(case)
    asking = first_hit(case, "ask")
    if asking is not None and _beats(asking, rule, state):
        return None
    return Finding(behavior="allow", reason=f"{_named(rule)} allows it.", rule=rule)


def _planned_command(case: Case) -> Finding | None:
    """Allow what the plan that the user approved asked for, unless it is dangerous."""
    if case.family != "shell" or _is_dangerous(case) or first_hit(case, "ask") is not None:
        return None
    for prompt in case.state.plan_prompts:
        if covering_rule(case, rules_for(prompt)) is not None:
            return Finding(behavior="allow", reason=f"The approved plan may “{prompt}”.")
    return None


def _plan_file(case: Case) -> Finding | None:
    if first_hit(case, "ask") is not None:
        return None
    if case.family == "read" and reads_plan_file(case):
        return Finding(behavior="allow", reason="It is the session's plan file.")
    if case.family != "edit":
        return None
    if case.state.effective_mode == "plan" and is_plan_file(case):
        return Finding(behavior="allow", reason="It is the session's plan file.")
    return None


def _beats(asking: PermissionRule, allowing: PermissionRule, state: PermissionState) -> bool:
    if asking.source == "policySettings" or state.ask_beats_allow:
        return True
    return rank(asking) > rank(allowing)


def _command_safety(case: Case) -> Finding | None:
    shell, state = case.shell, case.state
    # Where nobody can be asked the check cannot ask; `_untrusted_allow` makes up for it.
    if shell is None or not state.can_ask or not _is_dangerous(case):
        return None
    # These modes answer for themselves: one runs all, the other only what it can prove.
    if state.effective_mode in ("bypassPermissions", "autoInProject"):
        return None
    return Finding(behavior="ask", reason=f"Be careful: {shell.danger_reason}.", risk="dangerous")


def _is_dangerous(case: Case) -> bool:
    shell = case.shell
    return shell is not None and shell.danger != "none" and not case.shell_is_harmless


def _ask_rules(case: Case) -> Finding | None:
    rule = first_hit(case, "ask")
    if rule is None:
        return secret_read(case)
    return Finding(behavior="ask", reason=f"{_named(rule)} wants to be asked.", rule=rule)


def _bypass(case: Case) -> Finding | None:
    if case.state.effective_mode != "bypassPermissions":
        return None
    if case.shell is not None and not case.shell.shell.complete:
        # What cannot be read might be catastrophic, and padding must not hide that.
        reason = f"It cannot be read for certain: {case.shell.shell.reason}."
        return Finding(behavior="ask", reason=reason, hide_always=True)
    return Finding(behavior="allow", reason="The mode bypassPermissions allows it.")


def _untrusted_allow(case: Case) -> Finding | None:
    if _is_dangerous(case):
        return None
    rule = covering_rule(
        case, [one for one in rules_of(case.state, "allow") if _may_try(one, case)]
    )
    if rule is None or is_trusted(rule, case.state):
        return None
    return Finding(behavior="allow", reason=f"{_named(rule)} allows it.", rule=rule)


def _may_try(rule: PermissionRule, case: Case) -> bool:
    """Tell whether an allow rule counts here that a folder brings for which nobody has vouched.

    It may save the user a question about a command that it names. It opens nothing else (files, hosts,
    servers know no check for danger), and nothing at all where no user sees what happens.
    """
    if rule.source not in PROJECT_SOURCES or case.state.trusted:
        return True
    names_command = rule.content is not None and rule.content.strip(" :*") != ""
    return case.family == "shell" and names_command and case.state.asks


def _mode(case: Case) -> Finding | None:
    situation = situation_of(case)
    mode = case.state.effective_mode
    behavior = behavior_in(situation, mode, case.state.effective_pre_plan_mode)
    text = _situation_text(case)
    # A question says what the call does; only where the mode answers does its name explain anything.
    reason = (
        f"{text[0].upper()}{text[1:]}." if behavior == "ask" else f"In the mode {mode}: {text}."
    )
    return Finding(behavior=behavior, reason=reason, hide_always=situation == "edit_outside")


def _situation_text(case: Case) -> str:
    situation = situation_of(case)
    text = SITUATION_TEXT[situation]
    if len(case.writes) > 1 and situation in SEVERAL_FILES_TEXT:
        return SEVERAL_FILES_TEXT[situation].format(count=len(case.writes))
    secret = [name for part in case.parts for name in part.secret_variables]
    if secret:
        named = ", ".join(dict.fromkeys(secret[:MAX_NAMED_VARIABLES]))
        return f"it may show variables that look like secrets ({named})"
    if (
        situation in ("shell_other", "shell_in_project")
        and case.shell is not None
        and case.shell.shell.reason
    ):
        return f"{text} ({case.shell.shell.reason})"
    return text


PHASES: tuple[tuple[Phase, PhaseCheck], ...] = (
    ("hooks", _hooks),
    ("deny_rules", _deny_rules),
    ("plan_gate", plan_gate),
    ("delegate_gate", delegate_gate),
    ("protected", _protected),
    ("deny_rules", _denied_below),
    ("trusted_allow", _trusted_allow),
    ("command_safety", _command_safety),
    ("ask_rules", _ask_rules),
    ("bypass", _bypass),
    ("untrusted_allow", _untrusted_allow),
    ("mode", _mode),
)

_LAYER_NAMES = {
    "userSettings": "your settings",
    "projectSettings": "the project's settings",
    "localSettings": "your settings for this project",
    "flagSettings": "the settings given at start",
    "policySettings": "the managed settings",
    "cliArg": "the command line",
    "command": "the running command",
    "session": "this session",
}


def _named(rule: PermissionRule) -> str:
    return f"The rule `{rule.text()}` of {_LAYER_NAMES[rule.source]}"
