"""What can be told to be wrong with a configuration before anybody is asked.

Owns: finding it, and saying it with the way out. Pure; contacts nobody.
Does not own: the choice (``llm.choose``), errors that only a server can tell (``providers.refusals``).
"""

import importlib.util
import sys
from typing import get_args

from pilotfish.config.model_section import ModelSettings, ProviderName
from pilotfish.llm.catalog import facts_of, known_models, short_names
from pilotfish.llm.providers.cloud_endpoint import CloudSettings
from pilotfish.llm.providers.connection import unusable_base_url
from pilotfish.llm.providers.endpoint import Endpoint, is_http_url
from pilotfish.util.records import dataclass
from pilotfish.util.slips import slip_of


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
        text=f"PILOTFISH_PROVIDER names “{name}”, which Pilotfish does not know.{_near(slip_of(name, known))}",
        hint=f"Set it to one of {', '.join(known)}.",
    )


def unreadable_window(text: str) -> Problem | None:
    """Check the window that the environment gives every model; empty is fine."""
    if not text:
        return None
    return Problem(
        text=f"PILOTFISH_MAX_CONTEXT_TOKENS is “{text}”, which is no number of tokens.",
        hint="Set it to the window of the server's model, for example to 32768, or take it away.",
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
    if not all(key.isascii() and key.isprintable() for key in endpoint.keys):
        return Problem(
            text=f"The key from {endpoint.key_source} holds a character that no request can carry, "
            "such as a line break.",
            hint="Copy it anew, without anything before, within or after it.",
        )
    return None


def check_cloud(cloud: CloudSettings) -> Problem | None:
    """Check what can be known about a cloud without loading or asking anything."""
    vendor = cloud.endpoint().vendor
    package = {"bedrock": "boto3", "vertex": "google.auth", "foundry": ""}[cloud.name]
    if package and not _installed(package):
        name = package.replace(".", "-")
        wanted = "google-auth[requests]" if cloud.name == "vertex" else name
        return Problem(
            text=f"{vendor} needs the Python package {name}, which is not installed.",
            hint=f'Run: "{sys.executable}" -m pip install "{wanted}" – then start the server again.',
        )
    if cloud.name == "foundry":
        return _check_foundry(cloud)
    region = "AWS_REGION" if cloud.name == "bedrock" else "CLOUD_ML_REGION"
    if not cloud.region:
        return Problem(
            text=f"{vendor} wants a region, but none is configured.",
            hint=f"Set {region} in the environment, for example to us-east-1."
            if cloud.name == "bedrock"
            else f"Set {region} in the environment, for example to global or europe-west1.",
        )
    if cloud.name == "vertex" and not cloud.project:
        return Problem(
            text=f"{vendor} wants a project, but none is configured.",
            hint="Set ANTHROPIC_VERTEX_PROJECT_ID in the environment to your Google Cloud project.",
        )
    return None


def _check_foundry(cloud: CloudSettings) -> Problem | None:
    if not cloud.base_url and not cloud.resource:
        return Problem(
            text="Microsoft Foundry wants a resource, but none is configured.",
            hint="Set ANTHROPIC_FOUNDRY_RESOURCE to its name, or ANTHROPIC_FOUNDRY_BASE_URL to its "
            "address, in the environment.",
        )
    if not cloud.key:
        return Problem(
            text="Microsoft Foundry wants a key, but none is configured.",
            hint="Set ANTHROPIC_FOUNDRY_API_KEY in the environment.",
        )
    return None


def _installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        # The package above it is not there.
        return False


def check_model(model: str, endpoint: Endpoint, settings: ModelSettings) -> Problem | None:
    """Check a model's name as far as it can be known."""
    if not model:
        return Problem(
            text=f"No model is named for {endpoint.vendor if endpoint.is_default else endpoint.name}.",
            hint=f"Set {endpoint.dialect.model_variable} in the environment or pilotfish.model.name "
            "(model.name in a settings file), or name one with --model.",
        )
    if not endpoint.is_default or not endpoint.dialect.model_prefix:
        return None
    # The vendor's own models all begin alike, those included that came after our list.
    if model.startswith(endpoint.dialect.model_prefix) or facts_of(model).known:
        return None
    if model in settings.capabilities or model in settings.prices:
        return None
    return Problem(
        text=f"{endpoint.vendor} has no model “{model}”.{_near(_near_model(model, endpoint, settings))}",
        hint=f"Short names are {', '.join([*settings.aliases, *short_names()])}; full names begin with "
        f"{endpoint.dialect.model_prefix}. Choose another with the model picker, pilotfish.model.name "
        "or --model.",
    )


def _near(meant: str | None) -> str:
    return f" Did you mean {meant}?" if meant else ""


def _near_model(name: str, endpoint: Endpoint, settings: ModelSettings) -> str | None:
    """Return the model that a name may stand for: misspelt, or written as others write it."""
    full = known_models()
    # Gateways put the vendor in front; people leave out what all names begin with.
    bare = name.lower().rpartition("/")[2]
    whole = endpoint.dialect.model_prefix + bare
    exact = next((one for one in (bare, whole) if one in full), None)
    short = [*settings.aliases, *short_names()]
    return exact or slip_of(name, short) or slip_of(bare, full) or slip_of(whole, full)
