"""Facts about models and what calls cost."""

import pytest
from pilotfish.config.model_section import CapabilitySection, PriceSection
from pilotfish.core.messages import Usage
from pilotfish.llm.catalog import (
    DEMO_MODEL,
    FactOverrides,
    catalog_date,
    default_model,
    facts_of,
    known_models,
    resolve_model,
)
from pilotfish.llm.usage import cost_usd


@pytest.mark.parametrize("model", known_models())
def test_every_known_model_has_sensible_facts(model: str) -> None:
    facts = facts_of(model)
    assert facts.known
    assert facts.model == model
    assert 0 < facts.default_max_tokens <= facts.max_output_tokens < facts.context_tokens
    assert facts.prices[-1].up_to_prompt_tokens is None
    for price in facts.prices:
        assert 0 < price.cache_read < price.input < price.cache_write < price.output


def test_the_catalog_says_when_its_figures_were_looked_up() -> None:
    assert catalog_date().startswith("20")


@pytest.mark.parametrize("alias", ["sonnet", "opus", "haiku", "OPUS", " opus "])
def test_short_names_stand_for_known_models(alias: str) -> None:
    model = resolve_model(alias)
    assert alias.strip().lower() in model
    assert facts_of(model).known


def test_other_names_stay_as_they_are() -> None:
    assert resolve_model("llama3.3:70b") == "llama3.3:70b"
    assert resolve_model("claude-opus-5-5") == "claude-opus-5-5"
    assert resolve_model("") == default_model()


def test_the_users_own_short_names_win() -> None:
    assert resolve_model("opus", {"opus": "my-model"}) == "my-model"


def test_an_unknown_model_has_careful_limits_and_no_price() -> None:
    facts = facts_of("llama3.3:70b")
    assert not facts.known
    assert (facts.context_tokens, facts.default_max_tokens) == (200_000, 8_000)
    assert cost_usd(Usage(input_tokens=1), facts) is None


def test_a_dated_snapshot_has_the_facts_of_its_model() -> None:
    facts = facts_of("claude-haiku-4-5-20251001")
    assert facts.known
    assert facts.model == "claude-haiku-4-5-20251001"
    assert facts.prices == facts_of("claude-haiku-4-5").prices


def test_the_suffix_asks_for_the_long_window_and_is_not_sent() -> None:
    facts = facts_of("some-model[1m]")
    assert facts.context_tokens == 1_000_000
    assert facts.model == "some-model"
    assert resolve_model("sonnet[1m]") == resolve_model("sonnet") + "[1m]"


def test_settings_win_over_the_catalog() -> None:
    told = CapabilitySection(max_output_tokens=20, images=False, efforts=["low"], thinking="none")
    price = PriceSection(input=1, output=2, cache_read=0.5)
    overrides = FactOverrides(
        context_tokens=50,
        capabilities={"claude-opus-5-5": told},
        prices={"claude-opus-5-5": price, "llama": price},
    )
    facts = facts_of("claude-opus-5-5", overrides)
    assert facts.context_tokens == 50
    assert facts.max_output_tokens == facts.default_max_tokens == 20
    assert (facts.images, facts.efforts, facts.thinking) == (False, ("low",), "none")
    used = Usage(input_tokens=1_000_000, cache_read_tokens=1_000_000, cache_write_tokens=1_000_000)
    assert cost_usd(used, facts) == 1 + 0.5 + 1
    assert cost_usd(used, facts_of("llama", overrides)) == 2.5


@pytest.mark.parametrize(
    "name",
    [
        "us.anthropic.claude-haiku-4-5-20251001-v1:0",
        "anthropic.claude-haiku-4-5-v1",
        "global.anthropic.claude-haiku-4-5",
        "claude-haiku-4-5@20251001",
    ],
)
def test_a_clouds_name_for_a_model_has_its_facts(name: str) -> None:
    facts = facts_of(name)
    assert facts.known
    assert facts.model == name
    assert facts.prices == facts_of("claude-haiku-4-5").prices


def test_the_cost_counts_each_kind_of_token_at_its_price() -> None:
    usage = Usage(
        input_tokens=1_000_000,
        output_tokens=1_000_000,
        cache_read_tokens=1_000_000,
        cache_write_tokens=1_000_000,
    )
    assert cost_usd(usage, facts_of("claude-opus-5")) == pytest.approx(5 + 25 + 0.5 + 6.25)


def test_a_price_that_depends_on_the_prompt_counts_the_cached_part() -> None:
    facts = facts_of("claude-haiku-5-5")
    small = Usage(input_tokens=50_000, cache_read_tokens=50_000)
    large = Usage(input_tokens=50_000, cache_read_tokens=50_001)
    assert cost_usd(small, facts) == pytest.approx((50_000 * 0.1 + 50_000 * 0.01) / 1e6)
    assert cost_usd(large, facts) == pytest.approx((50_000 * 0.5 + 50_001 * 0.05) / 1e6)


def test_the_demo_costs_nothing() -> None:
    assert cost_usd(Usage(input_tokens=10, output_tokens=10), facts_of(DEMO_MODEL)) == 0
