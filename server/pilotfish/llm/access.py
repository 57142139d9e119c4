"""What the environment says about models.

Owns: which variables count, each under its vendor's own name. Pure: the environment is handed in.
Does not own: what follows from them (``llm.choose``).
"""

from collections.abc import Mapping
from dataclasses import field

from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True)
class CloudAccess:
    """How to sign in to the clouds. What is not here they look up by their own rules."""

    bedrock_token: str = field(default="", repr=False)
    bedrock_url: str = field(default="", repr=False)
    aws_region: str = ""
    aws_profile: str = ""
    vertex_project: str = ""
    vertex_region: str = ""
    vertex_url: str = field(default="", repr=False)
    foundry_key: str = field(default="", repr=False)
    foundry_resource: str = ""
    foundry_url: str = field(default="", repr=False)


@dataclass(frozen=True, kw_only=True)
class ModelAccess:
    """Keys, addresses and names from the environment; empty means not set. Never logged."""

    provider: str = ""
    """The provider by name, whatever the user wrote."""
    anthropic_key: str = field(default="", repr=False)
    anthropic_token: str = field(default="", repr=False)
    anthropic_url: str = field(default="", repr=False)
    """Not shown: an address may carry a password."""
    anthropic_model: str = ""
    openai_key: str = field(default="", repr=False)
    openai_url: str = field(default="", repr=False)
    openai_model: str = ""
    clouds: CloudAccess = CloudAccess()
    max_context_tokens: int | None = None
    """Window of every model, for servers that hold less than their model could."""
    unreadable_window: str = ""
    """What stands there instead of a number of tokens."""


def access_from(environment: Mapping[str, str]) -> ModelAccess:
    """Read the variables; blank ones count as not set."""

    def read(*names: str) -> str:
        return next((text for name in names if (text := environment.get(name, "").strip())), "")

    window = read("PILOTFISH_MAX_CONTEXT_TOKENS")
    return ModelAccess(
        provider=read("PILOTFISH_PROVIDER"),
        anthropic_key=read("ANTHROPIC_API_KEY"),
        anthropic_token=read("ANTHROPIC_AUTH_TOKEN"),
        anthropic_url=read("ANTHROPIC_BASE_URL"),
        anthropic_model=read("ANTHROPIC_MODEL"),
        openai_key=read("OPENAI_API_KEY"),
        openai_url=read("OPENAI_BASE_URL"),
        openai_model=read("OPENAI_MODEL"),
        clouds=CloudAccess(
            bedrock_token=read("AWS_BEARER_TOKEN_BEDROCK"),
            bedrock_url=read("ANTHROPIC_BEDROCK_BASE_URL"),
            aws_region=read("AWS_REGION", "AWS_DEFAULT_REGION"),
            aws_profile=read("AWS_PROFILE"),
            vertex_project=read("ANTHROPIC_VERTEX_PROJECT_ID", "GOOGLE_CLOUD_PROJECT"),
            vertex_region=read("CLOUD_ML_REGION"),
            vertex_url=read("ANTHROPIC_VERTEX_BASE_URL"),
            foundry_key=read("ANTHROPIC_FOUNDRY_API_KEY"),
            foundry_resource=read("ANTHROPIC_FOUNDRY_RESOURCE"),
            foundry_url=read("ANTHROPIC_FOUNDRY_BASE_URL"),
        ),
        max_context_tokens=int(window) if _is_window(window) else None,
        unreadable_window="" if _is_window(window) else window,
    )


def _is_window(text: str) -> bool:
    return text.isascii() and text.isdecimal() and int(text) > 0
