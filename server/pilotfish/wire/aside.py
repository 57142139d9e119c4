"""Questions on the side."""

from pydantic import Field

from pilotfish.wire.base import WireModel

MAX_ASIDE_CHARS = 20_000
"""Longest question."""


class AsideParams(WireModel):
    """``_pilotfish/session/aside``: ask the model what the conversation never hears of."""

    session_id: str
    aside_id: str = Field(min_length=1, max_length=100)
    """Chosen by the client: names the question in ``aside/text``."""
    text: str = Field(min_length=1, max_length=MAX_ASIDE_CHARS)


class AsideResponse(WireModel):
    """The whole answer."""

    text: str
    model: str
    cost_usd: float | None
    """None when the model's price is not known."""


class AsideTextParams(WireModel):
    """``_pilotfish/aside/text``: a piece of an answer."""

    session_id: str
    aside_id: str
    offset: int
    """Where it belongs, in characters (Unicode code points); what was there from here on is void."""
    text: str
