"""What only a server that was started with ``--testing`` answers."""

from typing import Annotated, Any

from pydantic import Field

from pilotfish.wire.base import WireModel
from pilotfish.wire.method import Empty, Method

LAST_MS = 253_402_300_799_999
"""The end of the year 9999, after which there are no dates."""

Milliseconds = Annotated[int, Field(ge=0, le=LAST_MS)]


class StatsResponse(WireModel):
    """``_pilotfish/testing/stats``; only with ``--testing``."""

    pid: int
    memory_bytes: int
    pending_tasks: int
    open_documents: int
    sessions: int
    children: list[dict[str, Any]]
    counts: dict[str, int] = Field(default_factory=dict[str, int])
    """What all open sessions together hold that goes when their agents have ended."""


class ClockParams(WireModel):
    """``_pilotfish/testing/clock``: hold the engine's clock and turn it; only with ``--testing``.

    It is what the times of events and agents, the waits between attempts at the model and the limits of
    questions go by; limits of processes and of the network go by the system's. Nothing given: only look.
    """

    now_ms: Milliseconds | None = None
    """The wall clock from here on, in milliseconds since the epoch; it stands still then. Waits do not
    notice: they go by the clock that never goes back."""
    advance_ms: Milliseconds = 0
    """Moves both clocks on, which stand still then; waits that are over by then end."""


class ClockResponse(WireModel):
    """The time now."""

    now_ms: int
    held: bool
    """Whether it stands still; ``_pilotfish/testing/reset`` lets it run again."""
    waits: int
    """How many waits of the engine go by it."""


TESTING_STATS = Method(
    name="_pilotfish/testing/stats",
    direction="client_to_server",
    kind="request",
    params=Empty,
    result=StatsResponse,
    doc="Memory, tasks, documents and children; only with --testing.",
)
TESTING_RESET = Method(
    name="_pilotfish/testing/reset",
    direction="client_to_server",
    kind="request",
    params=Empty,
    result=Empty,
    doc="End all sessions, requests and children and begin with a new engine, which knows nothing; "
    "open documents, settings and what is on disk stay. Only with --testing.",
)
TESTING_CLOCK = Method(
    name="_pilotfish/testing/clock",
    direction="client_to_server",
    kind="request",
    params=ClockParams,
    result=ClockResponse,
    doc="Hold the engine's clock and turn it; only with --testing.",
)

TESTING_METHODS: tuple[Method, ...] = (TESTING_STATS, TESTING_RESET, TESTING_CLOCK)
