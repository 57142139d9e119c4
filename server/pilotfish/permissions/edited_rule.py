"""Rules that people write.

Owns: whether a text can be saved as a rule at all, and whether one that was edited in a dialog may be
saved for the call that is being answered.
Does not own: the grammar (``config.rule_syntax``), which programs take no prefix (``suggestions``).
See also: design 05 §8.4.
"""

from pilotfish.codeintel.shell_ast import parse_shell
from pilotfish.codeintel.shell_wrappers import strip_harmless
from pilotfish.config.rule_syntax import parse_rule
from pilotfish.core.calls import PreparedCall
from pilotfish.core.permission import Behavior, PermissionRule, RuleSource
from pilotfish.permissions.case import Case
from pilotfish.permissions.command_rules import is_exact
from pilotfish.permissions.rules import covering_rule, is_trusted, rules_of
from pilotfish.permissions.state import PermissionState
from pilotfish.permissions.suggestions import is_exact_only
from pilotfish.util.records import dataclass

_SHELLS = frozenset({"Bash", "PowerShell"})


@dataclass(frozen=True, kw_only=True, slots=True)
class WrittenRule:
    """What came of a rule that somebody wrote."""

    rule: PermissionRule | None
    problem: str = ""
    """Why it cannot be saved; empty when it can."""


def written_rule(text: str, behavior: Behavior, source: RuleSource = "session") -> WrittenRule:
    """Read a rule that is to be saved: one that could never act as written is refused."""
    parsed = parse_rule(text, behavior, source)
    if parsed.malformed or parsed.rule is None:
        return WrittenRule(rule=None, problem=parsed.problem.partition(", so ")[0])
    return WrittenRule(rule=None if parsed.problem else parsed.rule, problem=parsed.problem)


def edited_rule(text: str, call: PreparedCall, state: PermissionState) -> WrittenRule:
    """Read the allow rule that the user made of the one that a dialog offered. May block.

    It must be no broader than a dialog may grant, and allow the very call that it was written for.
    """
    written = written_rule(text, "allow")
    rule = written.rule
    if rule is None:
        return written
    problem = _too_broad(rule)
    if not problem and not _covers(rule, Case(call=call, state=state)):
        problem = "it does not cover the call that you were asked about"
    return WrittenRule(rule=None if problem else rule, problem=problem)


def _too_broad(rule: PermissionRule) -> str:
    if rule.tool == "*":
        return "a rule for all tools is not saved from a dialog"
    if rule.tool not in _SHELLS:
        return ""
    if rule.content is None:
        return f"a rule for all of {rule.tool} is not saved from a dialog"
    if is_exact(rule.content):
        return ""
    return _why_no_prefix(rule.content)


def _why_no_prefix(content: str) -> str:
    """Say why commands that merely begin with a text must not all be allowed; empty when they may."""
    is_prefix = content.endswith(":*")
    fixed = content.removesuffix(":*").replace(r"\*", "x").partition("*")[0]
    if not is_prefix and " " not in fixed.strip() and not fixed.endswith(" "):
        return "it must name the whole program before the first `*`"
    parsed = parse_shell(fixed.strip())
    words = () if len(parsed.commands) != 1 else strip_harmless(parsed.commands[0].words)
    if parsed.kind != "simple" or not words or not words[0].known:
        return "what stands before its `*` cannot be read as one command"
    if is_exact_only(words[0].value):
        return f"{words[0].value} can do anything, so only exact commands of it are saved"
    return ""


def _covers(rule: PermissionRule, case: Case) -> bool:
    """Tell whether the call is allowed with the rule, and not already without it."""
    if covering_rule(case, [rule]) is not None:
        return True
    known = [one for one in rules_of(case.state, "allow") if is_trusted(one, case.state)]
    return covering_rule(case, known) is None and covering_rule(case, [*known, rule]) is not None
