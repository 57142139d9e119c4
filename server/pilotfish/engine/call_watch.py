"""Noticing a model that goes round in circles.

Owns: when the same calls with the same results, or inputs that are no JSON, are once too often.
Does not own: running calls, telling the model (``engine.turn``).
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence

from pilotfish.core.calls import ToolCall
from pilotfish.core.ids import ToolUseId
from pilotfish.core.messages import ImageBlock, TextBlock

REMIND_AFTER = 3
"""Equal calls with equal results after which the model is told; again with each further three."""

STOP_AFTER = 10
"""Equal calls with equal results after which the turn ends."""

REMIND_AFTER_BROKEN = 3
"""Inputs in a row that are no JSON after which the model is told."""

BROKEN_AGAIN = (
    "The inputs of your last {count} tool calls were not valid JSON, so none of them ran. Every "
    "input must be one JSON object: text in double quotes, special characters escaped. Try a "
    "smaller input, or another way."
)
SAME_AGAIN = (
    "You have called {tool} {count} times with the same input and got the same result each time. "
    "Calling it again will not help: use what you know, try something else, or ask the user."
)
GAVE_UP = (
    "Stopped: the model called {tool} {count} times with the same input and the same result. "
    "Tell it what to do differently, or send “continue”."
)

Content = tuple[TextBlock | ImageBlock, ...]


class CallWatch:
    """Watches the calls of one turn."""

    def __init__(self) -> None:
        self._known: set[bytes] = set()
        """Every call and its result so far."""
        self._again: Counter[bytes] = Counter()
        """How often each of them came since the last one that was new."""
        self._broken = 0
        """Inputs in a row that were no JSON."""
        self.verdict = ""
        """Why the turn should end, for the user; empty while it may go on."""

    def after(self, calls: Sequence[ToolCall], results: Mapping[ToolUseId, Content]) -> list[str]:
        """Take the calls of one reply into account; return what the model should hear."""
        prints = [_print_of(call, results.get(call.id, ())) for call in calls]
        if not self._known.issuperset(prints):
            # Something new was found out: what looked like a circle has an exit.
            self._again.clear()
            self._known.update(prints)
        notes: list[str] = []
        for call, each in zip(calls, prints, strict=True):
            self._again[each] += 1
            count = self._again[each]
            if count >= STOP_AFTER:
                self.verdict = GAVE_UP.format(tool=call.name, count=count)
            elif count % REMIND_AFTER == 0:
                notes.append(SAME_AGAIN.format(tool=call.name, count=count))
            self._broken = 0 if call.input_error is None else self._broken + 1
        if self._broken and self._broken % REMIND_AFTER_BROKEN == 0:
            notes.append(BROKEN_AGAIN.format(count=self._broken))
        return notes


def _print_of(call: ToolCall, content: Content) -> bytes:
    """Return what equal calls with equal results have in common."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(call.name.encode())
    digest.update(json.dumps(call.input, sort_keys=True).encode())
    for block in content:
        text = block.text if isinstance(block, TextBlock) else block.data
        digest.update(b"\0" + text.encode("utf-8", "surrogatepass"))
    return digest.digest()
