"""Errors that a model server answers with as ours, with a text for people.

Owns: which answer is which kind, what happened in one sentence, what to do about it, and that no
secret gets into either. Pure: no I/O.
Does not own: failures on the way (``connection``), retrying (``llm.retry``).
"""

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, cast

from pilotfish.llm.errors import ModelError, ModelErrorKind
from pilotfish.llm.providers.endpoint import SIGNED_OUT, Endpoint, redact, shown_url
from pilotfish.util.records import dataclass

MAX_SERVER_MESSAGE_CHARS = 500
"""How much of a server's own error text is passed on."""

MAX_LOCATION_CHARS = 200
"""How much of the address of a redirect is shown."""

MAX_COMPLAINTS = 3
"""How many fields that a server did not like are named."""

_HTML_PAGE = "it sent an HTML page"

_TOO_LONG = re.compile(
    r"(?:prompt|input) is too long|exceed\w*[ _]context|context (?:length|window)|maximum context"
    r"|available context size|too many tokens"
    # Gemini, Copilot; Kimi, DashScope; xAI; vLLM; text-generation-inference; Groq and Cerebras.
    r"|token count[^\n]{0,40}exceeds|exceed\w* model (?:token )?limit|maximum prompt length"
    r"|maximum model length|tokens \+ `max_new_tokens|reduce the length|prompt exceeds max|range of input length"
    r"|model's context",
    re.IGNORECASE,
)
"""How servers say that the prompt does not fit (the API itself, clouds, llama.cpp, gateways)."""

_BILLING = re.compile(r"credit balance|billing", re.IGNORECASE)
_IMAGE = re.compile(r"\b(?:image|document|pdf)\b", re.IGNORECASE)
_FOREIGN_THINKING = re.compile(r"signature|thinking.{0,20}block", re.IGNORECASE)

_STATUS_BY_TYPE: Mapping[str, int] = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
    "validationException": 400,
    "throttlingException": 429,
    "internalServerException": 500,
    "modelStreamErrorException": 500,
    "serviceUnavailableException": 503,
    "modelTimeoutException": 504,
}
"""The status that an error inside a running stream would have had."""

_REQUEST_IDS = ("request-id", "x-request-id", "x-amzn-requestid")
"""Where servers say which request this was, in our order of preference."""

_KIND_BY_STATUS: Mapping[int, ModelErrorKind] = {
    401: "authentication",
    402: "permission",
    403: "permission",
    404: "not_found",
    405: "not_found",
    408: "timeout",
    409: "server",
    413: "prompt_too_long",
    429: "rate_limit",
    503: "overloaded",
    529: "overloaded",
}

_KIND_BY_CODE: Mapping[str, ModelErrorKind] = {
    "context_length_exceeded": "prompt_too_long",
    "insufficient_quota": "permission",
    "model_not_found": "not_found",
}
"""What an error's own code says more exactly than its status (chat completions servers)."""

