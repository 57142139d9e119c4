"""Choosing the turn that answers a request.

Owns: order, conditions, repetition and loops, per conversation.
Does not own: building or sending the reply.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from tools.fake_model.blocks import Content
from tools.fake_model.facts import RequestFacts
from tools.fake_model.scenario import ConversationKey, Scenario
from tools.fake_model.turns import Turn, When


@dataclass(frozen=True, kw_only=True)
class Step:
    """The turn that is due, as it applies to one request."""

    turn: Turn
    turn_index: int
    """Place of the turn in the flattened scenario, scripts first."""
    content: Content
    """The turn's content or, at the end of a loop, what follows it."""
    number: int
    """1 for the first use of the turn; in a loop, the round within the prompt."""


@dataclass(frozen=True, kw_only=True)
class _Entry:
    turn: Turn
    conditions: tuple[When, ...]


class Playlist:
    """The position of every conversation in a scenario."""

    def __init__(self, scenario: Scenario) -> None:
        self._entries = tuple(_flatten(scenario))
        self._conversation: ConversationKey = scenario.conversation
        self._used: dict[str, list[int]] = {}
        """Uses of each entry, by conversation key."""

    def take(self, facts: RequestFacts) -> Step | None:
        """The first turn that is not used up and whose conditions hold; None if there is none."""
        used = self._used.setdefault(self._key(facts), [0] * len(self._entries))
        for index, entry in enumerate(self._entries):
            if _used_up(entry.turn, used[index]):
                continue
            if all(matches(condition, facts) for condition in entry.conditions):
                return _step(entry.turn, index, used, facts)
        return None

    def unused(self) -> list[int]:
        """Places of the turns that no conversation has used yet."""
        return [
            index
            for index in range(len(self._entries))
            if not any(used[index] for used in self._used.values())
        ]

    def _key(self, facts: RequestFacts) -> str:
        match self._conversation:
            case "server":
                return ""
            case "api_key":
                return facts.api_key
            case "first_user_text":
                return facts.first_user_text
            case _:
                assert_never(self._conversation)


def matches(when: When, facts: RequestFacts) -> bool:
    """Whether every condition in ``when`` holds for the request."""
    contained = (
        (when.last_user_text, lambda: facts.last_user_text),
        (when.first_user_text, lambda: facts.first_user_text),
        (when.system_text, lambda: facts.system_text),
        (when.last_tool_result, lambda: facts.last_tool_result),
    )
    equal = (
        (when.api_key, facts.api_key),
        (when.model, facts.model),
        (when.stream, facts.stream),
    )
    return (
        all(wanted is None or wanted == found for wanted, found in equal)
        and _offers(when.offers_tool, facts)
        and all(part is None or part in text() for part, text in contained)
    )


def _offers(wanted: str | None, facts: RequestFacts) -> bool:
    if wanted is None:
        return True
    if wanted.startswith("!"):
        return wanted[1:] not in facts.tool_names
    return wanted in facts.tool_names


def _flatten(scenario: Scenario) -> Iterator[_Entry]:
    for script in scenario.scripts:
        for item in script.turns:
            yield _entry(item, script.when)
    for item in scenario.turns:
        yield _entry(item, None)


def _entry(item: str | Turn, shared: When | None) -> _Entry:
    turn = Turn(item) if isinstance(item, str) else item
    conditions = tuple(when for when in (shared, turn.when) if when is not None)
    return _Entry(turn=turn, conditions=conditions)


def _used_up(turn: Turn, uses: int) -> bool:
    return turn.repeat != "forever" and uses >= turn.repeat


def _step(turn: Turn, index: int, used: list[int], facts: RequestFacts) -> Step:
    """Apply the turn and count its use; rounds of a loop are not uses, its end is."""
    if turn.loop is not None and facts.tool_rounds < turn.loop.times:
        number = facts.tool_rounds + 1
        return Step(turn=turn, turn_index=index, content=turn.content, number=number)
    used[index] += 1
    if turn.loop is None:
        return Step(turn=turn, turn_index=index, content=turn.content, number=used[index])
    number = turn.loop.times + 1
    return Step(turn=turn, turn_index=index, content=turn.loop.then, number=number)
