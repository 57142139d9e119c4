"""What arrives from outside harms neither the connection nor the conversation."""

import base64
import io

import pytest
from pilotfish.core.errors import SessionError
from pilotfish.core.messages import ImageBlock
from pilotfish.edges.content import parts_from_acp
from pilotfish.edges.lsp import framing
from pilotfish.edges.lsp.framing import Malformed, read_frame
from pilotfish.edges.oversized import Oversized, oversized

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


def framed(body: bytes) -> io.BytesIO:
    return io.BytesIO(b"Content-Length: %d\r\n\r\n" % len(body) + body)


@pytest.mark.parametrize("body", [b"[" * 200_000, b'{"a":' * 200_000], ids=["lists", "objects"])
def test_a_message_nested_without_end_is_malformed_and_no_more(body: bytes) -> None:
    stream = framed(body)
    assert isinstance(read_frame(stream), Malformed)
    assert stream.read() == b""


@pytest.mark.parametrize("text", [b'"\\q"', b'"\\ud8"'], ids=["escape", "cut"])
def test_an_oversized_message_with_an_unreadable_id_is_skipped(
    monkeypatch: pytest.MonkeyPatch, text: bytes
) -> None:
    monkeypatch.setattr(framing, "MAX_MESSAGE_BYTES", 10_000)
    frame = read_frame(framed(b'{"id":' + text + b',"method":"x"' + b" " * 10_000 + b"}"))
    assert isinstance(frame, Oversized)
    assert frame.id is None


@pytest.mark.parametrize("name", [b"a\\nforged line", b"a\nforged line", b"x" * 200, b""])
def test_a_made_up_session_of_an_oversized_message_forges_no_line_of_the_log(name: bytes) -> None:
    found = oversized(b'{"id":1,"params":{"sessionId":"' + name + b'"', 11_000_000)
    assert found.report.startswith("session unknown: ")


def image(data: str, media_type: str = "image/png") -> dict[str, str]:
    return {"type": "image", "mimeType": media_type, "data": data}


@pytest.mark.parametrize(
    "data",
    ["", "!!!", "AAA", base64.b64encode(b"<svg onload=x>").decode(), "é"],
    ids=["empty", "no base64", "cut", "no image", "no ASCII"],
)
def test_what_is_no_image_does_not_get_into_the_conversation(data: str) -> None:
    with pytest.raises(SessionError, match=r"prompt\[0\]: the data is no image"):
        parts_from_acp([image(data)])


def test_an_image_is_labelled_as_what_it_is() -> None:
    data = base64.b64encode(PNG).decode()
    assert parts_from_acp([image(data, "image/jpeg")]).content == [
        ImageBlock(media_type="image/png", data=data)
    ]
