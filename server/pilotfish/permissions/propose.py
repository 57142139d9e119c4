"""The smallest rules that cover what the user has approved.

Owns: which of the rules that dialogs offered are justified by the answers, and none that would let
through what the user refused.
Does not own: the rules that a dialog offers (``suggestions``), where the calls come from.
See also: design 05 §8.4.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field

from pilotfish.core.permission import PermissionRule
from pilotfish.permissions.case import Case
from pilotfish.permissions.command_rules import is_exact
from pilotfish.permissions.decide import decide
from pilotfish.permissions.lint import covers
from pilotfish.permissions.past import PastCall
from pilotfish.permissions.rules import covering_rule, is_trusted, rules_of
from pilotfish.permissions.state import PermissionState
from pilotfish.util.records import dataclass

StateOf = Callable[[PastCall], PermissionState]

MIN_FOR_BROAD = 2
"""Different approved calls that a rule for more than one call needs."""

MAX_DIFFERENT_CALLS = 2_000
"""Different calls that are looked at; the latest ones come first."""

MAX_EXAMPLES = 3
"""Calls that each proposal names."""


@dataclass(kw_only=True)
class Proposal:
    """A rule that the user's own answers justify."""

    rule: PermissionRule
    approvals: int = 0
    """Answers that would not have been needed with it."""
    examples: list[str] = field(default_factory=list[str])


@dataclass(kw_only=True)
class _Approved:
    """An approved call, however often, with the rules that would cover it."""

    case: Case
    example: str
    count: int
    exact: PermissionRule | None = None
    broad: PermissionRule | None = None


def propose(calls: Iterable[PastCall], state_of: StateOf) -> list[Proposal]:
    """Return the rules, those that spare the most answers first. May block on the disk."""
    approved, refused = _sorted_out(calls, state_of)
    chosen = _chosen(approved, refused)
    chosen = _without_covered(chosen)
    _drop_what_lets_refused_through(chosen, refused)
    _drop_needless(chosen, approved)
    return sorted(chosen.values(), key=lambda one: (-one.approvals, one.rule.text()))


def _sorted_out(calls: Iterable[PastCall], state_of: StateOf) -> tuple[list[_Approved], list[Case]]:
    approved: dict[str, _Approved] = {}
    refused: dict[str, Case] = {}
    for call in calls:
        key = json.dumps([str(call.cwd), call.tool, call.input], sort_keys=True)
        if call.outcome == "rejected" and len(refused) < MAX_DIFFERENT_CALLS:
            refused.setdefault(key, Case(call=call.prepared(), state=state_of(call)))
        elif call.outcome != "approved":
            continue
        elif key in approved:
            approved[key].count += 1
        elif len(approved) < MAX_DIFFERENT_CALLS:
            approved[key] = _with_rules(call, state_of(call))
    return list(approved.values()), list(refused.values())


def _with_rules(call: PastCall, state: PermissionState) -> _Approved:
    prepared = call.prepared()
    found = _Approved(case=Case(call=prepared, state=state), example=call.example(), count=1)
    decision = decide(prepared, state)
    if decision.behavior != "ask" or decision.hide_always:
        return found
    for suggestion in decision.suggestions:
        # What a dialog keeps for one session only does not belong into a file.
        if suggestion.rule is None or "local" not in suggestion.destinations:
            continue
        if _is_for_one_call(suggestion.rule):
            found.exact = found.exact or suggestion.rule
        elif decision.risk == "normal":
            found.broad = found.broad or suggestion.rule
    return found


def _is_for_one_call(rule: PermissionRule) -> bool:
    if rule.content is None:
        return False
    return rule.tool == "Edit" or (rule.tool in ("Bash", "PowerShell") and is_exact(rule.content))


def _chosen(approved: Sequence[_Approved], refused: Sequence[Case]) -> dict[str, Proposal]:
    sharing: dict[str, int] = {}
    for one in approved:
        if one.broad is not None:
            sharing[one.broad.text()] = sharing.get(one.broad.text(), 0) + 1
    harmless: dict[str, bool] = {}

    def lets_nothing_through(rule: PermissionRule) -> bool:
        text = rule.text()
        if text not in harmless:
            harmless[text] = all(covering_rule(case, [rule]) is None for case in refused)
        return harmless[text]

    found: dict[str, Proposal] = {}
    for one in approved:
        broad, exact = one.broad, one.exact
        if (
            broad is None
            or sharing[broad.text()] < MIN_FOR_BROAD
            or not lets_nothing_through(broad)
        ):
            broad = None
        rule = broad or exact
        if rule is None or not lets_nothing_through(rule):
            continue
        proposal = found.setdefault(rule.text(), Proposal(rule=rule))
        proposal.approvals += one.count
        if len(proposal.examples) < MAX_EXAMPLES:
            proposal.examples.append(one.example)
    return found


def _without_covered(found: dict[str, Proposal]) -> dict[str, Proposal]:
    """Fold rules into those that say the same and more."""
    kept: dict[str, Proposal] = {}
    for text, proposal in found.items():
        wider = next(
            (
                other
                for name, other in found.items()
                if name != text and covers(other.rule, proposal.rule)
            ),
            None,
        )
        if wider is None:
            kept[text] = proposal
        else:
            wider.approvals += proposal.approvals
    return kept


def _drop_what_lets_refused_through(found: dict[str, Proposal], refused: Sequence[Case]) -> None:
    """Rules that are harmless alone may together cover a compound command that was refused."""
    for case in refused:
        known = _in_force(case)
        if covering_rule(case, known) is not None:
            continue
        while covering_rule(case, [*known, *(one.rule for one in found.values())]) is not None:
            needed = [
                text
                for text in found
                if covering_rule(
                    case, [*known, *(one.rule for name, one in found.items() if name != text)]
                )
                is None
            ]
            # Where two rules cover the same part, none is needed alone: then any may go.
            del found[min(needed or found, key=lambda text: found[text].approvals)]


def _drop_needless(found: dict[str, Proposal], approved: Sequence[_Approved]) -> None:
    """Drop the exact rules of calls that the others cover together."""
    for one in approved:
        text = "" if one.exact is None else one.exact.text()
        if text not in found:
            continue
        others = [proposal.rule for name, proposal in found.items() if name != text]
        if covering_rule(one.case, [*_in_force(one.case), *others]) is not None:
            del found[text]


def _in_force(case: Case) -> list[PermissionRule]:
    return [rule for rule in rules_of(case.state, "allow") if is_trusted(rule, case.state)]
