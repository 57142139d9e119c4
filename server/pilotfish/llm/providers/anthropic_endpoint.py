"""Where the Messages API is reached, and with whose key.

Owns: the settings of the provider, its headers, and showing addresses without their secrets. Pure.
Does not own: reading environment and settings files (the caller does), sending (``anthropic``).
"""

import re
from base64 import b64encode
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from pilotfish.llm.catalog import FactOverrides

DEFAULT_BASE_URL = "https://api.anthropic.com"
"""Where requests go when nobody said otherwise."""

IDLE_TIMEOUT_S = 90.0
"""Longest silence, before and inside a stream, until the call is given up (design 02 §7.4)."""

SIGNED_OUT = ""
"""``key_source`` when a base URL is used without a key."""

_USER_AGENT = "pilotfish"
_KEY_SHAPE = re.compile(r"\bsk-[A-Za-z0-9_-]{6,}|\bBearer\s+\S+", re.IGNORECASE)
_USER_INFO = re.compile(r"(?<=://)[^/@\s]*@")


@dataclass(frozen=True, kw_only=True, slots=True)
class Endpoint:
    """Where requests go and with whose key; what error texts may say about it."""

    base_url: str
    key_source: str
    """Name of the variable or setting that the key came from; ``SIGNED_OUT`` without one."""
    secrets: tuple[str, ...]
    """Texts that must never be shown."""
    is_default: bool
    """Whether this is the vendor's own address."""

    @property
    def name(self) -> str:
        """Return the address as it may be shown: no user, no password, no query."""
        return shown_url(self.base_url)


@dataclass(frozen=True, kw_only=True)
class AnthropicSettings:
    """How to reach the API. At most one of key and token is used, the key first."""

    api_key: str | None = None
    auth_token: str | None = None
    base_url: str | None = None
    """None means the vendor's own address."""
    key_source: str = SIGNED_OUT
    """Where the key came from, for messages, e.g. ``ANTHROPIC_API_KEY``."""
    overrides: FactOverrides | None = None
    idle_timeout_s: float = IDLE_TIMEOUT_S

    def __repr__(self) -> str:
        """Leave out every secret."""
        return f"AnthropicSettings({self.endpoint().name}, key from {self.key_source or 'nobody'})"

    def endpoint(self) -> Endpoint:
        """Return what messages may say about the address and the key."""
        base_url = self.base_url or DEFAULT_BASE_URL
        password = _password_in(base_url)
        secrets = (self.api_key, self.auth_token, password)
        return Endpoint(
            base_url=base_url,
            key_source=self.key_source if self.api_key or self.auth_token else SIGNED_OUT,
            secrets=tuple(secret for secret in secrets if secret),
            is_default=self.base_url is None or self.base_url.rstrip("/") == DEFAULT_BASE_URL,
        )


def headers_for(settings: AnthropicSettings, base_url: str, key: str | None) -> dict[str, str]:
    """Return the headers that go on top of the SDK's own."""
    headers = {"User-Agent": _USER_AGENT}
    if key is not None and not settings.endpoint().is_default:
        # The SDK sends keys as bearer tokens; many servers only know the older header.
        headers["X-Api-Key"] = key
    parts = urlsplit(base_url)
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = "Basic " + b64encode(pair.encode()).decode()
    return headers


def is_http_url(url: str) -> bool:
    """Tell whether an address can be used at all."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)


def shown_url(url: str) -> str:
    """Return an address without user, password, query and fragment."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port is not None else ""
    except ValueError:
        return _USER_INFO.sub("", url).split("?", maxsplit=1)[0]
    if not parts.scheme or not host:
        return _USER_INFO.sub("", url).split("?", maxsplit=1)[0]
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}{port}{parts.path}".rstrip("/")


def without_user_info(url: str) -> str:
    """Return an address without user and password, otherwise unchanged."""
    return _USER_INFO.sub("", url)


def redact(text: str, secrets: tuple[str, ...]) -> str:
    """Remove keys, tokens and passwords from a text."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "[redacted]")
    return _USER_INFO.sub("", _KEY_SHAPE.sub("[redacted]", text))


def _password_in(url: str) -> str | None:
    try:
        return urlsplit(url).password
    except ValueError:
        return None
