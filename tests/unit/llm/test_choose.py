"""Which provider a configuration means, and what is told to be wrong with it."""

import pytest
from pilotfish.config.model_section import CapabilitySection, ModelSettings
from pilotfish.llm.access import access_from
from pilotfish.llm.choose import ProviderChoice, Wanted, choose_provider
from pilotfish.llm.errors import ModelError
from pilotfish.llm.providers.demo.model import DemoModel
from pilotfish.llm.retry import RetryingModel

from tests.support.fake_clock import FakeClock
from tests.support.model_requests import collect, model_request

CLOCK = FakeClock(auto_advance=True)
LOCAL = "http://127.0.0.1:1"


def choose(
    environment: dict[str, str] | None = None,
    model: str = "",
    settings: ModelSettings | None = None,
) -> ProviderChoice:
    wanted = Wanted(
        access=access_from(environment or {}),
        settings=settings or ModelSettings(),
        model=model,
    )
    return choose_provider(wanted, clock=CLOCK)


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"ANTHROPIC_API_KEY": "", "ANTHROPIC_AUTH_TOKEN": " ", "ANTHROPIC_BASE_URL": "\n"},
        {"ANTHROPIC_MODEL": "opus", "OPENAI_MODEL": "m"},
    ],
)
def test_the_demo_where_nothing_is_configured(environment: dict[str, str]) -> None:
    choice = choose(environment)
    assert choice.provider == "demo"
    assert choice.model == "demo"
    assert choice.problem is None
    assert isinstance(choice.build(), DemoModel)


@pytest.mark.parametrize(
    ("environment", "provider"),
    [
        ({"ANTHROPIC_API_KEY": "k"}, "anthropic"),
        ({"ANTHROPIC_AUTH_TOKEN": "t"}, "anthropic"),
        ({"ANTHROPIC_BASE_URL": LOCAL}, "anthropic"),
        ({"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"}, "anthropic"),
        ({"OPENAI_API_KEY": "k"}, "openai"),
        ({"OPENAI_BASE_URL": LOCAL}, "openai"),
        ({"PILOTFISH_PROVIDER": "OpenAI", "ANTHROPIC_API_KEY": "k"}, "openai"),
        ({"PILOTFISH_PROVIDER": "demo", "ANTHROPIC_API_KEY": "k"}, "demo"),
    ],
)
def test_keys_and_addresses_decide_unless_a_provider_is_named(
    environment: dict[str, str], provider: str
) -> None:
    assert choose(environment).provider == provider


def test_never_the_demo_where_a_key_or_an_address_is_set() -> None:
    assert choose({"ANTHROPIC_API_KEY": "k"}, model="demo").provider == "anthropic"
    choice = choose(settings=ModelSettings(base_url="not an address"))
    assert choice.provider == "anthropic"
    assert isinstance(choice.build(), RetryingModel)


def test_a_setting_wins_over_the_environment() -> None:
    settings = ModelSettings(provider="openai", base_url=LOCAL, name="llama")
    choice = choose({"ANTHROPIC_API_KEY": "k"}, settings=settings)
    assert (choice.provider, choice.model, choice.problem) == ("openai", "llama", None)


def test_short_names_are_resolved() -> None:
    assert choose({"ANTHROPIC_API_KEY": "k"}, model="haiku").model.startswith("claude-haiku")
    settings = ModelSettings(aliases={"fast": "llama3.3"})
    own = choose({"OPENAI_BASE_URL": LOCAL}, "Fast", settings)
    assert own.model == "llama3.3"
    # Another vendor's server does not know ours.
    assert choose({"OPENAI_BASE_URL": LOCAL}, model="haiku").model == "haiku"


