"""Which provider a configuration means.

Owns: the decision, and building the model it stands for (provider and retries).
Does not own: reading environment and settings (the caller does), what is wrong with a choice
(``llm.check_choice``).
See also: design 00 §9. The demo is used where nothing is configured, and never otherwise.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from pilotfish.config.model_section import ModelSettings, ProviderName
from pilotfish.llm.access import ModelAccess
from pilotfish.llm.catalog import DEMO_MODEL, FactOverrides, default_model, resolve_model
from pilotfish.llm.check_choice import (
    Problem,
    check_cloud,
    check_endpoint,
    check_model,
    unknown_provider,
    unreadable_window,
)
from pilotfish.llm.demo_voice import Voice, always_english
from pilotfish.llm.errors import ModelError
from pilotfish.llm.listed import ModelLister
from pilotfish.llm.model import WarmModel
from pilotfish.llm.providers.anthropic import AnthropicModel
from pilotfish.llm.providers.anthropic_endpoint import AnthropicSettings
from pilotfish.llm.providers.cloud_endpoint import CloudName, CloudSettings
from pilotfish.llm.providers.endpoint import Endpoint
from pilotfish.llm.providers.openai_endpoint import OpenAISettings
from pilotfish.llm.retry import RetryingModel, RetryPolicy
from pilotfish.ports.clock import ClockPort
from pilotfish.util.records import dataclass

if TYPE_CHECKING:
    from pilotfish.llm.providers.openai import OpenAIModel


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What was configured."""

    access: ModelAccess = field(default_factory=ModelAccess)
    settings: ModelSettings = field(default_factory=ModelSettings)
    model: str = ""
    """What the session asks for: a model id or short name; empty for the settings' or the default."""
    demo_gap_s: float | None = None
    """The demo's pause between two pieces of text; None for its own, 0 in tests."""
    demo_voice: Voice = always_english
    """The language that the demo speaks."""


@dataclass(frozen=True, kw_only=True)
class ProviderChoice:
    """The provider that a configuration means."""

    provider: ProviderName
    model: str
    """The model id for requests; empty when nobody named one and there is no default."""
    description: str
    """One line for people, e.g. for a status page. Holds no secret."""
    facts: FactOverrides
    """What the configuration says about models."""
    build: Callable[[], WarmModel]
    """Makes the model, retries included. Cheap: loading is left to ``warm_up`` or first use."""
    problem: Problem | None = None
    """Why it cannot work; None when nothing speaks against it."""
    lister: Callable[[], ModelLister] | None = None
    """Makes what can say which models the server has; None where nobody is asked."""

    def for_people(self) -> dict[str, str]:
        """Return kind, model, description and problem; no secret."""
        return {
            "kind": self.provider,
            "model": self.model,
            "description": self.description,
            "problem": "" if self.problem is None else str(self.problem),
        }

    def require_usable(self) -> None:
        """Make sure that a turn may begin.

        Raises:
            ModelError: It cannot work; says why and what to do.
        """
        if self.problem is not None:
            raise ModelError("not_configured", self.problem.text, hint=self.problem.hint)


@dataclass(frozen=True, kw_only=True)
class _Reached:
    """A provider that was chosen, with what is known before the model is."""

    endpoint: Endpoint
    model: str
    build: Callable[[], WarmModel]
    cloud: CloudSettings | None = None
    lister: Callable[[], ModelLister] | None = None


def choose_provider(
    wanted: Wanted, *, clock: ClockPort, policy: RetryPolicy | None = None
) -> ProviderChoice:
    """Decide which provider to use.

    The setting or variable that names one decides; else the environment's keys and addresses do, the
    Messages API first. Without any of them it is the demo. An address alone is enough: local servers
    want no key.
    """
    name = _provider_name(wanted)
    facts = fact_overrides(wanted)
    if name == "demo":
        return _demo(wanted, facts)
    reached = _reach(name, wanted, facts)
    problem = (
        unknown_provider(wanted.access.provider)
        or unreadable_window(wanted.access.unreadable_window)
        or (None if reached.cloud is None else check_cloud(reached.cloud))
        or check_endpoint(reached.endpoint)
        or check_model(reached.model, reached.endpoint, wanted.settings)
    )
    return ProviderChoice(
        provider=name,
        model=reached.model,
        description=_describe(reached),
        facts=facts,
        build=lambda: RetryingModel(reached.build(), clock=clock, policy=policy),
        problem=problem,
        lister=reached.lister,
    )


def resolved(name: str, provider: ProviderName, aliases: Mapping[str, str]) -> str:
    """Return the id that a name stands for at a provider."""
    if provider in {"anthropic", "vertex", "foundry"}:
        return resolve_model(name, aliases)
    # The catalog's short names stand for models of another vendor, or that Bedrock names otherwise.
    return aliases.get(name.lower(), name)


def fact_overrides(wanted: Wanted) -> FactOverrides:
    """Return what a configuration puts above the catalog."""
    return FactOverrides(
        context_tokens=wanted.access.max_context_tokens,
        prices=wanted.settings.prices,
        capabilities=wanted.settings.capabilities,
    )


