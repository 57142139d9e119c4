"""Frames are read whole, oversized ones are skipped, and a client that does not read blocks nobody."""

import io
import json
import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.edges.lsp import framing
from pilotfish.edges.lsp.framing import (
    ConnectionClosed,
    Malformed,
    read_frame,
    write_frame,
)
from pilotfish.edges.output import OutputWriter
from pilotfish.edges.oversized import Oversized

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)


def framed(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


@given(st.lists(st.dictionaries(st.text(max_size=5), JSON, max_size=4), max_size=4))
def test_what_was_written_is_read(messages: list[dict[str, object]]) -> None:
    stream = io.BytesIO()
    for message in messages:
        write_frame(stream, json.dumps(message).encode())
    stream.seek(0)
    assert [read_frame(stream) for _ in messages] == messages
    with pytest.raises(ConnectionClosed):
        read_frame(stream)


@pytest.mark.parametrize("body", [b"{", b"[1]", b'"x"', b"\xff\xfe"])
def test_what_is_no_object_is_malformed_and_the_next_frame_is_read(body: bytes) -> None:
    stream = io.BytesIO(framed(body) + framed(b'{"a":1}'))
    assert isinstance(read_frame(stream), Malformed)
    assert read_frame(stream) == {"a": 1}


def test_an_oversized_message_is_skipped_and_its_id_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framing, "MAX_MESSAGE_BYTES", 10_000)
    params = {"sessionId": "20260101-abc", "prompt": "z" * 20_000}
    big = json.dumps({"jsonrpc": "2.0", "id": 'a"b', "method": "x/y", "params": params})
    stream = io.BytesIO(framed(big.encode()) + framed(b'{"a":1}'))
    found = read_frame(stream)
    known = Oversized(size_bytes=len(big), id='a"b', method="x/y", session_id="20260101-abc")
    assert found == known
    assert known.report == (
        f"session 20260101-abc: x/y has {len(big):,} bytes; the limit is 10,485,760."
    )
    assert read_frame(stream) == {"a": 1}


@pytest.mark.parametrize(
    "headers", [b"Content-Length: many\r\n\r\n", b"Content-Length: 5\r\n\r\nab"]
)
def test_a_stream_that_makes_no_sense_counts_as_closed(headers: bytes) -> None:
    with pytest.raises(ConnectionClosed):
        read_frame(io.BytesIO(headers))


def test_writing_to_a_client_that_does_not_read_returns_at_once_until_it_counts_as_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pilotfish.edges.output.MAX_UNSENT_BYTES", 1_000_000)
    read_end, write_end = os.pipe()
    lost = threading.Event()
    with os.fdopen(write_end, "wb", buffering=0) as stream:
        writer = OutputWriter(stream, write_frame, lost.set)
        for _ in range(15):
            writer.write(b"x" * 100_000)
        assert lost.wait(5)
        os.close(read_end)
        writer.close(5)