_PLAIN_TEXTS: Mapping[ModelErrorKind, tuple[str, str]] = {
    "permission": (
        "{where} refused the request",
        "Check what the key{key} may do and the account's credit, or choose another model.",
    ),
    "prompt_too_long": (
        "The conversation is too long for {model}",
        "Start a new session, go back to an earlier message, or choose a model with a larger window.",
    ),
    "image_rejected": (
        "{where} did not take a picture or document",
        "It was taken out of the conversation. Send the prompt again, with a smaller one.",
    ),
    "rate_limit": (
        "{where} limits how many requests or tokens this key may use",
        "Wait a little and send the prompt again, or choose another model.",
    ),
    "overloaded": (
        "{where} is overloaded",
        "Send the prompt again in a few minutes, or choose another model.",
    ),
    "timeout": ("{where} gave up waiting", "Send the prompt again."),
    "server": (
        "{where} failed",
        "Send the prompt again; if it keeps failing, look at the server's status page or log.",
    ),
}
"""What happened and what to do, for the kinds whose text needs nothing else."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """An answer that is an error, whether as HTTP status or inside a stream."""

    status: int
    body: object
    """Decoded JSON, text or None."""
    headers: Mapping[str, str]
    """Names in lower case."""


def status_of_type(error_type: str) -> int:
    """Return the HTTP status that goes with an error inside a stream."""
    return _STATUS_BY_TYPE.get(error_type, 500)


def from_refusal(refusal: Refusal, endpoint: Endpoint, model: str) -> ModelError:
    """Turn an error answer into ours."""
    if 300 <= refusal.status < 400:
        return _redirected(refusal, endpoint)
    said = _server_message(refusal.body, endpoint)
    kind = _kind(refusal.status, said, _code_in(refusal.body))
    message, hint = _texts(kind, refusal.status, said, endpoint, model)
    return ModelError(
        kind,
        message,
        hint=hint,
        status=refusal.status,
        retry_after_s=retry_after_s(refusal.headers),
        request_id=next(
            (refusal.headers[name] for name in _REQUEST_IDS if name in refusal.headers), None
        ),
    )


def _redirected(refusal: Refusal, endpoint: Endpoint) -> ModelError:
    """Say where a server wants requests to go; no key is sent to an address that nobody set."""
    target = redact(shown_url(refusal.headers.get("location", "")), endpoint.secrets)
    where = target[:MAX_LOCATION_CHARS] or "another address"
    return ModelError(
        "not_found",
        f"{endpoint.name} sends requests on to {where} ({refusal.status}).",
        hint="They are not followed, so that no key gets to an address that you did not set. "
        f"Check the base URL ({endpoint.dialect.url_settings}).",
        status=refusal.status,
    )


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Read how long a server asks to wait, in seconds; None when it does not say."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None or value is None:
        return seconds
    try:
        # The server's own clock is the right one to compare its date with.
        wait = parsedate_to_datetime(value) - parsedate_to_datetime(headers.get("date", ""))
    except (ValueError, TypeError):
        return None
    return max(wait.total_seconds(), 0.0)


def _number(value: str | None) -> float | None:
    try:
        number = float(value) if value is not None else None
    except ValueError:
        return None
    return number if number is not None and 0 <= number < float("inf") else None


def _kind(status: int, said: str, code: str) -> ModelErrorKind:
    if code in _KIND_BY_CODE:
        return _KIND_BY_CODE[code]
    if status in {400, 413, 422, 500} and _TOO_LONG.search(said):
        return "prompt_too_long"
    if status == 400 and _BILLING.search(said):
        return "permission"
    if status == 400 and _IMAGE.search(said):
        return "image_rejected"
    if status in _KIND_BY_STATUS:
        return _KIND_BY_STATUS[status]
    return "server" if status >= 500 else "invalid_request"


def _texts(
    kind: ModelErrorKind, status: int, said: str, endpoint: Endpoint, model: str
) -> tuple[str, str]:
    """Return what happened and what to do."""
    if kind == "authentication":
        return _authentication_texts(status, said, endpoint)
    if kind == "not_found":
        return _not_found_texts(status, said, endpoint, model)
    if kind in _PLAIN_TEXTS:
        what, hint = _PLAIN_TEXTS[kind]
    else:
        what, hint = "{where} rejected the request", _rejected_hint(said)
    if said == _HTML_PAGE and kind in {"permission", "invalid_request"}:
        hint = "A proxy, a firewall or a sign-in page on the way can answer like this: check the network. "
        hint += f"Check the base URL ({endpoint.dialect.url_settings})."
    # Not str.format on the whole: the server's words may hold braces.
    what = what.replace("{where}", endpoint.name).replace("{model}", model)
    return _answered(what, status, said), hint.replace("{key}", _from_source(endpoint))


def _answered(what: str, status: int, said: str) -> str:
    if not said:
        return f"{what} ({status})."
    # What to do follows in a sentence of its own.
    return f"{what} ({status}): {said}" if said[-1] in ".!?…" else f"{what} ({status}): {said}."


def _authentication_texts(status: int, said: str, endpoint: Endpoint) -> tuple[str, str]:
    if endpoint.key_source == SIGNED_OUT:
        return (
            _answered(f"{endpoint.name} asks for a key, but none is configured", status, said),
            f"Set {endpoint.dialect.key_settings}.",
        )
    return (
        _answered(
            f"{endpoint.name} did not accept the key from {endpoint.key_source}", status, said
        ),
        f"Check or replace the key in {endpoint.key_source}; it must belong to {endpoint.name}.",
    )


def _not_found_texts(status: int, said: str, endpoint: Endpoint, model: str) -> tuple[str, str]:
    dialect = endpoint.dialect
    examples = dialect.model_examples
    if "model" in said.lower():
        return (
            _answered(f"{endpoint.name} has no model “{model}”", status, said),
            "Choose another with the model picker, the setting pilotfish.model.name or --model, "
            f"{examples}."
            if examples
            else "Choose another with the model picker, the setting pilotfish.model.name or --model.",
        )
    hint = f"Check the base URL ({dialect.url_settings}): requests go to <base URL>{dialect.path}."
    if dialect.path.startswith("/v1/") and endpoint.name.endswith("/v1"):
        hint += " Leave out the /v1 at its end."
    if not dialect.path.startswith("/v1/") and not endpoint.name.endswith("/v1"):
        hint += " With most servers the base URL ends in /v1."
    return f"{endpoint.name}{dialect.path} does not exist ({status}).", hint


def _rejected_hint(said: str) -> str:
    if not said:
        return "The server does not say why; its log may. Another model or a new session may help."
    if _FOREIGN_THINKING.search(said):
        return (
            "The conversation holds reasoning of another model or account: go on with that one, or "
            "start a new session."
        )
    return (
        "The server's message says what it did not like; another model or a new session may help."
    )


def _from_source(endpoint: Endpoint) -> str:
    return f" from {endpoint.key_source}" if endpoint.key_source != SIGNED_OUT else ""


def _server_message(body: object, endpoint: Endpoint) -> str:
    """Return the server's own words on one line; empty when there are none worth showing."""
    text = _message_in(body)
    if text.lstrip()[:1] == "<":
        return _HTML_PAGE
    line = " ".join(redact(text, endpoint.secrets).split())
    cut = line[:MAX_SERVER_MESSAGE_CHARS]
    return cut if len(cut) == len(line) else cut + "…"


