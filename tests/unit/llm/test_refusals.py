"""What people are told when a model call fails."""

import errno
import socket
import ssl

import pytest
from httpx2 import HTTPError, ReadError, RemoteProtocolError
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.llm.errors import ModelErrorKind
from pilotfish.llm.providers.anthropic_endpoint import MESSAGES_API
from pilotfish.llm.providers.connection import from_connection_failure
from pilotfish.llm.providers.endpoint import Endpoint, redact, shown_url
from pilotfish.llm.providers.refusals import Refusal, from_refusal, retry_after_s

KEY = "sk-ant-secret-0123456789"
VENDOR = Endpoint(
    base_url="https://api.anthropic.com",
    key_source="ANTHROPIC_API_KEY",
    keys=(KEY,),
    secrets=(KEY,),
    is_default=True,
    dialect=MESSAGES_API,
)
LOCAL = Endpoint(
    base_url="http://user:hunter2@127.0.0.1:8080/v1?token=t0ken",
    key_source="",
    keys=(),
    secrets=("hunter2",),
    is_default=False,
    dialect=MESSAGES_API,
)


def refusal(status: int, message: str = "", error_type: str = "x") -> Refusal:
    body = {"type": "error", "error": {"type": error_type, "message": message}}
    return Refusal(status=status, body=body, headers={"request-id": "req_1"})


@pytest.mark.parametrize(
    ("status", "said", "kind"),
    [
        (400, "messages: at least one message is required", "invalid_request"),
        (400, "prompt is too long: 205000 tokens > 200000 maximum", "prompt_too_long"),
        (400, "input length and `max_tokens` exceed context limit", "prompt_too_long"),
        (400, "the request exceeds the available context size", "prompt_too_long"),
        (500, "Context window exceeded: too many tokens", "prompt_too_long"),
        (400, "Your credit balance is too low", "permission"),
        (401, "invalid x-api-key", "authentication"),
        (402, "billing", "permission"),
        (403, "not allowed", "permission"),
        (404, "model: claude-nope", "not_found"),
        (405, "", "not_found"),
        (408, "", "timeout"),
        (413, "Request exceeds the maximum size", "prompt_too_long"),
        (418, "", "invalid_request"),
        (422, "", "invalid_request"),
        (429, "slow down", "rate_limit"),
        (500, "Internal server error", "server"),
        (502, "", "server"),
        (503, "", "overloaded"),
        (529, "Overloaded", "overloaded"),
    ],
)
def test_every_status_has_its_kind_a_message_and_a_hint(
    status: int, said: str, kind: ModelErrorKind
) -> None:
    error = from_refusal(refusal(status, said), VENDOR, "claude-x")
    assert error.kind == kind
    assert error.status == status
    assert error.request_id == "req_1"
    assert str(status) in error.message
    assert error.hint
    assert "{" not in str(error)


@pytest.mark.parametrize(
    "said",
    [
        "Input is too long for requested model.",
        "The input token count (1100000) exceeds the maximum number of tokens allowed (1048575).",
        "prompt token count of 130000 exceeds the limit of 128000",
        "Invalid request: Your request exceeded model token limit: 262144",
        "Total message token length exceed model limit (8192 tokens).",
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096.",
        "Please reduce the length of the messages or completion.",
        "Range of input length should be [1, 30720]",
        "Prompt exceeds max length",
        "The prompt does not fit into the model's context.",
    ],
)
def test_a_prompt_that_does_not_fit_is_known_in_the_words_of_many_servers(said: str) -> None:
    assert from_refusal(refusal(400, said), VENDOR, "m").kind == "prompt_too_long"


@pytest.mark.parametrize(
    "said", ["Too many tokens, please wait.", "max tokens per minute exceeded"]
)
def test_a_limit_per_minute_is_no_prompt_that_does_not_fit(said: str) -> None:
    assert from_refusal(refusal(429, said), VENDOR, "m").kind == "rate_limit"


@pytest.mark.parametrize(
    "said",
    [
        "max_tokens: 200000 exceeds the model's output limit of 64000",
        "max_tokens is too large: this model supports at most 4096 completion tokens",
        "tools.3.name: string is too long",
    ],
)
def test_other_limits_are_no_prompt_that_does_not_fit(said: str) -> None:
    assert from_refusal(refusal(400, said), VENDOR, "m").kind == "invalid_request"


def test_an_error_in_a_list_is_one() -> None:
    body = [{"error": {"code": 400, "message": "The input token count (5) exceeds the maximum"}}]
    error = from_refusal(Refusal(status=400, body=body, headers={}), LOCAL, "m")
    assert error.kind == "prompt_too_long"
    assert "The input token count (5)" in error.message


def test_a_wrong_key_names_where_it_came_from_and_never_the_key() -> None:
    error = from_refusal(refusal(401, f"invalid x-api-key {KEY}"), VENDOR, "m")
    assert "ANTHROPIC_API_KEY" in error.message
    assert "ANTHROPIC_API_KEY" in error.hint
    assert KEY not in str(error)


def test_a_missing_key_is_told_apart_from_a_wrong_one() -> None:
    error = from_refusal(refusal(401), LOCAL, "m")
    assert "none is configured" in error.message
    assert "ANTHROPIC_API_KEY" in error.hint


def test_an_unknown_model_is_named_with_the_way_to_choose_another() -> None:
    error = from_refusal(refusal(404, "model: claude-nope"), VENDOR, "claude-nope")
    assert "claude-nope" in error.message
    assert "pilotfish.model.name" in error.hint


