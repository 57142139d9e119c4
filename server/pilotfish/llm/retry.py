"""Trying a model call again.

Owns: which failures are tried again, how often, and how long to wait between.
Does not own: what a failure is (``llm.errors``), showing the wait (edges).
See also: design 02 §7.5.
"""

import logging
import random
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass

from pilotfish.llm.errors import RETRYABLE, ModelError, ModelErrorKind
from pilotfish.llm.events import ModelEvent, RetryWaiting
from pilotfish.llm.model import ModelRequest, WarmModel
from pilotfish.ports.clock import ClockPort

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class RetryPolicy:
    """How often and how long."""

    max_attempts: int = 6
    """Attempts in all, the first one included."""
    max_connection_attempts: int = 3
    """The same for failures to connect: nobody waits a minute to hear that a port is closed."""
    base_delay_s: float = 0.5
    """Wait after the first failure; doubles with each further one."""
    max_delay_s: float = 32.0
    """Longest wait that we choose ourselves."""
    jitter: float = 0.25
    """Up to this share is added to our own waits, so that many agents do not knock together."""
    max_retry_after_s: float = 60.0
    """Longest wait that we accept from a server; above it the call fails and says so."""

    def attempts_for(self, kind: ModelErrorKind) -> int:
        """Return how many attempts a kind of failure gets in all."""
        return self.max_connection_attempts if kind == "connection" else self.max_attempts


class RetryingModel:
    """A model that repeats calls which failed before anything of the reply was used."""

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

        Raises:
            ModelError: The failure cannot pass by itself, came after the first event, or all
                attempts failed.
        """
        attempt = 1
        while True:
            began = False
            events = self._inner.stream(request)
            try:
                async for event in events:
                    began = True
                    yield event
            except ModelError as error:
                if began or error.kind not in RETRYABLE:
                    raise
                failure = error
            else:
                return
            finally:
                await _close(events)
            waiting = self._plan(failure, attempt)
            logger.info("model call failed (%s), waiting %.1f s", failure.kind, waiting.delay_s)
            yield waiting
            await self._clock.sleep(waiting.delay_s)
            attempt += 1

    async def warm_up(self) -> None:
        """Prepare the inner model."""
        await self._inner.warm_up()

    async def close(self) -> None:
        """Release the inner model's connections."""
        await self._inner.close()

    def _plan(self, failure: ModelError, attempt: int) -> RetryWaiting:
        """Return the wait before the next attempt.

        Raises:
            ModelError: There is no next attempt.
        """
        allowed = self._policy.attempts_for(failure.kind)
        if attempt >= allowed:
            raise _gave_up(failure, attempt) from failure
        asked = failure.retry_after_s
        if asked is not None and asked > self._policy.max_retry_after_s:
            raise _wait_too_long(failure, asked) from failure
        return RetryWaiting(
            attempt=attempt,
            max_attempts=allowed,
            delay_s=asked or self._own_delay_s(attempt),
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
