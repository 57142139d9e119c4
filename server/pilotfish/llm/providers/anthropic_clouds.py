"""The SDK's clients for Bedrock, Vertex and Foundry.

Owns: building one, signing in, sending, and the framing of Bedrock's stream. Part of the adapter of the SDK
(``anthropic``), which reads the events and turns refusals into ours.
Does not own: addresses and names (``cloud_endpoint``), what can be told before (``llm.check_choice``).

The clients rewrite path and body of a call, which they do only for a body that is an object. They
copy it, so that the cached history stays as it is. The clouds' own packages are extras without types and
are loaded by name.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from pilotfish.llm.errors import ModelError
from pilotfish.llm.providers.cloud_endpoint import CloudSettings
from pilotfish.llm.providers.connection import from_connection_failure
from pilotfish.llm.providers.endpoint import USER_AGENT, redact, without_user_info
from pilotfish.llm.providers.history_cache import Wire
from pilotfish.llm.providers.sdk_client import patience

if TYPE_CHECKING:
    from anthropic import AsyncAnthropicFoundry, AsyncStream
    from anthropic.lib.bedrock import AsyncAnthropicBedrock
    from anthropic.lib.vertex import AsyncAnthropicVertex
    from anthropic.types import RawMessageStreamEvent
    from httpx2 import AsyncClient, Response, Timeout

    CloudClient: TypeAlias = AsyncAnthropicBedrock | AsyncAnthropicVertex | AsyncAnthropicFoundry


class _Common(TypedDict):
    """What every client is built with."""

    base_url: str
    timeout: "Timeout"
    max_retries: int
    http_client: "AsyncClient"
    default_headers: Mapping[str, str]


GOOGLE_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
"""What a Google account must let us do."""


def build_cloud_client(cloud: CloudSettings, idle_timeout_s: float) -> "CloudClient":
    """Load the SDK, look for credentials and make a client. Slow; runs in a thread.

    Raises:
        ModelError: Nobody is signed in, or the credentials cannot be read.
    """
    from anthropic import AsyncAnthropicFoundry, DefaultAsyncHttpxClient
    from anthropic.lib.bedrock import AsyncAnthropicBedrock
    from anthropic.lib.vertex import AsyncAnthropicVertex

    timeout = patience(idle_timeout_s)
    common = _Common(
        base_url=without_user_info(cloud.address),
        timeout=timeout,
        max_retries=0,
        http_client=DefaultAsyncHttpxClient(timeout=timeout, follow_redirects=False),
        default_headers={"User-Agent": USER_AGENT},
    )
    match cloud.name:
        case "bedrock":
            if not cloud.key:
                _require_aws_credentials(cloud)
            _load_frames()
            return AsyncAnthropicBedrock(
                api_key=cloud.key or None,
                aws_region=cloud.region,
                aws_profile=None if cloud.key else cloud.profile or None,
                **common,
            )
        case "vertex":
            return AsyncAnthropicVertex(
                region=cloud.region,
                project_id=cloud.project,
                credentials=_google_credentials(cloud),
                **common,
            )
        case "foundry":
            return AsyncAnthropicFoundry(api_key=cloud.key, **common)


async def post_to_cloud(
    client: "CloudClient", params: Wire
) -> "AsyncStream[RawMessageStreamEvent]":
    """Send a call whose reply is streamed."""
    from anthropic import AsyncStream
    from anthropic.types import Message, RawMessageStreamEvent

    return await client.post(
        "/v1/messages",
        cast_to=Message,
        body={**params, "stream": True},
        stream=True,
        stream_cls=AsyncStream[RawMessageStreamEvent],
    )


async def post_to_cloud_whole(client: "CloudClient", params: Wire, timeout_s: float) -> "Response":
    """Send a call whose reply comes in one piece."""
    from httpx2 import Response  # noqa: PLC0415 - loads with the SDK, never before it

    return await client.post(
        "/v1/messages", cast_to=Response, body=params, options={"timeout": timeout_s}
    )


async def bedrock_events(response: "Response") -> AsyncGenerator[str, None]:
    """Yield the data of each event of Bedrock's binary stream.

    Raises:
        HTTPError: A frame is damaged.
    """
    from anthropic.lib.bedrock._stream_decoder import AWSEventStreamDecoder
    from httpx2 import RemoteProtocolError  # noqa: PLC0415 - loads with the SDK, never before it

    damaged: Any = import_module("botocore.eventstream").ParserError
    try:
        async with aclosing(response.aiter_bytes()) as pieces:
            async for sse in AWSEventStreamDecoder().aiter_bytes(pieces):
                yield sse.data
    except damaged as error:
        raise RemoteProtocolError(f"a frame is damaged: {error}") from None


def sign_in_errors(cloud: CloudSettings | None) -> tuple[type[Exception], ...]:
    """Return what a cloud's own package raises when a request cannot be signed."""
    if cloud is None or cloud.key:
        return ()
    if cloud.name == "bedrock":
        return (import_module("botocore.exceptions").BotoCoreError,)
    return (import_module("google.auth.exceptions").GoogleAuthError,)


def not_signed_in(cloud: CloudSettings, error: Exception | None = None) -> ModelError:
    """Say that a request cannot be signed."""
    endpoint = cloud.endpoint()
    said = " ".join(redact(str(error or ""), endpoint.secrets).split())[:300].rstrip(".")
    return ModelError(
        "not_configured",
        f"Nobody is signed in to {endpoint.vendor}: {said}."
        if said
        else f"Nobody is signed in to {endpoint.vendor}.",
        hint=f"Set {endpoint.dialect.key_settings}, then start the server again.",
    )


def _load_frames() -> None:
    """Read the description of Bedrock's stream now: it takes long, and is kept."""
    from anthropic.lib.bedrock._stream_decoder import get_response_stream_shape

    get_response_stream_shape()


def _require_aws_credentials(cloud: CloudSettings) -> None:
    boto3: Any = import_module("boto3")
    failed: Any = import_module("botocore.exceptions").BotoCoreError

    try:
        session: Any = boto3.Session(profile_name=cloud.profile or None, region_name=cloud.region)
        found: object = session.get_credentials()
    except failed as error:
        raise not_signed_in(cloud, error) from None
    if found is None:
        raise not_signed_in(cloud)


def _google_credentials(cloud: CloudSettings) -> Any:
    auth: Any = import_module("google.auth")
    exceptions: Any = import_module("google.auth.exceptions")

    try:
        credentials: Any = auth.default(scopes=[GOOGLE_SCOPE])[0]
    except exceptions.TransportError as error:
        raise from_connection_failure(error, cloud.endpoint()) from None
    except exceptions.GoogleAuthError as error:
        raise not_signed_in(cloud, error) from None
    return credentials
