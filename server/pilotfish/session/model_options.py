"""What people can choose about the model.

Owns: the list of models and of efforts for a configuration, with a line about each.
Does not own: the choice itself (``session.session``), what models can do (``llm.catalog``).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pilotfish.config.model_section import ModelSettings
from pilotfish.core.permission import PermissionMode
from pilotfish.llm.catalog import ModelFacts, facts_of, known_models, short_names
from pilotfish.llm.choose import ProviderChoice, demo_tasks, resolved
from pilotfish.util.records import dataclass

OWN_EFFORT = "default"
"""Stands for leaving the effort to the model."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """One thing that can be chosen."""

    value: str
    name: str
    description: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextWindow:
    """How much a model takes, prompt and reply together."""

    tokens: int
    known: bool
    """False when the size is an assumption."""

    @classmethod
    def of(cls, facts: ModelFacts) -> "ContextWindow":
        """Return a model's window."""
        return cls(tokens=facts.context_tokens, known=facts.known)


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelOptions:
    """Models and efforts, with what is chosen now."""

    model: str
    models: tuple[Choice, ...]
    effort: str
    efforts: tuple[Choice, ...]
    """Empty when the model cannot be asked."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProviderFacts:
    """Where the model of new sessions runs, and what can be chosen for them."""

    described: Mapping[str, str]
    """Kind, model, description and problem; no secret."""
    options: ModelOptions
    mode: PermissionMode
    """The permission mode that they begin in."""
    demo_tasks: tuple[str, ...] = ()
    """What the demo plays in the folder, in the words that it knows; empty for a model."""


def provider_facts(
    choice: ProviderChoice, settings: ModelSettings, mode: PermissionMode, folder: Path | None
) -> ProviderFacts:
    """Return what is known before there is a session in a folder."""
    options = model_options(choice, settings, settings.effort or OWN_EFFORT)
    return ProviderFacts(
        described=choice.for_people(),
        options=options,
        mode=mode,
        demo_tasks=demo_tasks(choice, folder),
    )


def model_options(
    choice: ProviderChoice, settings: ModelSettings, effort: str, listed: Sequence[str] = ()
) -> ModelOptions:
    """Return what can be chosen.

    Args:
        choice: The provider with the present model.
        settings: Merged settings; models that they name can be chosen.
        effort: The present effort, ``OWN_EFFORT`` for none.
        listed: What the server says that it has.
    """
    facts = facts_of(choice.model, choice.facts)
    levels = (OWN_EFFORT, *facts.efforts) if facts.efforts else ()
    return ModelOptions(
        model=choice.model,
        models=tuple(_model(name, choice) for name in _names(choice, settings, listed)),
        effort=effort if effort in levels else OWN_EFFORT,
        efforts=tuple(Choice(value=level, name=_effort_name(level)) for level in levels),
    )


def _names(choice: ProviderChoice, settings: ModelSettings, listed: Sequence[str]) -> list[str]:
    """Return the models, the present one first."""
    if choice.provider == "demo":
        return [choice.model]
    told = [*settings.aliases.values(), *settings.capabilities, *settings.prices]
    named = [name for name in (settings.name, settings.small, settings.fallback) if name]
    own = [resolved(name, choice.provider, settings.aliases) for name in named]
    catalog = known_models() if choice.provider == "anthropic" else ()
    return list(
        dict.fromkeys([name for name in (choice.model, *own, *told, *catalog, *listed) if name])
    )


def _model(name: str, choice: ProviderChoice) -> Choice:
    facts = facts_of(name, choice.facts)
    shorts = short_names() if choice.provider == "anthropic" else dict[str, str]()
    short = next((one for one, full in shorts.items() if full == name), "")
    return Choice(
        value=name,
        name=f"{name} ({short})" if short else name,
        description=_describe(facts),
    )


def _describe(facts: ModelFacts) -> str:
    window = f"{facts.context_tokens // 1000:,}k tokens" if facts.known else "window not known"
    if not facts.prices:
        return f"{window}, price not known"
    price = facts.prices[0]
    return f"{window}, ${price.input:g} in and ${price.output:g} out per million"


_EFFORTS = {
    OWN_EFFORT: "Usual effort",
    "low": "Low effort",
    "medium": "Medium effort",
    "high": "High effort",
    "xhigh": "Extra high effort",
    "max": "Maximum effort",
}


def _effort_name(level: str) -> str:
    return _EFFORTS.get(level, level)
