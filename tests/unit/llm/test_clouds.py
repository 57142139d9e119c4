"""Bedrock, Vertex and Foundry against a local HTTP server: no network."""

import json
from base64 import b64encode
from binascii import crc32
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from struct import pack
from typing import Any

import pytest
from aiohttp import web
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from pilotfish.config.model_section import ModelSettings
from pilotfish.core.messages import TextBlock
from pilotfish.llm.access import access_from
from pilotfish.llm.choose import ProviderChoice, Wanted, choose_provider
from pilotfish.llm.errors import ModelError
from pilotfish.llm.events import ReplyCompleted
from pilotfish.llm.providers.anthropic import AnthropicModel
from pilotfish.llm.providers.anthropic_endpoint import AnthropicSettings
from pilotfish.llm.providers.cloud_endpoint import CloudSettings

from tests.support.fake_clock import FakeClock
from tests.support.model_requests import blocks, collect, model_request, of_type

MODEL = "eu.anthropic.claude-haiku-4-5-20251001-v1:0"
EVENTS: list[dict[str, Any]] = [
    {"type": "message_start", "message": {"id": "m", "model": "x", "usage": {"input_tokens": 9}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "From a "}},
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": "cloud 🐟"},
    },
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn"},
        "usage": {"output_tokens": 4},
    },
    {"type": "message_stop"},
]


def frame(payload: bytes, **headers: str) -> bytes:
    """Encode one message of Amazon's event stream."""
    head = b"".join(
        pack("!B", len(name)) + name.encode() + pack("!BH", 7, len(value)) + value.encode()
        for name, value in ((key.replace("_", "-"), value) for key, value in headers.items())
        for name in (f":{name}",)
    )
    prelude = pack("!II", 16 + len(head) + len(payload), len(head))
    message = prelude + pack("!I", crc32(prelude)) + head + payload
    return message + pack("!I", crc32(message))


def bedrock_frames() -> bytes:
    return b"".join(
        frame(
            json.dumps({"bytes": b64encode(json.dumps(event).encode()).decode()}).encode(),
            message_type="event",
            event_type="chunk",
            content_type="application/json",
        )
        for event in EVENTS
    )


def server_sent() -> bytes:
    return b"".join(
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in EVENTS
    )


@dataclass
class Cloud:
    """A server that keeps what it is sent."""

    url: str = ""
    status: int = 200
    content_type: str = "text/event-stream"
    answer: bytes = b""
    seen: list[tuple[str, dict[str, str], dict[str, Any]]] = field(
        default_factory=list[tuple[str, dict[str, str], dict[str, Any]]]
    )

    async def handle(self, request: web.Request) -> web.Response:
        if request.path == "/token":
            return web.json_response({"access_token": "google-token", "expires_in": 3600})
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.seen.append((request.path, headers, await request.json()))
        return web.Response(
            status=self.status, body=self.answer, headers={"content-type": self.content_type}
        )


@pytest.fixture
async def cloud() -> AsyncIterator[Cloud]:
    made = Cloud()
    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", made.handle)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield made
    await runner.cleanup()


@pytest.fixture(autouse=True)
def nobody_is_signed_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_PROFILE", "AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("NO_GCE_CHECK", "true")


def choose(provider: str, environment: dict[str, str], model: str = "") -> ProviderChoice:
    wanted = Wanted(
        access=access_from({"PILOTFISH_PROVIDER": provider, **environment}),
        settings=ModelSettings(),
        model=model,
    )
    return choose_provider(wanted, clock=FakeClock(auto_advance=True))


def bedrock(cloud: Cloud, **environment: str) -> ProviderChoice:
    return choose(
        "bedrock",
        {"AWS_REGION": "eu-west-1", "ANTHROPIC_BEDROCK_BASE_URL": cloud.url, **environment},
        MODEL,
    )