@pytest.mark.parametrize(
    ("environment", "description"),
    [
        (
            {"ANTHROPIC_API_KEY": "sk-secret", "ANTHROPIC_BASE_URL": "http://me:pw@localhost:9/x"},
            "m at http://localhost:9/x (key from ANTHROPIC_API_KEY)",
        ),
        ({"OPENAI_API_KEY": "sk-secret"}, "m at OpenAI (key from OPENAI_API_KEY)"),
        ({"OPENAI_BASE_URL": "http://:pw@h/v1"}, "m at http://h/v1 (no key)"),
    ],
)
def test_the_description_says_where_and_with_whose_key_but_no_secret(
    environment: dict[str, str], description: str
) -> None:
    choice = choose(environment, model="m")
    assert choice.description == description
    for shown in (repr(access_from(environment)), repr(choice), str(choice.for_people())):
        assert "sk-secret" not in shown
        assert "pw" not in shown


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://x", "http://", "http://h:port"])
@pytest.mark.parametrize("variable", ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"])
async def test_a_base_url_that_is_no_address_is_said_plainly(url: str, variable: str) -> None:
    choice = choose({variable: url}, model="m")
    assert choice.problem is not None
    assert "is not an http or https address" in choice.problem.text
    assert variable in choice.problem.hint
    model = choice.build()
    await model.warm_up()
    with pytest.raises(ModelError, match="is not an http or https address") as caught:
        await collect(model, model_request())
    assert caught.value.kind == "not_configured"
    assert variable in caught.value.hint


@pytest.mark.parametrize(
    ("model", "proposed"),
    [
        ("opuss", "opus"),
        ("opus-4-8", "claude-opus-4-8"),
        ("Anthropic/Claude-Opus-4-8", "claude-opus-4-8"),
        ("cluade-opus-4-8", "claude-opus-4-8"),
        ("claude", ""),
        ("gpt-opus", ""),
        ("octopus", ""),
        ("claude3", ""),
    ],
)
def test_only_a_slip_is_taken_for_another_models_name(model: str, proposed: str) -> None:
    problem = choose({"ANTHROPIC_API_KEY": "k"}, model=model).for_people()["problem"]
    assert f"no model “{model}”" in problem
    if proposed:
        assert f"Did you mean {proposed}?" in problem
    else:
        assert "Did you mean" not in problem


@pytest.mark.parametrize(
    ("environment", "model", "said"),
    [
        (
            {"PILOTFISH_PROVIDER": "antropic", "ANTHROPIC_API_KEY": "k"},
            "",
            ("“antropic”", "Did you mean anthropic?", "openai"),
        ),
        ({"PILOTFISH_PROVIDER": "anthropic"}, "", ("wants a key", "ANTHROPIC_API_KEY")),
        ({"PILOTFISH_PROVIDER": "openai"}, "m", ("OpenAI wants a key", "OPENAI_API_KEY")),
        ({"ANTHROPIC_API_KEY": "sk-a\nb"}, "", ("from ANTHROPIC_API_KEY", "line break", "anew")),
        ({"OPENAI_API_KEY": "sk-\u2026"}, "m", ("from OPENAI_API_KEY", "no request can carry")),
        ({"OPENAI_API_KEY": "k"}, "", ("No model is named", "Set OPENAI_MODEL")),
        (
            {"ANTHROPIC_API_KEY": "k", "PILOTFISH_MAX_CONTEXT_TOKENS": "32k"},
            "",
            ("PILOTFISH_MAX_CONTEXT_TOKENS is “32k”", "32768"),
        ),
        (
            {"ANTHROPIC_API_KEY": "k", "PILOTFISH_MAX_CONTEXT_TOKENS": "0"},
            "",
            ("PILOTFISH_MAX_CONTEXT_TOKENS is “0”", "take it away"),
        ),
        (
            {"ANTHROPIC_API_KEY": "k"},
            "sonet",
            ("no model “sonet”", "Did you mean sonnet?", "model picker"),
        ),
    ],
)
def test_what_cannot_work_is_said_with_the_way_out(
    environment: dict[str, str], model: str, said: tuple[str, ...]
) -> None:
    choice = choose(environment, model=model)
    for text in said:
        assert text in choice.for_people()["problem"]
    with pytest.raises(ModelError) as raised:
        choice.require_usable()
    assert raised.value.kind == "not_configured"


@pytest.mark.parametrize(
    ("environment", "model"),
    [
        ({"ANTHROPIC_API_KEY": "k"}, "claude-from-next-year"),
        ({"ANTHROPIC_API_KEY": "k"}, "sonnet[1m]"),
        ({"ANTHROPIC_BASE_URL": LOCAL}, "qwen3"),
        ({"OPENAI_API_KEY": "k"}, "whatever-they-call-it"),
    ],
)
def test_what_may_work_is_not_refused(environment: dict[str, str], model: str) -> None:
    choice = choose(environment, model=model)
    assert choice.problem is None
    choice.require_usable()


def test_a_model_that_the_user_describes_exists() -> None:
    told = ModelSettings(capabilities={"internal": CapabilitySection(context_tokens=5_000)})
    choice = choose({"ANTHROPIC_API_KEY": "k"}, "internal", told)
    assert choice.problem is None


def test_the_environments_window_is_for_every_model() -> None:
    choice = choose({"PILOTFISH_MAX_CONTEXT_TOKENS": "32000"})
    assert choice.facts.context_tokens == 32_000
    assert access_from({"PILOTFISH_MAX_CONTEXT_TOKENS": "much"}).max_context_tokens is None
