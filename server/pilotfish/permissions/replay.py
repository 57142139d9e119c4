"""What a changed set of rules would have meant for calls of the past.

Owns: judging each call again and counting what would differ, in groups with examples.
Does not own: where the calls and the rules come from. Runs nothing.
"""

from collections.abc import Callable
from dataclasses import field
from typing import Literal
from urllib.parse import urlsplit

from pilotfish.core.permission import PermissionDecision
from pilotfish.permissions.decide import decide
from pilotfish.permissions.past import ASKED, PastCall
from pilotfish.permissions.state import PermissionState
from pilotfish.permissions.suggestions import kind_of_command
from pilotfish.util.records import dataclass

Difference = Literal["no_prompt", "now_refused", "now_asked", "now_allowed"]
"""A question that would not be put; calls that would now be refused, asked about, or let through."""

MAX_GROUPS = 500
"""Groups of a report; calls beyond it are counted and not described."""

MAX_EXAMPLES = 3
"""Calls that each group names."""


@dataclass(kw_only=True)
class ReplayGroup:
    """Calls of one kind for which the same would differ for the same reason."""

    difference: Difference
    tool: str
    kind: str
    """What the calls have in common: the command's first words, a host, or the tool."""
    because: str
    """The rule that decides now, or the reason in a sentence."""
    count: int = 0
    examples: list[str] = field(default_factory=list[str])


@dataclass(kw_only=True)
class ReplayReport:
    """What came of a replay."""

    calls: int = 0
    prompts: int = 0
    """Questions that were put at the time."""
    prompts_now: int = 0
    """Questions that would be put with the changed rules."""
    sessions: int = 0
    truncated: bool = False
    """Whether there were more calls than were looked at."""
    groups: list[ReplayGroup] = field(default_factory=list[ReplayGroup])
    """The largest first, once the replay is over."""

    def count(self, difference: Difference) -> int:
        """Return how many calls would differ in one way."""
        return sum(one.count for one in self.groups if one.difference == difference)


class Replay:
    """Takes one call after the other."""

    def __init__(self, state_of: Callable[[PastCall], PermissionState]) -> None:
        self._state_of = state_of
        self._groups: dict[tuple[str, ...], ReplayGroup] = {}
        self.report = ReplayReport()

    def judge(self, call: PastCall) -> None:
        """Judge a call again and note what would differ. May block on the disk."""
        decision = decide(call.prepared(), self._state_of(call))
        report = self.report
        report.calls += 1
        report.prompts += call.outcome in ASKED
        report.prompts_now += decision.behavior == "ask"
        difference = _difference(call, decision)
        if difference is not None:
            self._note(difference, call, decision)

    def finish(self) -> ReplayReport:
        """Return the report."""
        self.report.groups = sorted(self._groups.values(), key=lambda one: -one.count)
        return self.report

    def _note(self, difference: Difference, call: PastCall, decision: PermissionDecision) -> None:
        because = decision.reason if decision.rule is None else decision.rule.text()
        key = (difference, call.tool, _kind(call), because)
        if key not in self._groups:
            if len(self._groups) >= MAX_GROUPS:
                key = (difference, call.tool, "", "")
            self._groups.setdefault(
                key,
                ReplayGroup(difference=difference, tool=call.tool, kind=key[2], because=key[3]),
            )
        group = self._groups[key]
        group.count += 1
        example = call.example()
        if len(group.examples) < MAX_EXAMPLES and example not in group.examples:
            group.examples.append(example)


def _difference(call: PastCall, decision: PermissionDecision) -> Difference | None:
    asked = call.outcome in ASKED
    if decision.behavior == "allow":
        if asked:
            return "no_prompt"
        return None if call.outcome == "allowed" else "now_allowed"
    if decision.behavior == "deny":
        return "now_refused" if asked or call.outcome == "allowed" else None
    return "now_asked" if call.outcome in ("allowed", "refused") else None


def _kind(call: PastCall) -> str:
    """Return what calls of one group share: words of the command, or the host."""
    command, url = call.input.get("command"), call.input.get("url")
    if isinstance(command, str):
        return kind_of_command(command)
    if isinstance(url, str):
        try:
            return urlsplit(url).hostname or call.tool
        except ValueError:
            return call.tool
    return call.tool
