"""What settings other than rules say about a call, and what no setting lets pass.

Owns: the switches that let one kind of calls pass, the question before a secret is read, that before
a folder is vouched for, and the doubt while a settings file is broken.
Does not own: the order of the chain (``decide``), which files are broken (``config``).
"""

import re
from itertools import pairwise

from pilotfish.codeintel.powershell import command_name
from pilotfish.codeintel.shell_words import Word
from pilotfish.config.schema import SkipKey
from pilotfish.core.permission import PermissionRule, RuleSource
from pilotfish.permissions.case import Case, PathAccess
from pilotfish.permissions.finding import Finding
from pilotfish.permissions.modes import Situation, situation_of
from pilotfish.permissions.path_rules import allows
from pilotfish.permissions.paths import is_secret, is_secret_name
from pilotfish.permissions.rules import covering_rule, first_hit, is_trusted, rules_of

_SKIPPED_TOOLS: dict[SkipKey, str] = {
    "skipBashExecPermission": "Bash",
    "skipSkillPermission": "Skill",
    "skipMCPToolPermission": "mcp__*",
}
"""Which rule for a whole tool each switch is as good as; edits have a grant of their own."""

_OWN_COMMAND = re.compile(r"^(-\w*m)?pilotfish$")
"""Also as Python starts a module, with or without a blank before its name."""

_OPTION = re.compile(r"^-(?!\w*mpilotfish$)")

_HARMLESS: frozenset[Situation] = frozenset({"read_inside", "shell_safe", "internal", "dialog"})
"""What goes on while a settings file cannot be read: it changes nothing and reaches nobody."""


def standing_grant(case: Case) -> Finding | None:
    """Let pass what needs no question by a grant for a whole kind of calls.

    Such a grant yields to every ask rule, however unspecific.
    """
    found = _edit_grant(case) or _skip_switch(case)
    return None if found is None or first_hit(case, "ask") is not None else found


def _edit_grant(case: Case) -> Finding | None:
    if case.family != "edit" or situation_of(case) != "edit_inside":
        return None
    if case.state.session_edit_grant:
        reason = "Edits in the project are allowed for this session."
        return Finding(behavior="allow", reason=reason)
    if any(one.key == "skipFileEditPermission" for one in case.state.skipped):
        reason = "The setting skipFileEditPermission allows edits in the project."
        return Finding(behavior="allow", reason=reason)
    return None


def _skip_switch(case: Case) -> Finding | None:
    for skipped in case.state.skipped:
        tool = _SKIPPED_TOOLS.get(skipped.key)
        if tool is None:
            continue
        rule = PermissionRule(source=skipped.source, behavior="allow", tool=tool)
        if covering_rule(case, (rule,)) is not None:
            return Finding(behavior="allow", reason=f"The setting {skipped.key} allows it.")
    return None


def secret_read(case: Case) -> Finding | None:
    """Ask before a file is read that usually holds secrets, unless a trusted rule names it."""
    state = case.state
    if not state.protect_secrets:
        return None
    named = [access for access in case.reads if is_secret(access.facts)]
    named += [access for part in case.parts for access in part.secrets]
    for access in named:
        if not _read_is_allowed(access, case):
            reason = f"{access.facts.named} usually holds secrets."
            return Finding(behavior="ask", reason=reason, risk="protected")
    trees = [access for part in case.parts for access in part.reads if access.tree]
    if any(state.probe.any_below(tree.facts.named, is_secret_name) for tree in trees):
        return Finding(behavior="ask", reason="It may show a file that usually holds secrets.")
    return None


def _read_is_allowed(access: PathAccess, case: Case) -> bool:
    return any(
        rule.tool == "Read"
        and (rule.content is None or allows(rule.content, access.facts, case.state))
        for rule in rules_of(case.state, "allow")
        if is_trusted(rule, case.state)
    )


def vouching(case: Case) -> Finding | None:
    """Ask before a command that vouches for a folder, as before a file is written that steers."""
    if not any(_vouches(part.facts.command.words) and not part.harmless for part in case.parts):
        return None
    reason = "It may trust a folder, whose own settings and language servers then count."
    return Finding(behavior="ask", reason=reason, risk="protected", hide_always=True)


def _vouches(words: tuple[Word, ...]) -> bool:
    # Wherever it stands: `uv run`, `env` and many others start what their arguments name.
    named = [word.value for word in words if not _OPTION.match(word.value)]
    return any(
        _OWN_COMMAND.match(command_name(first)) and second == "trust"
        for first, second in pairwise(named)
    )


def doubt_about(case: Case, finding: Finding) -> Finding | None:
    """Turn a permission into a question while a broken settings file might forbid the call."""
    if finding.behavior != "allow" or not case.state.unread:
        return None
    source: RuleSource | None = None if finding.rule is None else finding.rule.source
    # What the user grants in a dialog is said with the broken file in sight.
    doubtful = [
        one for one in case.state.unread if source != "session" or one.source == "policySettings"
    ]
    if not doubtful or situation_of(case) in _HARMLESS:
        return None
    reason = f"{doubtful[0].place} is broken, so nobody can tell whether it forbids this."
    return Finding(behavior="ask", reason=reason)
