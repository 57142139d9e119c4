"""How a task runs.

Owns: moves, plans, and running a plan over what has happened so far.
Does not own: any task.
"""

from collections.abc import Callable, Generator
from dataclasses import replace
from typing import TypeAlias

from pilotfish.core.jsontypes import JsonObject
from pilotfish.llm.demo_voice import Say
from pilotfish.llm.providers.demo.conversation import Outcome, Scene
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A tool call to make."""

    name: str
    input: JsonObject
    optional: bool = False
    """Left out where the session does not offer the tool."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Move:
    """One reply: what to say and which tools to call. Without calls it ends the turn."""

    text: str
    calls: tuple[Call, ...] = ()


Plan: TypeAlias = Generator[Move, Outcome, str]
"""Yields moves, is sent their outcomes, returns the closing words."""

Task: TypeAlias = Callable[[Scene], Plan]


class StopPlaying(Exception):  # noqa: N818 - not a failure: the task ends here, with these words
    """Raised by a plan that cannot go on; the text says why."""


def next_move(task: Task, scene: Scene) -> Move:
    """Run a task over the outcomes so far and return what comes next."""
    plan = task(scene)
    try:
        move = _settle(plan, next(plan), scene)
        for outcome in scene.outcomes:
            _check_same(move, outcome)
            move = _settle(plan, plan.send(outcome), scene)
    except StopIteration as end:
        return Move(text=str(end.value))
    except StopPlaying as stop:
        return Move(text=str(stop))
    finally:
        plan.close()
    return move


def spoken(move: Move, say: Say) -> Move:
    """Return a move with what people read of it in their language."""
    return Move(text=say(move.text), calls=tuple(_described(call, say) for call in move.calls))


def _described(call: Call, say: Say) -> Call:
    text = call.input.get("description")
    if not isinstance(text, str):
        return call
    return replace(call, input={**call.input, "description": say(text)})


def _settle(plan: Plan, move: Move, scene: Scene) -> Move:
    """Leave out optional calls that cannot be made; skip moves of which nothing is left."""
    while True:
        calls = tuple(c for c in move.calls if not c.optional or c.name in scene.tools)
        if calls:
            break
        move = plan.send(Outcome(answers=(), notes=()))
    missing = sorted({call.name for call in calls} - scene.tools)
    if missing:
        raise StopPlaying(
            f"The next step needs {' and '.join(missing)}, which this session does not offer. I "
            "stop here."
        )
    return Move(text=move.text, calls=calls)


def _check_same(move: Move, outcome: Outcome) -> None:
    """Stop when the conversation is not this task's: another model may have begun the turn."""
    made = [answer.call.name for answer in outcome.answers]
    if made != [call.name for call in move.calls]:
        raise StopPlaying(
            "The steps so far are not those of the demo's task, so I cannot go on from here. Send "
            "the prompt again to start the task anew."
        )
