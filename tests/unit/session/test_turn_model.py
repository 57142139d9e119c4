"""What calls cost, by the name that a model is asked by or answers with."""

import pytest
from pilotfish.config.model_section import ModelSettings, PriceSection
from pilotfish.config.schema import Settings
from pilotfish.core.messages import Usage
from pilotfish.llm.access import ModelAccess
from pilotfish.session.providers import ProviderHub
from pilotfish.session.turn_model import TurnModel

from tests.support.fake_clock import FakeClock

MODELS = {"local-large": 4.0, "local-spare": 3.0, "local-small": 1.0, "local-small-v2": 2.0}
"""Price of a million tokens of each."""


def model(small: str) -> TurnModel:
    prices = {name: PriceSection(input=price, output=price) for name, price in MODELS.items()}
    settings = Settings(model=ModelSettings(fallback="local-spare", small=small, prices=prices))
    hub = ProviderHub(ModelAccess(anthropic_key="k"), FakeClock())
    return TurnModel(hub, lambda: settings, lambda: "local-large", lambda: "")


@pytest.mark.parametrize(
    ("answered_by", "price"),
    [
        ("local-large", 4.0),
        ("local-large-2026-01-01", 4.0),
        ("local-spare-0815", 3.0),
        ("local-small-0815", 1.0),
        ("somebody-else", None),
    ],
)
def test_a_longer_name_than_was_asked_by_has_the_price_of_the_shorter(
    answered_by: str, price: float | None
) -> None:
    assert model("local-small").cost_of(answered_by, Usage(input_tokens=1_000_000)) == price


def test_the_closest_name_counts() -> None:
    cost = model("local-small-v2").cost_of("local-small-v2-0815", Usage(input_tokens=1_000_000))
    assert cost == 2.0