def test_a_wrong_path_points_to_the_base_url() -> None:
    error = from_refusal(Refusal(status=404, body="<html>", headers={}), LOCAL, "m")
    assert "/v1/v1/messages does not exist" in error.message
    assert "Leave out the /v1" in error.hint


def test_the_servers_own_words_are_passed_on_in_one_short_line() -> None:
    error = from_refusal(refusal(400, "first\nsecond " + "x" * 2_000), VENDOR, "m")
    assert "first second" in error.message
    assert len(error.message) < 700


def test_a_server_that_validates_is_quoted_with_the_fields() -> None:
    body = {
        "detail": [
            {"loc": ["body", "messages", 0], "msg": "field required", "type": "missing"},
            {"msg": "no tools here"},
            "and more",
            "not told",
        ]
    }
    error = from_refusal(Refusal(status=422, body=body, headers={}), LOCAL, "m")
    assert error.message.endswith(
        "(422): body.messages.0: field required; no tools here; and more."
    )
    assert "message says what" in error.hint


def test_a_server_that_says_nothing_is_not_quoted() -> None:
    error = from_refusal(Refusal(status=418, body="", headers={}), LOCAL, "m")
    assert error.message.endswith("rejected the request (418).")
    assert error.hint.startswith("The server does not say why")


@pytest.mark.parametrize("status", [400, 403])
def test_a_page_from_somebody_on_the_way_is_told_as_such(status: int) -> None:
    error = from_refusal(Refusal(status=status, body="<html>", headers={}), VENDOR, "m")
    assert "A proxy, a firewall" in error.hint
    assert "ANTHROPIC_BASE_URL" in error.hint


@pytest.mark.parametrize("body", [None, "", "<html><body>nginx</body></html>", [], {"error": 1}, 3])
def test_bodies_of_any_shape_are_survived(body: object) -> None:
    error = from_refusal(Refusal(status=502, body=body, headers={}), VENDOR, "m")
    assert error.kind == "server"
    assert "<html" not in error.message


def connection_error(cause: BaseException) -> RuntimeError:
    outer = RuntimeError("Connection error.")
    middle = OSError("All connection attempts failed")
    middle.__cause__ = cause
    outer.__cause__ = middle
    return outer


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "refused"), "Nothing answers at http://"),
        (socket.gaierror(-2, "Name or service not known"), "could not be found"),
        (ssl.SSLCertVerificationError("self-signed certificate"), "No secure connection"),
        (
            ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number"),
            "No secure connection",
        ),
        (OSError(errno.ENETUNREACH, "Network is unreachable"), "Network is unreachable"),
        (
            ExceptionGroup("all", [OSError("v6"), ConnectionRefusedError(111, "refused")]),
            "Nothing answers at http://",
        ),
    ],
)
def test_connection_failures_say_what_happened_and_what_to_do(
    cause: BaseException, said: str
) -> None:
    error = from_connection_failure(connection_error(cause), LOCAL)
    assert error.kind == "connection"
    assert said in error.message
    assert error.hint
    assert "hunter2" not in str(error)
    assert "t0ken" not in str(error)


@pytest.mark.parametrize("cause", [RemoteProtocolError, ReadError])
def test_a_server_that_closes_the_connection_was_reached(cause: type[HTTPError]) -> None:
    error = from_connection_failure(connection_error(cause("Server disconnected")), LOCAL)
    assert "took the request and closed the connection: Server disconnected." in error.message
    assert "its log" in error.hint


def test_a_server_without_tls_is_no_matter_of_trust() -> None:
    said = from_connection_failure(
        connection_error(ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] x")), LOCAL
    )
    assert "begins with http://" in said.hint
    trust = ssl.SSLCertVerificationError("self-signed certificate")
    assert "SSL_CERT_FILE" in from_connection_failure(connection_error(trust), LOCAL).hint


def test_a_loop_of_causes_ends() -> None:
    error = RuntimeError("a")
    other = RuntimeError("b")
    error.__cause__, other.__cause__ = other, error
    assert from_connection_failure(error, VENDOR).kind == "connection"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        (
            {
                "retry-after": "Wed, 21 Oct 2026 07:28:30 GMT",
                "date": "Wed, 21 Oct 2026 07:28:00 GMT",
            },
            30.0,
        ),
        ({"retry-after": "Wed, 21 Oct 2026 07:28:30 GMT"}, None),
    ],
)
def test_reads_how_long_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers) == seconds


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://user:pw@host:8080/a?k=v#f", "http://host:8080/a"),
        ("http://[::1]:80/", "http://[::1]:80"),
        ("http://user:pw@host:abc/?k=v", "http://host:abc/"),
        ("localhost:8080", "localhost:8080"),
    ],
)
def test_addresses_are_shown_without_secrets(url: str, shown: str) -> None:
    assert shown_url(url) == shown


@given(st.text(), st.text(min_size=8), st.text())
def test_no_secret_survives_redaction(before: str, secret: str, after: str) -> None:
    if secret in "[redacted]":
        return
    redacted = redact(before + secret + after, (secret,))
    assert secret not in redacted.replace("[redacted]", "\n\n") or secret.isspace()


def test_keys_are_recognised_by_their_shape_too() -> None:
    text = redact("bad key sk-ant-api03-abcdefgh, Bearer abc.def", ())
    assert "abcdefgh" not in text
    assert "abc.def" not in text
