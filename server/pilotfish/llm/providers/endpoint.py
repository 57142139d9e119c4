"""Where a model is reached, and what may be said about it.

Owns: the names that error texts use for an API and its settings, and showing addresses without their
secrets. Pure.
Does not own: each provider's own settings (``anthropic_endpoint``, ``openai_endpoint``).
"""

import re
from base64 import b64encode
from urllib.parse import unquote, urlsplit

from pilotfish.util.records import dataclass

IDLE_TIMEOUT_S = 90.0
"""Longest silence, before and inside a stream, until the call is given up (design 02 §7.4)."""

SIGNED_OUT = ""
"""``key_source`` when a server is used without a key."""

USER_AGENT = "pilotfish"

PLACEHOLDER_KEY = "pilotfish-no-key"
"""Sent to servers that were configured without a key; local ones ignore it."""

_KEY_SHAPE = re.compile(r"\bsk-[A-Za-z0-9_-]{6,}|\bBearer\s+\S+", re.IGNORECASE)
_USER_INFO = re.compile(r"(?<=://)[^/@\s]*@")


@dataclass(frozen=True, kw_only=True, slots=True)
class Dialect:
    """The names of an API in texts for people."""

    api: str
    """What a server must speak, e.g. ``Anthropic Messages API``."""
    path: str
    """Where below the base URL requests go."""
    url_settings: str
    """Where the base URL is set."""
    url_rule: str
    """What the base URL must look like, as the end of a sentence."""
    key_settings: str
    """Where a key is set."""
    model_variable: str
    """The variable that names a model."""
    vendor: str
    """Whose API it is, where the vendor's own address is used."""
    model_examples: str = ""
    """Names to try, as the end of a sentence; empty when we know none."""
    model_prefix: str = ""
    """What the names of the vendor's own models begin with; empty when that is not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Endpoint:
    """Where requests go and with whose key; what error texts may say about it."""

    base_url: str
    key_source: str
    """Name of the variable or setting that the key came from; ``SIGNED_OUT`` without one."""
    keys: tuple[str, ...]
    """The keys in use."""
    secrets: tuple[str, ...]
    """Texts that must never be shown: the keys, and a password in the address."""
    is_default: bool
    """Whether this is the vendor's own address."""
    dialect: Dialect

    @property
    def vendor(self) -> str:
        """Return whose API it is."""
        return self.dialect.vendor

    @property
    def name(self) -> str:
        """Return the address as it may be shown: no user, no password, no query."""
        return shown_url(self.base_url)


def build_endpoint(
    dialect: Dialect,
    base_url: str,
    *,
    is_default: bool,
    key_source: str,
    keys: tuple[str | None, ...],
) -> Endpoint:
    """Describe where requests go; ``keys`` are the secrets in use, the empty ones among them."""
    in_use = tuple(key for key in keys if key)
    password = password_in(base_url)
    return Endpoint(
        base_url=base_url,
        key_source=key_source,
        keys=in_use,
        secrets=(*in_use, password) if password else in_use,
        is_default=is_default,
        dialect=dialect,
    )


def base_headers(base_url: str) -> dict[str, str]:
    """Return the headers that go on top of an SDK's own to any server."""
    headers = {"User-Agent": USER_AGENT}
    authorization = basic_authorization(base_url)
    return headers if authorization is None else headers | {"Authorization": authorization}


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


def basic_authorization(url: str) -> str | None:
    """Return the header value that stands for an address's user and password; None without them."""
    parts = urlsplit(url)
    if parts.username is None:
        return None
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return "Basic " + b64encode(pair.encode()).decode()


def redact(text: str, secrets: tuple[str, ...]) -> str:
    """Remove keys, tokens and passwords from a text."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "[redacted]")
    return _USER_INFO.sub("", _KEY_SHAPE.sub("[redacted]", text))


def password_in(url: str) -> str | None:
    """Return the password of an address; None without one."""
    try:
        return urlsplit(url).password
    except ValueError:
        return None
