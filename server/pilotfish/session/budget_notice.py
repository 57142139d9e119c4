"""Telling the user that a budget is not kept, before anything is spent that nobody counts.

Owns: when that is said, once for each model of a session, and in which words.
Does not own: prices (``llm.catalog``), stopping at the budget (``engine.turn``).

The turn goes on. What has no price is most often a server of one's own, which costs nothing: a budget
in the user's settings must not lock that out. What has a price is still held to the budget.
"""

import json

from pilotfish.core.events import PriceMissing
from pilotfish.llm.choose import ProviderChoice
from pilotfish.session.session import Session
from pilotfish.session.turn_model import TurnModel


def tell_of_missing_prices(session: Session, model: TurnModel, choice: ProviderChoice) -> None:
    """Tell which models of a turn the session's budget is not kept for.

    Args:
        session: The one that the user talks with.
        model: Of whoever is about to begin a turn.
        choice: What answers it.
    """
    budget = model.max_budget_usd
    if budget is None:
        return
    for name in model.unpriced(choice):
        if name not in session.data.unpriced_models:
            session.log.emit(PriceMissing(model=name, text=_text(name, budget)))


def _text(model: str, budget_usd: float) -> str:
    example = json.dumps({"model": {"prices": {model: {"input": 1, "output": 4}}}})
    what = (
        f"The budget of ${budget_usd:.2f} (maxBudgetUsd) cannot be kept for {model}: its price is "
        "not known, so its calls count as nothing."
    )
    way_out = (
        "Tell its price in your settings, in US dollars per million tokens (0 if it costs nothing): "
        f"{example}"
    )
    return f"{what} {way_out}"
