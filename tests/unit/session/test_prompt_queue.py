"""What waits keeps its order whatever is done, and no work on it grows with the queue.

Design 04 §9: JIRA-003.
"""

import asyncio
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st
from pilotfish.core.events import PromptSubmitted, TurnEnded
from pilotfish.core.ids import MessageId
from pilotfish.core.messages import TextBlock
from pilotfish.session.prompt_queue import MAX_QUEUED_PROMPTS, PromptQueue, WaitingPrompt

COMMAND = "/command"


def prompt(number: int, text: str = "words") -> WaitingPrompt:
    submitted = PromptSubmitted(message_id=MessageId(f"m{number}"), content=(TextBlock(text=text),))
    ended: asyncio.Future[TurnEnded] = asyncio.get_running_loop().create_future()
    return WaitingPrompt(submitted, ended)


def ids(queue: PromptQueue) -> list[str]:
    return [each.id for each in queue.prompts]


Step = tuple[str, int, int]

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "remove", "move", "last", "front", "first", "until", "all"]),
        st.integers(0, 9),
        st.integers(0, 9),
    ),
    max_size=40,
)


def expected(order: list[str], step: Step) -> list[str]:
    """Return the order after a step, worked out on a plain list."""
    name, one, other = step
    mine, before = f"m{one}", f"m{other}"
    rest = [each for each in order if each != mine]
    match name:
        case "remove":
            return rest
        case "move" if mine in order and before in order and mine != before:
            at = rest.index(before)
            return [*rest[:at], mine, *rest[at:]]
        case "last" | "front" if mine in order:
            return [*rest, mine] if name == "last" else [mine, *rest]
        case "first":
            return order[1:]
        case "until" | "all":
            return order[order.index("m0") :] if name == "until" and "m0" in order else []
        case _:
            return order


def take(queue: PromptQueue, step: Step) -> None:
    name, one, other = step
    mine = MessageId(f"m{one}")
    steps: dict[str, Callable[[], object]] = {
        "remove": lambda: queue.remove(mine),
        "move": lambda: queue.move(mine, MessageId(f"m{other}")),
        "last": lambda: queue.move(mine, None),
        "front": lambda: queue.move_to_front(mine),
        "first": lambda: queue.take_first() if len(queue) else None,
        "until": lambda: queue.take_until(lambda content: content[0] == TextBlock(text=COMMAND)),
        "all": queue.take_all,
    }
    steps[name]()


@settings(max_examples=300, deadline=None)
@given(STEPS)
def test_whatever_is_done_the_order_is_that_of_a_plain_list(steps: list[Step]) -> None:
    async def play() -> None:
        queue, order = PromptQueue(lambda _: None), list[str]()
        for step in steps:
            if step[0] != "add":
                order = expected(order, step)
                take(queue, step)
            elif f"m{step[1]}" not in order:
                queue.add(prompt(step[1], COMMAND if step[1] == 0 else "words"))
                order = [*order, f"m{step[1]}"]
            assert ids(queue) == order
            assert len(queue) == len(order)

    asyncio.run(play())


class CountedId(str):
    """An id that counts how often it is compared with another."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        CountedId.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


async def test_taking_and_taking_back_look_at_one_prompt_however_many_wait() -> None:
    queue = PromptQueue(lambda _: None)
    for number in range(MAX_QUEUED_PROMPTS):
        waiting = prompt(number)
        waiting.prompt = PromptSubmitted(
            message_id=MessageId(CountedId(f"m{number}")), content=waiting.prompt.content
        )
        queue.add(waiting)
    CountedId.compared = 0
    assert queue.take_first().id == "m0"
    last = MessageId(CountedId(f"m{MAX_QUEUED_PROMPTS - 1}"))
    assert queue.find(last) is not None
    assert queue.revise(last, "other words", 0) == "done"
    assert queue.remove(last) == "done"
    assert queue.remove(last) == "gone"
    # Two ids may share a place of the table, and each step may look twice.
    assert CountedId.compared < 50


async def test_a_prompt_that_is_taken_back_is_answered_as_stopped() -> None:
    queue = PromptQueue(lambda _: None)
    one, two = prompt(1), prompt(2)
    queue.add(one)
    queue.add(two)
    assert queue.remove(one.id) == "done"
    assert (await one.ended).reason == "aborted_streaming"
    assert ids(queue) == [two.id]
    assert not two.ended.done()
