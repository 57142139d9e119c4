"""Settings about models.

Owns: the ``model`` section of a settings file, its merged record, and the merge of the two.
Does not own: what a model can do when no setting says so (``llm.catalog``).
"""

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Literal, TypeVar

from pydantic import Field, NonNegativeFloat, PositiveInt

from pilotfish.config.layers_order import strongest
from pilotfish.config.section import Section
from pilotfish.util.records import dataclass

T = TypeVar("T")

DEFAULT_MAX_TOKENS = 32_000
"""Longest reply of the model in tokens when no setting says otherwise."""

DEFAULT_IDLE_TIMEOUT_MS = 90_000
"""Longest silence of a model (design 02 §7.4)."""

ProviderName = Literal["anthropic", "openai", "bedrock", "vertex", "foundry", "demo"]
"""Where a model runs."""


class PriceSection(Section):
    """``model.prices.<name>``: US dollars per million tokens."""

    input: NonNegativeFloat
    output: NonNegativeFloat
    cache_read: NonNegativeFloat | None = None
    """None: as ``input``."""
    cache_write: NonNegativeFloat | None = None
    """None: as ``input``."""


class CapabilitySection(Section):
    """``model.capabilities.<name>``: what the catalog does not know or has wrong."""

    context_tokens: PositiveInt | None = None
    max_output_tokens: PositiveInt | None = None
    thinking: Literal["none", "budget", "adaptive"] | None = None
    efforts: list[str] | None = None
    images: bool | None = None
    documents: bool | None = None
    cache: bool | None = None


class ModelSection(Section):
    """``model`` of a settings file."""

    provider: ProviderName | None = None
    name: str | None = Field(default=None, min_length=1)
    small: str | None = Field(default=None, min_length=1)
    base_url: str | None = Field(default=None, min_length=1)
    fallback: str | None = Field(default=None, min_length=1)
    idle_timeout_ms: int | None = Field(default=None, ge=1_000, le=3_600_000)
    max_tokens: int | None = Field(default=None, ge=1)
    thinking_budget_tokens: int | None = Field(default=None, ge=0)
    effort: str | None = Field(default=None, min_length=1)
    aliases: dict[str, str] = Field(default_factory=dict)
    prices: dict[str, PriceSection] = Field(default_factory=dict)
    capabilities: dict[str, CapabilitySection] = Field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelSettings:
    """Which model answers, and how much it may say."""

    provider: ProviderName | None = None
    """None leaves it to what the environment holds keys for."""
    name: str | None = None
    """None leaves the choice to the provider."""
    small: str | None = None
    """The model for small side questions; None leaves the choice to the provider."""
    base_url: str | None = None
    fallback: str | None = None
    """The model that takes over while the first one is overloaded; None for none."""
    idle_timeout_ms: int = DEFAULT_IDLE_TIMEOUT_MS
    """How long the model may be silent before it is asked again."""
    max_tokens: int = DEFAULT_MAX_TOKENS
    thinking_budget_tokens: int = 0
    """0 means: no thinking is asked for."""
    effort: str | None = None
    """How hard the model should try; None leaves it to the model."""
    aliases: Mapping[str, str] = field(default_factory=dict[str, str])
    """The user's own short names, in lower case."""
    prices: Mapping[str, PriceSection] = field(default_factory=dict[str, PriceSection])
    capabilities: Mapping[str, CapabilitySection] = field(
        default_factory=dict[str, CapabilitySection]
    )


def merge_model(everywhere: list[ModelSection], own: list[ModelSection]) -> ModelSettings:
    """Merge sections, weakest first.

    Where requests go decides who gets the source code and the key, what a short name stands for
    decides it, too, and prices hold the budget: never a project, trusted or not.

    Args:
        everywhere: The sections of all layers.
        own: Those of layers that are no project's.
    """
    defaults = ModelSettings()
    providers: list[ProviderName | None] = [model.provider for model in own]
    return ModelSettings(
        provider=strongest(providers, None),
        name=strongest((model.name for model in everywhere), None),
        small=strongest((model.small for model in everywhere), None),
        base_url=strongest((model.base_url for model in own), None),
        fallback=strongest((model.fallback for model in everywhere), None),
        idle_timeout_ms=strongest(
            (model.idle_timeout_ms for model in everywhere), defaults.idle_timeout_ms
        ),
        max_tokens=strongest((model.max_tokens for model in everywhere), defaults.max_tokens),
        thinking_budget_tokens=strongest(
            (model.thinking_budget_tokens for model in everywhere), defaults.thinking_budget_tokens
        ),
        effort=strongest((model.effort for model in everywhere), None),
        aliases={
            name.lower(): target for name, target in _joined(model.aliases for model in own).items()
        },
        prices=_joined(model.prices for model in own),
        capabilities=_joined(model.capabilities for model in own),
    )


def personal_keys(section: ModelSection) -> dict[str, str]:
    """Return the keys of a section that no project may set and that are set, with the reason."""
    reasons = {
        "provider": "it would get your key and code",
        "baseUrl": "it would get your key and code",
        "aliases": "it decides which model you pay for",
        "prices": "it decides what your budget allows",
        "capabilities": "it decides what is sent to your model",
    }
    held = {
        "provider": section.provider,
        "baseUrl": section.base_url,
        "aliases": section.aliases,
        "prices": section.prices,
        "capabilities": section.capabilities,
    }
    return {key: reasons[key] for key, value in held.items() if value}


def _joined(tables: Iterable[Mapping[str, T]]) -> dict[str, T]:
    found: dict[str, T] = {}
    for table in tables:
        found |= table
    return found
