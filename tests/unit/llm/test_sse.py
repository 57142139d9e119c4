"""Server-sent events, whatever the pieces they come in."""

from collections.abc import AsyncGenerator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.llm.providers import sse
from pilotfish.llm.providers.sse import EventTooLongError, NotEventsError, data_of_events


async def read(stream: bytes, size: int = 7) -> list[str]:
    """Return the data of a stream that comes in pieces of ``size`` bytes."""

    async def pieces() -> AsyncGenerator[bytes, None]:
        for at in range(0, len(stream), size):
            yield stream[at : at + size]

    return [data async for data in data_of_events(pieces())]


@given(st.lists(st.text(max_size=12), max_size=6), st.integers(1, 9))
async def test_events_are_cut_at_line_feeds_alone(texts: list[str], size: int) -> None:
    lines = [text.replace("\n", "").strip() for text in texts]
    stream = "".join(f"data: {line}\n\n" for line in lines).encode("utf-8", "replace")
    assert await read(stream, size) == [line.encode("utf-8", "replace").decode() for line in lines]


@pytest.mark.parametrize(
    ("stream", "data"),
    [
        (b'event: x\ndata: {"a":\ndata: 1}\nid: 3\n\n', ['{"a":\n1}']),
        (b"data: one\r\n\r\ndata: two\r\n\r\n", ["one", "two"]),
        (b"data:close\n\ndata: no end", ["close", "no end"]),
        (b": alive\n\ndata: x\n\n", ["", "x"]),
        (b"data: x\n\nnoise\n\ndata: y\n\n", ["x", "y"]),
        (b"noise\ndata: y\n\n", ["y"]),
        (b"", []),
        (b"\n\n\n", []),
    ],
)
async def test_the_data_of_events_is_found(stream: bytes, data: list[str]) -> None:
    for size in (1, 7, 1000):
        assert await read(stream, size) == data


@pytest.mark.parametrize("stream", [b"<html>\nx", b"no healthy upstream", b'{"a":\n1}\n'])
async def test_something_else_is_told_with_its_beginning(stream: bytes) -> None:
    with pytest.raises(NotEventsError) as raised:
        await read(stream)
    assert raised.value.beginning.startswith(stream[:5])


async def test_something_else_without_end_is_not_read_to_its_end() -> None:
    taken = 0

    async def pieces() -> AsyncGenerator[bytes, None]:
        nonlocal taken
        while True:
            taken += 1
            yield b"<p>\n" * 100

    with pytest.raises(NotEventsError):
        async for _ in data_of_events(pieces()):
            pass
    assert taken < 20


async def test_an_event_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "MAX_EVENT_BYTES", 100)
    for stream in (b"data: " + b"x" * 200, b"data: 12345678\n" * 20):
        with pytest.raises(EventTooLongError):
            await read(stream)


async def test_what_it_reads_is_closed_with_it() -> None:
    closed: list[bool] = []

    async def pieces() -> AsyncGenerator[bytes, None]:
        try:
            yield b"data: 1\n\ndata: 2\n\n"
        finally:
            closed.append(True)

    events = data_of_events(pieces())
    assert await anext(events) == "1"
    await events.aclose()
    assert closed == [True]
