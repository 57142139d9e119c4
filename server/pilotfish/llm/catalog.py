"""Facts about models: limits, thinking, prices, short names.

Owns: reading ``catalog.json``, resolving short names, careful defaults for models it does not
know. Does not own: which model is used (``config``, ``llm.choose``), adding up costs (``llm.usage``).
"""

import re
from collections.abc import Mapping
from dataclasses import field, replace
from functools import cache
from importlib import resources
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from pilotfish.config.model_section import CapabilitySection, PriceSection
from pilotfish.util.records import dataclass

DEMO_MODEL = "demo"
"""Model id of the embedded demo."""

UNKNOWN_CONTEXT_TOKENS = 200_000
"""Window assumed for a model that the catalog does not know (design 02 §5.1)."""

UNKNOWN_MAX_OUTPUT_TOKENS = 32_000
"""Output limit assumed for a model that the catalog does not know."""

UNKNOWN_DEFAULT_MAX_TOKENS = 8_000
"""What a request asks for when the model is not known: every server accepts it."""

LONG_CONTEXT_TOKENS = 1_000_000
"""Window of a model whose name carries the suffix ``[1m]``."""

_LONG_CONTEXT_SUFFIX = "[1m]"

_SNAPSHOT = re.compile(r"^(?P<model>.+?)(?:[-@]20\d{6})$")
"""A dated snapshot, e.g. ``claude-haiku-4-5-20251001``."""

_CLOUD_NAME = re.compile(r"^(?:[a-z-]+\.)?anthropic\.|-v\d+(?::\d+)?$")
"""What a cloud puts around a model's name, e.g. ``us.anthropic.claude-haiku-4-5-20251001-v1:0``."""

_CLAUDE = re.compile(r"^claude-")
"""Models of a family that has read documents for long."""

Thinking = Literal["none", "budget", "adaptive"]
"""How a model is asked to think: not at all, by a token budget, or as it sees fit."""

ThinkingOff = Literal["omit", "disabled", "between_tools", "impossible"]
"""What to send so that a model does not think before it answers."""


class Price(BaseModel):
    """US dollars per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    input: float
    output: float
    cache_read: float
    cache_write: float
    up_to_prompt_tokens: int | None = None
    """This price holds for prompts up to that size; None means any size."""


class _ModelEntry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    context_tokens: int
    max_output_tokens: int
    default_max_tokens: int
    thinking: Thinking
    thinking_off: ThinkingOff
    efforts: tuple[str, ...] = ()
    images: bool = True
    documents: bool = True
    cache: bool = True
    prices: tuple[Price, ...]


class _Catalog(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    comment: str = Field(alias="_comment")
    date: str
    aliases: dict[str, str]
    default_model: str
    models: dict[str, _ModelEntry]


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelFacts:
    """What is known about a model."""

    model: str
    """The id that requests carry."""
    known: bool
    """False when the limits are assumptions."""
    context_tokens: int
    """Size of the window: prompt and reply together."""
    max_output_tokens: int
    """The most a request may ask for."""
    default_max_tokens: int
    """What a request asks for when nobody said otherwise; thinking counts towards it."""
    thinking: Thinking
    thinking_off: ThinkingOff
    efforts: tuple[str, ...] = ()
    """How hard it can be asked to try, least first; empty when it cannot be asked."""
    images: bool = True
    """Whether it sees images; assumed where nobody knows, since servers say when they cannot."""
    documents: bool = True
    """Whether it reads PDF documents as such; where nobody knows, Claude models alone are taken to."""
    cache: bool = True
    """Whether requests may say what of the prompt is to be cached."""
    prices: tuple[Price, ...] = ()
    """Smallest prompts first; empty when the price is not known."""


@dataclass(frozen=True, kw_only=True)
class FactOverrides:
    """What settings and the environment put above the catalog."""

    context_tokens: int | None = None
    """Window of every model; None keeps the catalog's."""
    prices: Mapping[str, PriceSection] = field(default_factory=dict[str, PriceSection])
    """By model id."""
    capabilities: Mapping[str, CapabilitySection] = field(
        default_factory=dict[str, CapabilitySection]
    )
    """By model id."""


