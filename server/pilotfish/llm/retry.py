"""Trying a model call again.

Owns: which failures are tried again, how often, how long to wait between, and asking in one piece
when streams keep breaking.
Does not own: what a failure is (``llm.errors``), what becomes of a reply that broke off (the
engine), showing the wait (edges).
See also: design 02 §7.4, §7.5.
"""

import logging
import random
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import replace

from pilotfish.llm.errors import RETRYABLE, ModelError
from pilotfish.llm.events import ModelEvent, ReplyBroken, RetryWaiting
from pilotfish.llm.model import ModelRequest, WarmModel
from pilotfish.llm.rate_limits import RateLimits
from pilotfish.ports.clock import ClockPort
from pilotfish.util.records import dataclass

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class RetryPolicy:
    """How often and how long."""

    max_attempts: int = 10
    """Attempts in all, the first one included."""
    max_connection_attempts: int = 3
    """The same for failures to connect: nobody waits two minutes to hear that a port is closed."""
    max_streams: int = 2
    """Streams that may break off or fall silent; the attempt after them is in one piece and the
    last."""
    overloads_before_substitute: int = 3
    """Overloads in a row after which the caller's other model is asked, if there is one."""
    base_delay_s: float = 0.5
    """Wait after the first failure; doubles with each further one."""
    max_delay_s: float = 32.0
    """Longest wait that we choose ourselves."""
    jitter: float = 0.25
    """Up to this share is added to our own waits, so that many agents do not knock together."""
    max_retry_after_s: float = 60.0
    """Longest wait that we accept from a server; above it the call fails and says so."""


@dataclass
class _Attempts:
    """What one call has been through."""

    made: int = 0
    broken_streams: int = 0
    overloads: int = 0
    """In a row, up to now."""

    def count(self, failure: ModelError) -> None:
        """Take a failed attempt into account."""
        self.made += 1
        self.overloads = self.overloads + 1 if failure.kind == "overloaded" else 0
        silent = failure.kind == "timeout" and failure.status is None
        if silent or failure.kind == "stream_broken":
            self.broken_streams += 1

    def allowed(self, failure: ModelError, policy: RetryPolicy, request: ModelRequest) -> int:
        """Return how many attempts the call gets in all, now that it failed like this."""
        if failure.kind == "connection":
            return policy.max_connection_attempts
        if failure.kind == "overloaded" and request.has_substitute:
            before = self.made - self.overloads
            return min(policy.max_attempts, before + policy.overloads_before_substitute)
        if self.broken_streams:
            left = policy.max_streams + 1 - self.broken_streams
            return min(policy.max_attempts, self.made + left)
        return policy.max_attempts


class RetryingModel:
    """A model that repeats calls whose failure may pass."""

    def __init__(
        self,
        inner: WarmModel,
        *,
        clock: ClockPort,
        policy: RetryPolicy | None = None,
        randomness: Callable[[], float] = random.random,  # noqa: S311 - spreads waits, hides nothing
    ) -> None:
        self._inner = inner
        self._clock = clock
        self._policy = policy or RetryPolicy()
        self._randomness = randomness

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Call the inner model; before each further attempt yield ``RetryWaiting`` and wait.

        A reply that breaks off is announced by ``ReplyBroken``, unless its failure is raised.

        Raises:
            ModelError: The failure cannot pass by itself, or all attempts failed.
        """
        attempts = _Attempts()
        while True:
            began = False
            events = self._inner.stream(request)
            try:
                async for event in events:
                    began = True
                    yield event
            except ModelError as error:
                failure = error
            else:
                return
            finally:
                await _close(events)
            attempts.count(failure)
            waiting = self._plan(failure, attempts, request)
            logger.info("model call failed (%s), waiting %.1f s", failure.kind, waiting.delay_s)
            if began:
                yield ReplyBroken()
            yield waiting
            await self._clock.sleep(waiting.delay_s)
            if attempts.broken_streams >= self._policy.max_streams:
                request = replace(request, in_one_piece=True)

    async def warm_up(self) -> None:
        """Prepare the inner model."""
        await self._inner.warm_up()

    @property
    def limits(self) -> RateLimits:
        """What its latest answers told of the provider's limits."""
        return self._inner.limits

    async def close(self) -> None:
        """Release the inner model's connections."""
        await self._inner.close()

    def _plan(
        self, failure: ModelError, attempts: _Attempts, request: ModelRequest
    ) -> RetryWaiting:
        """Return the wait before the next attempt.

        Raises:
            ModelError: There is no next attempt.
        """
        if failure.kind not in RETRYABLE:
            raise failure
        allowed = attempts.allowed(failure, self._policy, request)
        if attempts.made >= allowed:
            raise _gave_up(failure, attempts.made) from failure
        asked = failure.retry_after_s
        if asked is not None and asked > self._policy.max_retry_after_s:
            raise _wait_too_long(failure, asked) from failure
        return RetryWaiting(
            attempt=attempts.made,
            max_attempts=allowed,
            delay_s=asked or self._own_delay_s(attempts.made),
            message=failure.message,
        )

    def _own_delay_s(self, attempt: int) -> float:
        delay = self._policy.base_delay_s * 2 ** (attempt - 1)
        jittered = delay * (1 + self._policy.jitter * self._randomness())
        return min(jittered, self._policy.max_delay_s)


async def _close(events: AsyncIterator[ModelEvent]) -> None:
    """Close an iterator that can be closed, so that its connection is released now."""
    if isinstance(events, AsyncGenerator):
        await events.aclose()


def _gave_up(failure: ModelError, attempts: int) -> ModelError:
    if attempts == 1:
        return failure
    return _again(failure, f"{failure.message} Tried {attempts} times.", failure.hint)


def _wait_too_long(failure: ModelError, asked_s: float) -> ModelError:
    return _again(
        failure,
        f"{failure.message} It asks to wait {_duration(asked_s)} before the next request.",
        "Pilotfish does not wait that long by itself: send the prompt again later, or choose "
        "another model.",
    )


def _again(failure: ModelError, message: str, hint: str) -> ModelError:
    return ModelError(
        failure.kind,
        message,
        hint=hint,
        status=failure.status,
        retry_after_s=failure.retry_after_s,
        request_id=failure.request_id,
    )


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    minutes = seconds / 60
    return f"{minutes:.0f} minutes" if minutes < 120 else f"{minutes / 60:.1f} hours"