def _in_list(body: object) -> object:
    """Return the one thing in a list; Google's servers wrap their errors in one."""
    if not isinstance(body, list):
        return body
    items = cast("list[object]", body)
    return items[0] if len(items) == 1 else items


def _code_in(body: object) -> str:
    body = _in_list(body)
    error: object = cast(dict[str, Any], body).get("error") if isinstance(body, dict) else None
    code: object = cast(dict[str, Any], error).get("code") if isinstance(error, dict) else None
    return code if isinstance(code, str) else ""


def _message_in(body: object) -> str:
    body = _in_list(body)
    if isinstance(body, str):
        return body
    if not isinstance(body, dict):
        return ""
    wire = cast(dict[str, Any], body)
    error: object = wire.get("error", wire)
    if isinstance(error, str):
        return error
    message: object = cast(dict[str, Any], error).get("message") if isinstance(error, dict) else ""
    if not message:
        # Servers in Python that validate by themselves (FastAPI) say it this way.
        message = cast(dict[str, Any], error).get("detail") if isinstance(error, dict) else ""
    if isinstance(message, list):
        return "; ".join(map(_complaint, cast(list[object], message)[:MAX_COMPLAINTS]))
    return message if isinstance(message, str) else ""


def _complaint(told: object) -> str:
    """Return what a server that validates says of one field: where it is, and what is wrong."""
    if not isinstance(told, dict):
        return str(told)
    fields = cast(dict[str, Any], told)
    location: object = fields.get("loc")
    words = cast(list[object], location) if isinstance(location, list) else []
    return f"{'.'.join(map(str, words))}: {fields.get('msg', '')}".removeprefix(": ")
