"""The real client meets errors, cuts and stalls."""

import asyncio
from contextlib import AsyncExitStack

import anthropic
import httpx2
import pytest
from anthropic import AsyncAnthropic

from tests.unit.fake_model.conversations import HELLO, open_client
from tools.fake_model import Cut, ErrorEvent, FakeModel, HttpError, Stall, Turn
from tools.fake_model.errors import NAMED
from tools.fake_model.turns import ErrorName, Fault

BROKEN = (httpx2.RemoteProtocolError, httpx2.ReadError, anthropic.APIConnectionError)


async def read_stream(client: AsyncAnthropic, seen: list[str]) -> None:
    """Read a reply and note its events, also when it fails."""
    stream = await client.messages.create(model="m", max_tokens=9, messages=HELLO, stream=True)
    async for event in stream:
        seen.append(event.type)


async def ask(client: AsyncAnthropic) -> None:
    await client.messages.create(model="m", max_tokens=9, messages=HELLO)


async def test_a_rate_limit_says_when_to_come_back() -> None:
    turn = Turn(error=HttpError(status=429, retry_after_s=1.5))
    async with FakeModel([turn]) as fake, open_client(fake.url) as client:
        with pytest.raises(anthropic.RateLimitError) as caught:
            await read_stream(client, [])
    assert caught.value.response.headers["retry-after"] == "1.5"
    assert caught.value.type == "rate_limit_error"


@pytest.mark.parametrize("name", list(NAMED))
async def test_every_named_error_reaches_the_client(name: ErrorName) -> None:
    async with FakeModel([Turn(error=name)]) as fake, open_client(fake.url) as client:
        with pytest.raises(anthropic.APIStatusError) as caught:
            await ask(client)
        assert caught.value.status_code == NAMED[name].status
        record = await fake.wait_for_end()
        assert (record.outcome, record.status) == ("error", NAMED[name].status)
        assert fake.problems == []


async def test_a_prompt_that_is_too_long_names_both_numbers() -> None:
    async with FakeModel([Turn(error="prompt_too_long")]) as fake, open_client(fake.url) as client:
        with pytest.raises(anthropic.BadRequestError, match=r"too long: \d+ tokens > \d+ maximum"):
            await ask(client)


async def test_an_error_may_be_worded_and_come_from_a_proxy() -> None:
    source = [
        Turn(error=HttpError(status=503, error_type="odd_error", message="odd")),
        Turn(error=HttpError(status=502, raw_body="<html>", headers={"x-proxy": "p"})),
    ]
    async with FakeModel(source) as fake, open_client(fake.url) as client:
        with pytest.raises(anthropic.APIStatusError) as first:
            await ask(client)
        with pytest.raises(anthropic.APIStatusError) as second:
            await ask(client)
    assert (first.value.api_message, first.value.body) == (
        "odd",
        {
            "type": "error",
            "error": {"type": "odd_error", "message": "odd"},
            "request_id": first.value.request_id,
        },
    )
    assert second.value.response.text == "<html>"
    assert second.value.response.headers["x-proxy"] == "p"


@pytest.mark.parametrize("after_events", [0, 2, 99])
async def test_an_error_event_ends_the_stream(after_events: int) -> None:
    seen: list[str] = []
    turn = Turn("hello", faults=[ErrorEvent(after_events=after_events)])
    async with FakeModel([turn]) as fake, open_client(fake.url) as client:
        with pytest.raises(anthropic.APIStatusError) as caught:
            await read_stream(client, seen)
        record = await fake.wait_for_end()
    assert caught.value.status_code == 200
    assert caught.value.type == "overloaded_error"
    assert len(seen) == min(after_events, 6)
    assert record.outcome == "error"


async def test_an_error_event_is_a_status_without_streaming() -> None:
    turn = Turn("hello", faults=[ErrorEvent(message="busy")])
    async with FakeModel([turn]) as fake, open_client(fake.url) as client:
        with pytest.raises(anthropic.APIStatusError, match="busy") as caught:
            await ask(client)
    assert caught.value.status_code == 529


@pytest.mark.parametrize("reset", [False, True])
@pytest.mark.parametrize("after_events", [0, 3, 99])
async def test_a_cut_breaks_the_stream(after_events: int, *, reset: bool) -> None:
    seen: list[str] = []
    turn = Turn("hello", faults=[Cut(after_events=after_events, reset=reset)])
    async with FakeModel([turn]) as fake, open_client(fake.url) as client:
        with pytest.raises(BROKEN):
            await read_stream(client, seen)
        record = await fake.wait_for_end()
    assert record.outcome == "cut"
    assert record.events_sent == min(after_events, 6)
    if not reset:
        assert len(seen) == record.events_sent


