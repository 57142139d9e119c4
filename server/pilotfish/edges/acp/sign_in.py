"""How an ACP editor comes to a model.

Owns: the ways that are offered while there is none, in ACP's words.
Does not own: which model is used and what speaks against it (``llm.choose``), keys: they come from the
environment of the process alone.
"""

from collections.abc import Mapping
from typing import Any

from pilotfish.core.errors import ModelNeeded

_KEY = {
    "id": "anthropic-api-key",
    "type": "env_var",
    "name": "Anthropic API key",
    "description": "Set ANTHROPIC_API_KEY in the environment in which the editor starts the agent.",
    "vars": [{"name": "ANTHROPIC_API_KEY", "secret": True, "optional": False}],
}

_ADDRESS = {
    "id": "messages-api-address",
    "type": "env_var",
    "name": "A server that speaks the Messages API",
    "description": (
        "Set ANTHROPIC_BASE_URL in the environment in which the editor starts the agent, and "
        "ANTHROPIC_API_KEY if the server wants a key."
    ),
    "vars": [
        {"name": "ANTHROPIC_BASE_URL", "secret": False, "optional": False},
        {"name": "ANTHROPIC_API_KEY", "secret": True, "optional": True},
    ],
}

_METHODS: tuple[dict[str, Any], ...] = (_KEY, _ADDRESS)


def auth_methods(provider: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the ways to a model; none while one can be used.

    Args:
        provider: What is known of it (``ProviderChoice.for_people``).
    """
    return [] if _is_usable(provider) else [dict(method) for method in _METHODS]


def require_signed_in(provider: Mapping[str, str]) -> None:
    """Make sure that there is a model now.

    Raises:
        ModelNeeded: There is none; says what is missing.
    """
    if not _is_usable(provider):
        raise ModelNeeded(
            provider["problem"] or "No model is configured.",
            hint=""
            if provider["problem"]
            else "Set ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL in the environment in which the editor "
            "starts the agent, and start it again.",
        )


def _is_usable(provider: Mapping[str, str]) -> bool:
    return provider["kind"] != "demo" and not provider["problem"]
