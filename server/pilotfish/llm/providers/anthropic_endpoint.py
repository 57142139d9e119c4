"""Where the Messages API is reached, and with whose key.

Owns: the settings of the provider and its headers. Pure.
Does not own: reading environment and settings files (the caller does), sending (``anthropic``).
"""

from pilotfish.llm.catalog import FactOverrides
from pilotfish.llm.providers.cloud_endpoint import CloudSettings
from pilotfish.llm.providers.endpoint import (
    IDLE_TIMEOUT_S,
    SIGNED_OUT,
    Dialect,
    Endpoint,
    base_headers,
    build_endpoint,
)
from pilotfish.util.records import dataclass

DEFAULT_BASE_URL = "https://api.anthropic.com"
"""Where requests go when nobody said otherwise."""

MESSAGES_API = Dialect(
    api="Anthropic Messages API",
    path="/v1/messages",
    url_settings="ANTHROPIC_BASE_URL or the setting pilotfish.model.baseUrl",
    model_variable="ANTHROPIC_MODEL",
    url_rule="the address of a server that speaks the Anthropic Messages API, without /v1",
    key_settings="ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN",
    vendor="Anthropic",
    model_prefix="claude-",
    model_examples="for example sonnet, opus or haiku",
)


@dataclass(frozen=True, kw_only=True)
class AnthropicSettings:
    """How to reach the API. At most one of key and token is used, the key first."""

    api_key: str | None = None
    auth_token: str | None = None
    base_url: str | None = None
    """None means the vendor's own address."""
    key_source: str = SIGNED_OUT
    """Where the key came from, for messages, e.g. ``ANTHROPIC_API_KEY``."""
    cloud: CloudSettings | None = None
    """The cloud that serves the API; its settings then stand for the key and the address here."""
    overrides: FactOverrides | None = None
    idle_timeout_s: float = IDLE_TIMEOUT_S

    def __repr__(self) -> str:
        """Leave out every secret."""
        return f"AnthropicSettings({self.endpoint().name}, key from {self.key_source or 'nobody'})"

    def endpoint(self) -> Endpoint:
        """Return what messages may say about the address and the key."""
        if self.cloud is not None:
            return self.cloud.endpoint()
        base_url = self.base_url or DEFAULT_BASE_URL
        return build_endpoint(
            MESSAGES_API,
            base_url,
            is_default=base_url.rstrip("/") == DEFAULT_BASE_URL,
            key_source=self.key_source if self.api_key or self.auth_token else SIGNED_OUT,
            keys=(self.api_key, self.auth_token),
        )


def headers_for(endpoint: Endpoint, key: str | None) -> dict[str, str]:
    """Return the headers that go on top of the SDK's own."""
    headers = base_headers(endpoint.base_url)
    if key is not None and not endpoint.is_default:
        # The SDK sends keys as bearer tokens; many servers only know the older header.
        headers["X-Api-Key"] = key
    return headers
