"""Which provider a configuration means."""

import pytest
from pilotfish.llm.choose import ProviderSettings, choose_provider
from pilotfish.llm.errors import ModelError
from pilotfish.llm.providers.demo import DemoModel
from pilotfish.llm.retry import RetryingModel

from tests.support.fake_clock import FakeClock
from tests.support.model_requests import collect, model_request

CLOCK = FakeClock(auto_advance=True)


@pytest.mark.parametrize(
    "settings",
    [
        ProviderSettings(),
        ProviderSettings(api_key="", auth_token=" ", base_url="\n"),
        ProviderSettings(model="opus"),
    ],
)
def test_the_demo_where_nothing_is_configured(settings: ProviderSettings) -> None:
    choice = choose_provider(settings, clock=CLOCK)
    assert choice.provider == "demo"
    assert choice.model == "demo"
    assert isinstance(choice.build(), DemoModel)


@pytest.mark.parametrize(
    "settings",
    [
        ProviderSettings(api_key="k"),
        ProviderSettings(auth_token="t"),
        ProviderSettings(base_url="http://127.0.0.1:1"),
        ProviderSettings(api_key="k", model="demo"),
        ProviderSettings(base_url="not an address"),
    ],
)
def test_never_the_demo_otherwise(settings: ProviderSettings) -> None:
    choice = choose_provider(settings, clock=CLOCK)
    assert choice.provider == "anthropic"
    assert isinstance(choice.build(), RetryingModel)


def test_short_names_are_resolved() -> None:
    choice = choose_provider(ProviderSettings(api_key="k", model="haiku"), clock=CLOCK)
    assert choice.model.startswith("claude-haiku")


def test_the_description_says_where_and_with_whose_key_but_no_secret() -> None:
    settings = ProviderSettings(
        api_key="sk-secret",
        base_url="http://me:pw@localhost:9/x",
        model="m",
        key_source="the setting pilotfish.model.key",
    )
    choice = choose_provider(settings, clock=CLOCK)
    assert (
        choice.description == "m at http://localhost:9/x (key from the setting pilotfish.model.key)"
    )
    for shown in (repr(settings), choice.description):
        assert "sk-secret" not in shown
        assert "pw" not in shown


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://x", "http://", "http://h:port"])
async def test_a_base_url_that_is_no_address_is_said_plainly(url: str) -> None:
    model = choose_provider(ProviderSettings(base_url=url), clock=CLOCK).build()
    await model.warm_up()
    with pytest.raises(ModelError, match="is not an http or https address") as caught:
        await collect(model, model_request())
    assert caught.value.kind == "not_configured"
    assert "ANTHROPIC_BASE_URL" in caught.value.hint