async def text_of(choice: ProviderChoice) -> str:
    choice.require_usable()
    model = choice.build()
    try:
        events = await collect(model, model_request(model=choice.model))
    finally:
        await model.close()
    (done,) = of_type(events, ReplyCompleted)
    assert (done.stop_reason, done.usage.input_tokens, done.usage.output_tokens) == (
        "end_turn",
        9,
        4,
    )
    (block,) = blocks(events)
    assert isinstance(block, TextBlock)
    return block.text


async def failure_of(choice: ProviderChoice) -> ModelError:
    model = choice.build()
    try:
        with pytest.raises(ModelError) as caught:
            await collect(model, model_request(model=choice.model))
    finally:
        await model.close()
    return caught.value


async def test_bedrock_signs_and_reads_binary_frames(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIATEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    cloud.answer, cloud.content_type = bedrock_frames(), "application/vnd.amazon.eventstream"
    assert await text_of(bedrock(cloud)) == "From a cloud 🐟"
    ((path, headers, body),) = cloud.seen
    assert path == f"/model/{MODEL}/invoke-with-response-stream"
    assert headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIATEST/")
    assert "/eu-west-1/bedrock/aws4_request" in headers["authorization"]
    assert body["anthropic_version"]
    assert not {"model", "stream"} & set(body)
    assert body["messages"][-1]["role"] == "user"


async def test_bedrock_takes_a_bearer_token(cloud: Cloud) -> None:
    cloud.answer, cloud.content_type = bedrock_frames(), "application/vnd.amazon.eventstream"
    assert await text_of(bedrock(cloud, AWS_BEARER_TOKEN_BEDROCK="bearer-1")) == "From a cloud 🐟"
    assert cloud.seen[0][1]["authorization"] == "Bearer bearer-1"


async def test_bedrock_errors_before_and_in_the_stream(cloud: Cloud) -> None:
    cloud.status, cloud.content_type = 403, "application/json"
    cloud.answer = b'{"message": "The token bearer-1 has no access to the model."}'
    refused = await failure_of(bedrock(cloud, AWS_BEARER_TOKEN_BEDROCK="bearer-1"))
    assert refused.kind == "permission"
    assert "no access to the model" in refused.message
    assert "bearer-1" not in f"{refused.message} {refused.hint}"

    cloud.status, cloud.content_type = 200, "application/vnd.amazon.eventstream"
    cloud.answer = frame(
        b'{"message": "Input is malformed."}',
        message_type="exception",
        exception_type="validationException",
        content_type="application/json",
    )
    malformed = await failure_of(bedrock(cloud, AWS_BEARER_TOKEN_BEDROCK="bearer-1"))
    assert (malformed.kind, malformed.status) == ("invalid_request", 400)
    assert "Input is malformed." in malformed.message


async def test_a_damaged_frame_is_a_broken_stream(cloud: Cloud) -> None:
    frames = bytearray(bedrock_frames())
    frames[40] ^= 0xFF
    cloud.answer, cloud.content_type = bytes(frames), "application/vnd.amazon.eventstream"
    settings = CloudSettings(name="bedrock", region="eu-west-1", base_url=cloud.url, key="bearer-1")
    model = AnthropicModel(AnthropicSettings(cloud=settings))
    with pytest.raises(ModelError) as caught:
        await collect(model, model_request(model=MODEL))
    await model.close()
    assert caught.value.kind == "stream_broken"
    assert "bearer-1" not in repr(settings)


async def test_bedrock_without_credentials_sends_nothing(cloud: Cloud) -> None:
    failure = await failure_of(bedrock(cloud))
    assert failure.kind == "not_configured"
    assert "AWS_PROFILE" in failure.hint
    assert cloud.seen == []


async def test_vertex_signs_in_and_names_project_and_region(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    account = {
        "type": "service_account",
        "client_email": "pilotfish@example.com",
        "private_key": key.decode(),
        "token_uri": f"{cloud.url}/token",
    }
    file = tmp_path / "account.json"
    file.write_text(json.dumps(account), encoding="utf-8")
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
    cloud.answer = server_sent()
    choice = choose(
        "vertex",
        {
            "CLOUD_ML_REGION": "europe-west1",
            "ANTHROPIC_VERTEX_PROJECT_ID": "my-project",
            "ANTHROPIC_VERTEX_BASE_URL": f"{cloud.url}/v1",
        },
        "haiku",
    )
    assert await text_of(choice) == "From a cloud 🐟"
    ((path, headers, body),) = cloud.seen
    assert path == (
        "/v1/projects/my-project/locations/europe-west1/publishers/anthropic/models/"
        f"{choice.model}:streamRawPredict"
    )
    assert headers["authorization"] == "Bearer google-token"
    assert body["stream"] is True
    assert body["anthropic_version"]
    assert "model" not in body


async def test_vertex_without_credentials_says_how_to_sign_in(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "none.json"))
    failure = await failure_of(
        choose(
            "vertex",
            {
                "CLOUD_ML_REGION": "global",
                "GOOGLE_CLOUD_PROJECT": "p",
                "ANTHROPIC_VERTEX_BASE_URL": cloud.url,
            },
        )
    )
    assert failure.kind == "not_configured"
    assert "gcloud auth application-default login" in failure.hint
    assert cloud.seen == []


async def test_foundry_sends_its_own_key_and_no_other(
    cloud: Cloud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-of-another-vendor")
    cloud.answer = server_sent()
    choice = choose(
        "foundry",
        {
            "ANTHROPIC_FOUNDRY_API_KEY": "foundry-1",
            "ANTHROPIC_FOUNDRY_BASE_URL": f"{cloud.url}/anthropic",
        },
        "my-deployment",
    )
    assert await text_of(choice) == "From a cloud 🐟"
    ((path, headers, body),) = cloud.seen
    assert path == "/anthropic/v1/messages"
    assert headers["api-key"] == headers["x-api-key"] == "foundry-1"
    assert "sk-ant" not in str(headers)
    assert (body["model"], body["stream"]) == ("my-deployment", True)


@pytest.mark.parametrize(
    ("provider", "environment", "says", "way_out"),
    [
        ("bedrock", {}, "wants a region", "AWS_REGION"),
        ("bedrock", {"AWS_REGION": "eu-west-1"}, "No model is named", "Set ANTHROPIC_MODEL"),
        ("vertex", {}, "wants a region", "CLOUD_ML_REGION"),
        ("vertex", {"CLOUD_ML_REGION": "us"}, "wants a project", "ANTHROPIC_VERTEX_PROJECT_ID"),
        ("foundry", {}, "wants a resource", "ANTHROPIC_FOUNDRY_RESOURCE"),
        (
            "foundry",
            {"ANTHROPIC_FOUNDRY_RESOURCE": "r"},
            "wants a key",
            "ANTHROPIC_FOUNDRY_API_KEY",
        ),
        (
            "foundry",
            {"ANTHROPIC_FOUNDRY_BASE_URL": "nowhere", "ANTHROPIC_FOUNDRY_API_KEY": "k"},
            "not an http",
            "ANTHROPIC_FOUNDRY_BASE_URL",
        ),
    ],
)
def test_what_is_missing_is_said_before_the_first_turn(
    provider: str, environment: dict[str, str], says: str, way_out: str
) -> None:
    choice = choose(provider, environment)
    assert choice.provider == provider
    assert choice.problem is not None
    assert says in choice.problem.text
    assert way_out in choice.problem.hint


@pytest.mark.parametrize(("provider", "package"), [("bedrock", "boto3"), ("vertex", "google-auth")])
def test_a_missing_package_is_named(
    monkeypatch: pytest.MonkeyPatch, provider: str, package: str
) -> None:
    def nothing(_: str) -> None:
        return None

    monkeypatch.setattr("importlib.util.find_spec", nothing)
    problem = choose(provider, {}).problem
    assert problem is not None
    assert package in problem.text
    assert "-m pip install" in problem.hint


def test_a_cloud_is_used_only_where_it_is_named() -> None:
    signed_in = {"AWS_REGION": "eu-west-1", "AWS_BEARER_TOKEN_BEDROCK": "b"}
    assert choose("", signed_in).provider == "demo"
