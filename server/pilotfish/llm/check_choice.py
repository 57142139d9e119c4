"""What can be told to be wrong with a configuration before anybody is asked.

Owns: finding it, and saying it with the way out. Pure; contacts nobody.
Does not own: the choice (``llm.choose``), errors that only a server can tell (``providers.refusals``).
"""

import difflib
from dataclasses import dataclass
from typing import get_args

from pilotfish.config.model_section import ModelSettings, ProviderName
from pilotfish.llm.catalog import facts_of, known_models, short_names
from pilotfish.llm.providers.connection import unusable_base_url
from pilotfish.llm.providers.endpoint import Endpoint, is_http_url


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """Why a configuration cannot work. Holds no secret."""

    text: str
    """What is wrong, a sentence."""
    hint: str
    """What to do."""

    def __str__(self) -> str:
        return f"{self.text} {self.hint}"


def unknown_provider(name: str) -> Problem | None:
    """Check the name of a provider from the environment; empty is fine."""
    known = [one for one in get_args(ProviderName) if one != "demo"]
    if not name or name.lower() in get_args(ProviderName):
        return None
    return Problem(
        text=f"PILOTFISH_PROVIDER names “{name}”, which Pilotfish does not know.{_near(name, known)}",
        hint=f"Set it to one of {', '.join(known)}.",
    )


def check_endpoint(endpoint: Endpoint) -> Problem | None:
    """Check address and key."""
    if not is_http_url(endpoint.base_url):
        error = unusable_base_url(endpoint.base_url, endpoint.dialect)
        return Problem(text=error.message, hint=error.hint)
    if endpoint.is_default and not endpoint.key_source:
        return Problem(
            text=f"{endpoint.vendor} wants a key, but none is configured.",
            hint=f"Set {endpoint.dialect.key_settings} in the environment, or run the command "
            "“Pilotfish: Set API Key” in VS Code.",
        )
    return None


def check_model(model: str, endpoint: Endpoint, settings: ModelSettings) -> Problem | None:
    """Check a model's name as far as it can be known."""
    if not model:
        return Problem(
            text=f"No model is named for {endpoint.vendor if endpoint.is_default else endpoint.name}.",
            hint="Set pilotfish.model.name (model.name in a settings file), or name one with --model.",
        )
    if not endpoint.is_default or not endpoint.dialect.model_prefix:
        return None
    # The vendor's own models all begin alike, those included that came after our list.
    if model.startswith(endpoint.dialect.model_prefix) or facts_of(model).known:
        return None
    if model in settings.capabilities or model in settings.prices:
        return None
    names = [*settings.aliases, *short_names(), *known_models()]
    return Problem(
        text=f"{endpoint.vendor} has no model “{model}”.{_near(model, names)}",
        hint=f"Short names are {', '.join([*settings.aliases, *short_names()])}; full names begin with "
        f"{endpoint.dialect.model_prefix}. Choose another with the model picker, pilotfish.model.name "
        "or --model.",
    )


def _near(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name.lower(), known, n=1)
    return f" Did you mean {near[0]}?" if near else ""
