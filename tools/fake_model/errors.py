"""Error answers of the API.

Owns: the JSON envelope, the usual type of each status, and the named failures of scenarios.

ApiError            an answer with an error status; raised by checks and by the turn that wants it,
                    turned into a response in one place (``server``)
"""

from dataclasses import replace
from typing import Literal

from tools.fake_model.jsontypes import JsonObject
from tools.fake_model.turns import ErrorName, HttpError

ErrorOutcome = Literal["error", "refused", "exhausted"]
"""Whose wish the error is: the scenario's, our checks', or nobody's because no turn was left."""

_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}

_MESSAGES = {
    "overloaded_error": "Overloaded",
    "rate_limit_error": "Too many requests for now",
    "api_error": "Internal server error",
    "timeout_error": "The request took too long",
    "authentication_error": "The key is not valid",
    "permission_error": "The key may not do this",
    "not_found_error": "Not found",
    "request_too_large": "Request exceeds the maximum size",
    "invalid_request_error": "The request is not valid",
}

STATUS_OF_TYPE = {
    "overloaded_error": 529,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "invalid_request_error": 400,
}
"""HTTP status that stands for an in-stream error when the reply is not streamed."""

NAMED: dict[ErrorName, HttpError] = {
    "bad_request": HttpError(status=400),
    "unauthorized": HttpError(status=401),
    "forbidden": HttpError(status=403),
    "not_found": HttpError(status=404),
    "request_timeout": HttpError(status=408),
    "prompt_too_long": HttpError(
        status=400, message="prompt is too long: 205000 tokens > 200000 maximum"
    ),
    "request_too_large": HttpError(status=413),
    "rate_limited": HttpError(status=429, retry_after_s=1),
    "server_error": HttpError(status=500),
    "bad_gateway": HttpError(status=502, raw_body="<html><h1>502 Bad Gateway</h1></html>"),
    "overloaded": HttpError(status=529),
}
"""What a scenario means by a name alone."""


class ApiError(Exception):
    """The request is answered with an error status."""

    def __init__(self, error: HttpError, outcome: ErrorOutcome = "error") -> None:
        super().__init__(error.message or "")
        self.error = complete(error)
        self.outcome: ErrorOutcome = outcome
        """How the journal names it."""

    @classmethod
    def refused(cls, status: int, message: str) -> "ApiError":
        """The request is not valid."""
        return cls(HttpError(status=status, message=message), "refused")


def complete(error: HttpError) -> HttpError:
    """Fill in type and message."""
    error_type = error.error_type or type_of_status(error.status)
    return replace(error, error_type=error_type, message=error.message or message_of(error_type))


def type_of_status(status: int) -> str:
    """The usual error type of an HTTP status."""
    return _TYPES.get(status) or ("api_error" if status >= 500 else "invalid_request_error")


def message_of(error_type: str) -> str:
    """A message for an error type when the scenario gives none."""
    return _MESSAGES.get(error_type, error_type)


def error_body(error_type: str, message: str, request_id: str) -> JsonObject:
    """The JSON of an error, as a response body and as the data of an ``error`` event."""
    return {
        "type": "error",
        "error": {"type": error_type, "message": message},
        "request_id": request_id,
    }
