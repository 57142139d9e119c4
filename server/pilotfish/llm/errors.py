"""How a model call can fail.

Owns: one error type with a closed set of kinds, a text for the user and the way out.
Raised by providers; ``llm.retry`` repeats what may pass, the engine ends the turn with the rest.
"""

from typing import Literal

from pilotfish.core.errors import PilotfishError

ModelErrorKind = Literal[
    "authentication",
    "permission",
    "not_found",
    "invalid_request",
    "prompt_too_long",
    "image_rejected",
    "rate_limit",
    "overloaded",
    "server",
    "connection",
    "timeout",
    "stream_broken",
    "not_configured",
]

RETRYABLE: frozenset[ModelErrorKind] = frozenset(
    {"rate_limit", "overloaded", "server", "connection", "timeout", "stream_broken"}
)
"""Kinds that may pass by themselves."""


class ModelError(PilotfishError):
    """A model call failed."""

    def __init__(
        self,
        kind: ModelErrorKind,
        message: str,
        *,
        hint: str = "",
        status: int | None = None,
        retry_after_s: float | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.kind: ModelErrorKind = kind
        self.status = status
        """HTTP status, when there was an answer."""
        self.retry_after_s = retry_after_s
        """How long the server asked to wait, in seconds."""
        self.request_id = request_id
