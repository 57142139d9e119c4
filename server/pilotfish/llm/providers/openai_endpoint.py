"""Where a chat completions server is reached, and with whose key.

Owns: the settings of the provider. Pure.
Does not own: reading environment and settings files (the caller does), sending (``openai``).
"""

from pilotfish.llm.catalog import FactOverrides
from pilotfish.llm.providers.endpoint import (
    IDLE_TIMEOUT_S,
    SIGNED_OUT,
    Dialect,
    Endpoint,
    build_endpoint,
)
from pilotfish.util.records import dataclass

DEFAULT_OPENAI_URL = "https://api.openai.com/v1"
"""Where requests go when nobody said otherwise."""

CHAT_COMPLETIONS = Dialect(
    api="OpenAI chat completions API",
    path="/chat/completions",
    url_settings="OPENAI_BASE_URL or the setting pilotfish.model.baseUrl",
    model_variable="OPENAI_MODEL",
    url_rule="the address of a server that speaks the OpenAI chat completions API, with most "
    "servers ending in /v1",
    key_settings="OPENAI_API_KEY",
    vendor="OpenAI",
)


@dataclass(frozen=True, kw_only=True)
class OpenAISettings:
    """How to reach the API."""

    api_key: str | None = None
    base_url: str | None = None
    """None means the vendor's own address."""
    key_source: str = SIGNED_OUT
    """Where the key came from, for messages, e.g. ``OPENAI_API_KEY``."""
    overrides: FactOverrides | None = None
    idle_timeout_s: float = IDLE_TIMEOUT_S

    def __repr__(self) -> str:
        """Leave out every secret."""
        return f"OpenAISettings({self.endpoint().name}, key from {self.key_source or 'nobody'})"

    def endpoint(self) -> Endpoint:
        """Return what messages may say about the address and the key."""
        base_url = self.base_url or DEFAULT_OPENAI_URL
        return build_endpoint(
            CHAT_COMPLETIONS,
            base_url,
            is_default=base_url.rstrip("/") == DEFAULT_OPENAI_URL,
            key_source=self.key_source if self.api_key else SIGNED_OUT,
            keys=(self.api_key,),
        )