def _provider_name(wanted: Wanted) -> ProviderName:
    named = wanted.settings.provider or _known(wanted.access.provider)
    if named is not None:
        return named
    access = wanted.access
    if access.anthropic_key or access.anthropic_token or access.anthropic_url:
        return "anthropic"
    if access.openai_key or access.openai_url:
        return "openai"
    return "anthropic" if wanted.settings.base_url or access.provider else "demo"


def _known(name: str) -> ProviderName | None:
    return next((one for one in get_args(ProviderName) if one == name.lower()), None)


def _demo(wanted: Wanted, facts: FactOverrides) -> ProviderChoice:
    return ProviderChoice(
        provider="demo",
        model=DEMO_MODEL,
        description="built-in demo (no model is configured)",
        facts=facts,
        build=lambda: _demo_model(wanted),
    )


def demo_tasks(choice: ProviderChoice, folder: Path | None) -> tuple[str, ...]:
    """Return what the demo plays in a folder, in the words that it knows; nothing for a model."""
    if choice.provider != "demo":
        return ()
    from pilotfish.llm.providers.demo.example import playable  # noqa: PLC0415 - few starts need it

    return playable(folder)


def _demo_model(wanted: Wanted) -> WarmModel:
    from pilotfish.llm.providers.demo.model import DemoModel  # noqa: PLC0415 - few starts need it

    gap_s, voice = wanted.demo_gap_s, wanted.demo_voice
    return DemoModel(voice=voice) if gap_s is None else DemoModel(gap_s=gap_s, voice=voice)


def _openai_model(settings: OpenAISettings) -> "OpenAIModel":
    from pilotfish.llm.providers.openai import OpenAIModel  # noqa: PLC0415 - few starts need it

    return OpenAIModel(settings)


def _reach(
    name: Literal["anthropic", "openai", "bedrock", "vertex", "foundry"],
    wanted: Wanted,
    facts: FactOverrides,
) -> _Reached:
    if name == "openai":
        return _openai(wanted, facts)
    return _anthropic(wanted, facts) if name == "anthropic" else _cloud(name, wanted, facts)


def _cloud(name: CloudName, wanted: Wanted, facts: FactOverrides) -> _Reached:
    cloud = _cloud_settings(name, wanted)
    settings = AnthropicSettings(
        cloud=cloud, overrides=facts, idle_timeout_s=wanted.settings.idle_timeout_ms / 1000
    )
    asked = wanted.model or wanted.settings.name or wanted.access.anthropic_model
    return _Reached(
        endpoint=settings.endpoint(),
        # Foundry names deployments, Bedrock regions too: no default would hold there.
        model=default_model()
        if name == "vertex" and not asked
        else asked and resolved(asked, name, wanted.settings.aliases),
        build=lambda: AnthropicModel(settings),
        cloud=cloud,
    )


def _cloud_settings(name: CloudName, wanted: Wanted) -> CloudSettings:
    access, base_url = wanted.access.clouds, wanted.settings.base_url or ""
    match name:
        case "bedrock":
            return CloudSettings(
                name=name,
                base_url=access.bedrock_url or base_url,
                region=access.aws_region,
                profile=access.aws_profile,
                key=access.bedrock_token,
            )
        case "vertex":
            return CloudSettings(
                name=name,
                base_url=access.vertex_url or base_url,
                region=access.vertex_region,
                project=access.vertex_project,
            )
        case "foundry":
            return CloudSettings(
                name=name,
                base_url=access.foundry_url or base_url,
                resource=access.foundry_resource,
                key=access.foundry_key,
            )


def _anthropic(wanted: Wanted, facts: FactOverrides) -> _Reached:
    access = wanted.access
    key = access.anthropic_key or None
    token = None if key else access.anthropic_token or None
    source = "ANTHROPIC_API_KEY" if key else "ANTHROPIC_AUTH_TOKEN" if token else ""
    settings = AnthropicSettings(
        api_key=key,
        auth_token=token,
        base_url=access.anthropic_url or wanted.settings.base_url,
        key_source=source,
        overrides=facts,
        idle_timeout_s=wanted.settings.idle_timeout_ms / 1000,
    )
    asked = wanted.model or wanted.settings.name or access.anthropic_model
    return _Reached(
        endpoint=settings.endpoint(),
        model=resolved(asked, "anthropic", wanted.settings.aliases) if asked else default_model(),
        build=lambda: AnthropicModel(settings),
    )


def _openai(wanted: Wanted, facts: FactOverrides) -> _Reached:
    access = wanted.access
    settings = OpenAISettings(
        api_key=access.openai_key or None,
        base_url=access.openai_url or wanted.settings.base_url,
        key_source="OPENAI_API_KEY" if access.openai_key else "",
        overrides=facts,
        idle_timeout_s=wanted.settings.idle_timeout_ms / 1000,
    )
    asked = wanted.model or wanted.settings.name or access.openai_model
    return _Reached(
        endpoint=settings.endpoint(),
        model=resolved(asked, "openai", wanted.settings.aliases),
        build=lambda: _openai_model(settings),
        lister=lambda: _openai_model(settings),
    )


def _describe(reached: _Reached) -> str:
    endpoint = reached.endpoint
    where = endpoint.vendor if endpoint.is_default else endpoint.name
    signed = f"key from {endpoint.key_source}" if endpoint.key_source else "no key"
    return f"{reached.model or 'no model'} at {where} ({signed})"
