"""Which provider a configuration means.

Owns: the decision, and building the model it stands for (provider and retries).
Does not own: reading environment and settings (the caller does).
See also: design 00 §9. The demo is used where nothing is configured, and never otherwise.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pilotfish.llm.catalog import DEMO_MODEL, FactOverrides, resolve_model
from pilotfish.llm.model import WarmModel
from pilotfish.llm.providers.anthropic import AnthropicModel
from pilotfish.llm.providers.anthropic_endpoint import AnthropicSettings
from pilotfish.llm.providers.demo import DemoModel
from pilotfish.llm.providers.demo.model import GAP_S
from pilotfish.llm.providers.endpoint import IDLE_TIMEOUT_S, shown_url
from pilotfish.llm.retry import RetryingModel, RetryPolicy
from pilotfish.ports.clock import ClockPort

ProviderName: TypeAlias = Literal["anthropic", "demo"]


@dataclass(frozen=True, kw_only=True)
class ProviderSettings:
    """What was configured, wherever it was. Blank texts count as not set."""

    api_key: str | None = field(default=None, repr=False)
    auth_token: str | None = field(default=None, repr=False)
    base_url: str | None = field(default=None, repr=False)
    """Not shown in logs: it may carry a password."""
    model: str = ""
    """Model id or short name; empty means the catalog's default."""
    key_source: str = ""
    """Name of the variable or setting that holds the key or token, for error texts."""
    aliases: Mapping[str, str] = field(default_factory=dict[str, str])
    """The user's own short names for models."""
    overrides: FactOverrides | None = None
    idle_timeout_s: float = IDLE_TIMEOUT_S
    """Longest silence of a model before the call is given up."""
    demo_gap_s: float = GAP_S
    """The demo's pause between two pieces of text; 0 in tests."""


@dataclass(frozen=True, kw_only=True)
class ProviderChoice:
    """The provider that a configuration means."""

    provider: ProviderName
    model: str
    """The model id for requests."""
    description: str
    """One line for people, e.g. for a status page. Holds no secret."""
    build: Callable[[], WarmModel]
    """Makes the model, retries included. Cheap: loading is left to ``warm_up`` or first use."""


def choose_provider(
    settings: ProviderSettings, *, clock: ClockPort, policy: RetryPolicy | None = None
) -> ProviderChoice:
    """Decide which provider to use.

    Without key, token and base URL it is the demo. A base URL alone is enough: local servers want
    no key. A key wins over a token.
    """
    key, token = _set(settings.api_key), _set(settings.auth_token)
    base_url = _set(settings.base_url)
    if key is None and token is None and base_url is None:
        return ProviderChoice(
            provider="demo",
            model=DEMO_MODEL,
            description="built-in demo (no model is configured)",
            build=lambda: DemoModel(gap_s=settings.demo_gap_s),
        )
    anthropic = AnthropicSettings(
        api_key=key,
        auth_token=None if key else token,
        base_url=base_url,
        key_source=_key_source(settings, key, token),
        overrides=settings.overrides,
        idle_timeout_s=settings.idle_timeout_s,
    )
    model = resolve_model(settings.model, settings.aliases)
    return ProviderChoice(
        provider="anthropic",
        model=model,
        description=_describe(model, anthropic, base_url),
        build=lambda: RetryingModel(AnthropicModel(anthropic), clock=clock, policy=policy),
    )


def _set(value: str | None) -> str | None:
    return (value or "").strip() or None


def _key_source(settings: ProviderSettings, key: str | None, token: str | None) -> str:
    if settings.key_source:
        return settings.key_source
    if key:
        return "ANTHROPIC_API_KEY"
    return "ANTHROPIC_AUTH_TOKEN" if token else ""


def _describe(model: str, anthropic: AnthropicSettings, base_url: str | None) -> str:
    where = shown_url(base_url) if base_url else "Anthropic"
    signed = f"key from {anthropic.key_source}" if anthropic.key_source else "no key"
    return f"{model} at {where} ({signed})"
