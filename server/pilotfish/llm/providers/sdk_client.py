"""What the vendors' SDKs have in common for us: they are slow to load and raise errors of one shape.

Owns: loading an SDK and building its client in a thread at its first use, playing one call ahead,
turning its errors into ours.
Does not own: the SDKs themselves: each adapter hands its own classes in.
"""

import asyncio
import logging
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, cast

from pilotfish.llm.errors import ModelError
from pilotfish.llm.providers.connection import (
    from_connection_failure,
    timed_out,
    unusable_base_url,
    unusable_client,
)
from pilotfish.llm.providers.endpoint import Endpoint, is_http_url
from pilotfish.llm.providers.refusals import Refusal, from_refusal
from pilotfish.llm.providers.responses import headers_of
from pilotfish.util.records import dataclass

if TYPE_CHECKING:
    from types import ModuleType

    from httpx2 import AsyncClient, Response, Timeout

logger = logging.getLogger(__name__)

CONNECT_TIMEOUT_S = 10.0
"""Longest wait for a connection."""

WRITE_TIMEOUT_S = 60.0
"""Longest standstill while a request is sent."""


class Closable(Protocol):
    """A client that holds connections."""

    async def close(self) -> None:
        """Release them."""
        ...


ClientT = TypeVar("ClientT", bound=Closable)


class _StatusError(Protocol):
    """What the SDKs raise when a server answers with an error."""

    status_code: int
    body: object
    response: "Response"


@dataclass(frozen=True, kw_only=True, slots=True)
class SdkErrors:
    """The classes of one SDK."""

    status: type[Exception]
    """The server answered with an error."""
    connection: type[Exception]
    """It could not be reached."""


class LazyClient(Generic[ClientT]):
    """An SDK's client, built at its first use."""

    def __init__(self, build: Callable[[], ClientT]) -> None:
        """Prepare; ``build`` is slow, runs in a thread and raises ``ModelError``."""
        self._build = build
        self._client: ClientT | None = None
        self._building = asyncio.Lock()

    async def ready(self) -> ClientT:
        """Return the client.

        Raises:
            ModelError: It cannot be built.
        """
        if self._client is not None:
            return self._client
        async with self._building:
            if self._client is None:
                self._client = await asyncio.to_thread(self._build)
        return self._client

    async def warm_up(self) -> None:
        """Build the client; failures are left to the first call."""
        try:
            await self.ready()
        except ModelError as error:
            logger.info("model client not ready: %s", error)

    async def close(self) -> None:
        """Release all connections; the next use builds another client."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()


def build_for(endpoint: Endpoint, make: Callable[[], ClientT]) -> ClientT:
    """Make a client. Slow; runs in a thread.

    Raises:
        ModelError: The base URL is no address, or the SDK cannot work here.
    """
    if not is_http_url(endpoint.base_url):
        raise unusable_base_url(endpoint.base_url, endpoint.dialect)
    try:
        return make()
    except (ImportError, OSError, ValueError) as error:
        # A damaged installation, a certificate file that is not there, a proxy that is no address.
        raise unusable_client(endpoint, error) from None


@contextmanager
def without_module(name: str) -> Generator[None]:
    """Keep an optional module of a library from being loaded with it.

    The library must go on without it, as it does where what the module needs is not installed. Nothing
    happens where it is loaded already.
    """
    if name in sys.modules:
        yield
        return
    # None stands for a module that cannot be imported.
    sys.modules[name] = cast("ModuleType", None)
    try:
        yield
    finally:
        # Another thread may have put it back before.
        sys.modules.pop(name, None)


def patience(idle_timeout_s: float) -> "Timeout":
    """Return a client's limits. Silence is the watchdog's business; these only have to be longer."""
    from httpx2 import Timeout  # noqa: PLC0415 - loads with the SDKs, never before them

    return Timeout(2 * idle_timeout_s, connect=CONNECT_TIMEOUT_S, write=WRITE_TIMEOUT_S)


def rehearse(play: Callable[["AsyncClient"], Awaitable[None]]) -> None:
    """Play one call without a network, so that the first real one finds everything loaded.

    The SDKs and what is below them load and compute many things at first use, some 20 ms in all.
    """
    import anyio  # noqa: PLC0415 - as in patience
    import httpx2  # noqa: PLC0415 - as in patience

    def answer(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, text=": x\n\n")

    async def call() -> None:
        async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as stand_in:
            await play(stand_in)

    # Also loads the backend that connections use.
    anyio.run(call)


@asynccontextmanager
async def failures_told(
    endpoint: Endpoint, model: str, timeout_s: float, errors: SdkErrors
) -> AsyncGenerator[None]:
    """Turn what goes wrong with a request, up to its answer, into our errors."""
    try:
        async with asyncio.timeout(timeout_s):
            yield
    except TimeoutError:
        raise timed_out(endpoint, timeout_s) from None
    except errors.status as error:
        refused = from_refusal(_refusal(cast("_StatusError", error)), endpoint, model)
        logger.info("model call refused: %s, request %s", refused.kind, refused.request_id)
        # The cause holds the request with its key: it must not travel into logs.
        raise refused from None
    except errors.connection as error:
        raise from_connection_failure(error, endpoint) from None


def _refusal(error: _StatusError) -> Refusal:
    return Refusal(
        status=error.status_code,
        body=_with_error(error.body),
        headers=headers_of(error.response),
    )


def _with_error(body: object) -> object:
    """Return an answer as the server wrote it: one SDK takes the outermost "error" off."""
    wrapped: object = {"error": body}
    if not isinstance(body, dict):
        return wrapped
    told = cast(dict[str, object], body)
    return told if "error" in told else wrapped
