"""What a session has used.

Owns: adding up tokens and costs, over all models and for each one; time and changed lines.
Does not own: what one call costs (``llm.usage``).
"""

from dataclasses import field, replace

from pilotfish.core.messages import NO_USAGE, Usage
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelUse:
    """What one model was used for."""

    calls: int = 0
    usage: Usage = NO_USAGE
    cost_usd: float | None = None
    """Sum of the calls whose price is known; None when there is none."""
    unpriced_calls: int = 0
    """Calls that cost something nobody knows."""

    def since(self, earlier: "ModelUse") -> "ModelUse":
        """Return what came after earlier sums of the same."""
        priced = self.calls - self.unpriced_calls > earlier.calls - earlier.unpriced_calls
        cost = (self.cost_usd or 0.0) - (earlier.cost_usd or 0.0)
        return ModelUse(
            calls=self.calls - earlier.calls,
            usage=self.usage - earlier.usage,
            cost_usd=cost if priced else None,
            unpriced_calls=self.unpriced_calls - earlier.unpriced_calls,
        )

    def plus(self, usage: Usage, cost_usd: float | None) -> "ModelUse":
        """Return the sums with one more call."""
        cost = self.cost_usd if cost_usd is None else (self.cost_usd or 0.0) + cost_usd
        return replace(
            self,
            calls=self.calls + 1,
            usage=self.usage + usage,
            cost_usd=cost,
            unpriced_calls=self.unpriced_calls + (cost_usd is None),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Worked:
    """What a session has done."""

    duration_ms: int = 0
    """Sum of its turns."""
    api_ms: int = 0
    """Sum of the replies of models, those to sub-agents included, with retries and their waits."""
    answer_ms: int = 0
    """The same without retries: of each reply the attempt that brought it."""
    tool_ms: int = 0
    """Sum of its calls of tools; calls that run side by side count each."""
    added_lines: int = 0
    removed_lines: int = 0

    def plus_turn(self, duration_ms: int) -> "Worked":
        """Return the sums with one more turn."""
        return replace(self, duration_ms=self.duration_ms + duration_ms)

    def plus_reply(self, duration_ms: int, answer_ms: int | None) -> "Worked":
        """Return the sums with one more reply; None: not known, then no attempt had failed."""
        alone = duration_ms if answer_ms is None else answer_ms
        return replace(self, api_ms=self.api_ms + duration_ms, answer_ms=self.answer_ms + alone)

    def plus_call(self, duration_ms: int) -> "Worked":
        """Return the sums with one more call of a tool."""
        return replace(self, tool_ms=self.tool_ms + duration_ms)

    def plus_change(self, added: int, removed: int) -> "Worked":
        """Return the sums with one more changed file."""
        return replace(
            self,
            added_lines=self.added_lines + added,
            removed_lines=self.removed_lines + removed,
        )


@dataclass
class UsageLedger:
    """Sums of a session, in the order in which models were first used."""

    total: ModelUse = ModelUse()
    by_model: dict[str, ModelUse] = field(default_factory=dict[str, ModelUse])

    def count(self, model: str, usage: Usage, cost_usd: float | None) -> None:
        """Add one model call; None when its price is not known."""
        self.total = self.total.plus(usage, cost_usd)
        self.by_model[model] = self.by_model.get(model, ModelUse()).plus(usage, cost_usd)
