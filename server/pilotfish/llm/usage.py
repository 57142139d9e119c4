"""What a model call costs.

Owns: turning token counts into US dollars. Does not own: prices (``llm.catalog``), adding up over
a session (``session``).
"""

from pilotfish.core.messages import Usage
from pilotfish.llm.catalog import ModelFacts, Price

_PER_PRICE = 1_000_000
"""Prices are for this many tokens."""


def cost_usd(usage: Usage, facts: ModelFacts) -> float | None:
    """Return the cost of one model call; None when the model's price is not known.

    Counts of several calls must be priced one by one: some prices depend on the prompt's size.
    """
    price = _price_for(usage, facts.prices)
    if price is None:
        return None
    total = (
        usage.input_tokens * price.input
        + usage.output_tokens * price.output
        + usage.cache_read_tokens * price.cache_read
        + usage.cache_write_tokens * price.cache_write
    )
    return total / _PER_PRICE


def _price_for(usage: Usage, prices: tuple[Price, ...]) -> Price | None:
    prompt_tokens = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    for price in prices:
        if price.up_to_prompt_tokens is None or prompt_tokens <= price.up_to_prompt_tokens:
            return price
    return None