def resolve_model(name: str, aliases: Mapping[str, str] | None = None) -> str:
    """Turn a short name into a model id; anything else is returned as it is, trimmed.

    Args:
        name: What the user wrote, e.g. ``opus``. Empty means the default model.
        aliases: The user's own short names; they win over the catalog's.
    """
    trimmed = name.strip()
    if not trimmed:
        return default_model()
    base, long_context = _split_suffix(trimmed)
    own = (aliases or {}).get(base.lower())
    resolved = own or _catalog().aliases.get(base.lower(), base)
    return resolved + (_LONG_CONTEXT_SUFFIX if long_context else "")


def default_model() -> str:
    """Return the model that is used when nobody named one."""
    return _catalog().default_model


def known_models() -> tuple[str, ...]:
    """Return the ids of the real models that the catalog knows, best known first."""
    return tuple(model for model in _catalog().models if model != DEMO_MODEL)


def short_names() -> Mapping[str, str]:
    """Return the catalog's short names and what they stand for."""
    return _catalog().aliases


def catalog_date() -> str:
    """Return the day the figures were looked up, ISO format."""
    return _catalog().date


def facts_of(model: str, overrides: FactOverrides | None = None) -> ModelFacts:
    """Return what is known about a model id; careful assumptions when nothing is.

    A dated snapshot has the facts of its model. The suffix ``[1m]`` asks for the long window.
    """
    base, long_context = _split_suffix(model)
    entry = _entry(base)
    facts = _from_entry(base, entry) if entry else _unknown(base)
    if long_context:
        facts = replace(facts, context_tokens=LONG_CONTEXT_TOKENS)
    return _override(facts, base, overrides) if overrides else facts


def _split_suffix(model: str) -> tuple[str, bool]:
    if model.lower().endswith(_LONG_CONTEXT_SUFFIX):
        return model[: -len(_LONG_CONTEXT_SUFFIX)], True
    return model, False


def _entry(model: str) -> _ModelEntry | None:
    models = _catalog().models
    if model in models:
        return models[model]
    plain = _CLOUD_NAME.sub("", model)
    snapshot = _SNAPSHOT.match(plain)
    return models.get(snapshot["model"] if snapshot else plain)


def _from_entry(model: str, entry: _ModelEntry) -> ModelFacts:
    return ModelFacts(
        model=model,
        known=True,
        context_tokens=entry.context_tokens,
        max_output_tokens=entry.max_output_tokens,
        default_max_tokens=entry.default_max_tokens,
        thinking=entry.thinking,
        thinking_off=entry.thinking_off,
        efforts=entry.efforts,
        images=entry.images,
        documents=entry.documents,
        cache=entry.cache,
        prices=entry.prices,
    )


def _unknown(model: str) -> ModelFacts:
    return ModelFacts(
        model=model,
        known=False,
        context_tokens=UNKNOWN_CONTEXT_TOKENS,
        max_output_tokens=UNKNOWN_MAX_OUTPUT_TOKENS,
        default_max_tokens=UNKNOWN_DEFAULT_MAX_TOKENS,
        thinking="budget",
        thinking_off="omit",
        documents=bool(_CLAUDE.match(_CLOUD_NAME.sub("", model))),
    )


def _override(facts: ModelFacts, model: str, overrides: FactOverrides) -> ModelFacts:
    facts = _with_capabilities(facts, overrides.capabilities.get(model))
    price = overrides.prices.get(model)
    if price is not None:
        facts = replace(facts, prices=(_price(price),))
    return replace(facts, context_tokens=overrides.context_tokens or facts.context_tokens)


def _with_capabilities(facts: ModelFacts, told: CapabilitySection | None) -> ModelFacts:
    if told is None:
        return facts
    max_output = told.max_output_tokens or facts.max_output_tokens
    efforts = facts.efforts if told.efforts is None else tuple(told.efforts)
    return replace(
        facts,
        known=True,
        context_tokens=told.context_tokens or facts.context_tokens,
        max_output_tokens=max_output,
        default_max_tokens=min(facts.default_max_tokens, max_output),
        thinking=told.thinking or facts.thinking,
        efforts=efforts,
        images=facts.images if told.images is None else told.images,
        documents=facts.documents if told.documents is None else told.documents,
        cache=facts.cache if told.cache is None else told.cache,
    )


def _price(told: PriceSection) -> Price:
    read, written = told.cache_read, told.cache_write
    return Price(
        input=told.input,
        output=told.output,
        cache_read=told.input if read is None else read,
        cache_write=told.input if written is None else written,
    )


@cache
def _catalog() -> _Catalog:
    text = resources.files("pilotfish.llm").joinpath("catalog.json").read_text(encoding="utf-8")
    return _Catalog.model_validate_json(text)