@pytest.mark.parametrize("streamed", [True, False])
async def test_a_cut_may_come_before_any_answer(*, streamed: bool) -> None:
    turn = Turn("hello", faults=[Cut(before_headers=True)])
    async with FakeModel([turn]) as fake, open_client(fake.url) as client:
        with pytest.raises(anthropic.APIConnectionError):
            await (read_stream(client, []) if streamed else ask(client))
        record = await fake.wait_for_end()
    assert (record.outcome, record.status) == ("cut", None)


async def test_a_cut_leaves_half_a_body_without_streaming() -> None:
    async with FakeModel([Turn("hello", faults=[Cut()])]) as fake, open_client(fake.url) as client:
        with pytest.raises(BROKEN):
            await ask(client)
        assert (await fake.wait_for_end()).status == 200


@pytest.mark.parametrize("fault", [Stall(), Stall(after_events=3), Stall(after_events=99)])
async def test_a_stalled_stream_goes_on_when_it_is_released(fault: Stall) -> None:
    seen: list[str] = []
    turn = Turn("hello", faults=[fault])
    async with (
        FakeModel([turn]) as fake,
        open_client(fake.url) as client,
        asyncio.TaskGroup() as group,
    ):
        group.create_task(read_stream(client, seen))
        await fake.wait_for_stall()
        assert fake.requests[0].events_sent == min(fault.after_events, 6)
        assert fake.requests[0].outcome == "pending"
        fake.release()
        await fake.wait_for_end()
    assert len(seen) == 6
    assert fake.requests[0].outcome == "complete"


@pytest.mark.parametrize("streamed", [True, False])
async def test_a_stall_may_come_before_any_answer(*, streamed: bool) -> None:
    turn = Turn("hello", faults=[Stall(before_headers=True, gate="g")])
    async with FakeModel([turn]) as fake, open_client(fake.url) as client:
        async with asyncio.TaskGroup() as group:
            group.create_task(read_stream(client, []) if streamed else ask(client))
            await fake.wait_for_stall("g")
            assert fake.requests[0].first_byte_s is None
            fake.release("g")
        assert (await fake.wait_for_end()).outcome == "complete"


async def test_a_release_may_come_before_the_stall() -> None:
    seen: list[str] = []
    turn = Turn("hello", faults=[Stall(after_events=1), Stall(after_events=2)])
    async with FakeModel([turn]) as fake, open_client(fake.url) as client:
        fake.release(count=2)
        await read_stream(client, seen)
    assert len(seen) == 6


@pytest.mark.parametrize("streamed", [True, False])
async def test_a_stall_ends_in_a_cut(*, streamed: bool) -> None:
    turn = Turn("hello", faults=[Stall(max_s=0.01)])
    async with FakeModel([turn]) as fake, open_client(fake.url) as client:
        with pytest.raises(BROKEN):
            await (read_stream(client, []) if streamed else ask(client))
        assert (await fake.wait_for_end()).outcome == "cut"


async def test_a_stall_ends_when_the_client_gives_up() -> None:
    turn = Turn("hello", faults=[Stall(after_events=1)])
    async with (
        FakeModel([turn]) as fake,
        open_client(fake.url) as client,
        asyncio.TaskGroup() as group,
    ):
        reading = group.create_task(read_stream(client, []))
        await fake.wait_for_stall()
        reading.cancel()
        record = await fake.wait_for_end()
    assert (record.outcome, record.events_sent) == ("client_left", 1)


@pytest.mark.parametrize("faults", [[Stall()], [Stall(before_headers=True)]])
async def test_closing_the_fake_model_ends_its_stalls(faults: list[Fault]) -> None:
    failed: list[type[Exception]] = []

    async def ask_in_vain(client: AsyncAnthropic) -> None:
        try:
            await ask(client)
        except BROKEN as error:
            failed.append(type(error))

    async with AsyncExitStack() as clients, asyncio.TaskGroup() as group:
        async with FakeModel([Turn("hello", faults=faults)]) as fake:
            client = await clients.enter_async_context(open_client(fake.url))
            asked = group.create_task(ask_in_vain(client))
            await fake.wait_for_stall()
        await asked
    assert len(failed) == 1
