"""What a test can do with a fake model, and who gets in."""

import asyncio
from collections.abc import Mapping

import aiohttp
import anthropic
import pytest

from tests.unit.fake_model.conversations import HELLO, KEY, open_client, request
from tools.fake_model import FakeModel, HttpError, Rules, Scenario, Stall, ToolUse, Turn
from tools.fake_model.journal import Journal
from tools.fake_model.jsontypes import JsonObject


async def post(
    url: str, body: JsonObject, headers: Mapping[str, str] = KEY, path: str = "/v1/messages"
) -> tuple[int, JsonObject]:
    async with (
        aiohttp.ClientSession() as session,
        session.post(url + path, json=body, headers=headers) as answer,
    ):
        return answer.status, await answer.json()


def message_of(answer: JsonObject) -> object:
    error = answer["error"]
    assert isinstance(error, dict)
    return error["type"], error["message"]


async def test_requests_are_recorded_without_secrets() -> None:
    async with FakeModel(["a", "b"]) as fake:
        await post(fake.url, request())
        await post(fake.url, request(), {**KEY, "x-api-key": "other"})
        first, second = fake.requests
    assert first.body == request()
    assert (first.method, first.path, first.status) == ("POST", "/v1/messages", 200)
    assert (first.outcome, first.turn_index, second.turn_index) == ("complete", 0, 1)
    assert first.headers["anthropic-version"] == "2023-06-01"
    assert first.headers["x-api-key"].startswith("[redacted")
    assert first.headers["x-api-key"] != second.headers["x-api-key"]
    assert "secret" not in repr(first)
    assert first.body_read_s is not None
    assert first.ended_s is not None
    assert first.received_s <= first.body_read_s <= first.ended_s <= second.received_s


async def test_a_refused_request_says_why_and_uses_no_turn() -> None:
    async with FakeModel(["a"]) as fake:
        status, answer = await post(fake.url, request(max_tokens=0))
        assert status == 400
        expected = "max_tokens: must be a whole number of at least 1"
        assert message_of(answer) == ("invalid_request_error", expected)
        assert fake.problems == [f"request 0: {expected}"]
        assert fake.requests[0].outcome == "refused"
        assert (await post(fake.url, request()))[0] == 200


async def test_a_scenario_that_ran_dry_is_a_problem() -> None:
    async with FakeModel() as fake:
        status, _answer = await post(fake.url, request())
        assert status == 400
        assert "no turn for this request" in fake.problems[0]
        assert fake.requests[0].outcome == "exhausted"


async def test_checks_can_be_switched_off() -> None:
    async with FakeModel(Scenario(["a"], rules=Rules(validate=False))) as fake:
        assert (await post(fake.url, {}))[0] == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (KEY, 200),
        ({"authorization": "Bearer secret", "anthropic-version": "x"}, 200),
        ({"x-api-key": "wrong", "anthropic-version": "x"}, 401),
        ({"authorization": "Bearer ", "anthropic-version": "x"}, 401),
        ({"anthropic-version": "x"}, 401),
        ({"x-api-key": "secret"}, 400),
    ],
)
async def test_only_the_expected_key_gets_in(headers: dict[str, str], status: int) -> None:
    async with FakeModel(Scenario(["a"], rules=Rules(api_key="secret"))) as fake:
        assert (await post(fake.url, request(), headers))[0] == status


async def test_the_version_header_can_be_left_out_on_request() -> None:
    async with FakeModel(Scenario(["a"], rules=Rules(version_header=False))) as fake:
        assert (await post(fake.url, request(), {"x-api-key": "k"}))[0] == 200


async def test_only_known_models_answer() -> None:
    async with FakeModel(Scenario(["a"], rules=Rules(models=["m"]))) as fake:
        status, answer = await post(fake.url, request(model="n"))
        assert (status, message_of(answer)) == (404, ("not_found_error", "model: n"))
        assert (await post(fake.url, request()))[0] == 200


async def test_requests_have_a_largest_size() -> None:
    size = 2000
    async with FakeModel(Scenario(["a"], rules=Rules(max_request_bytes=size))) as fake:
        assert (await post(fake.url, request()))[0] == 200
        status, answer = await post(fake.url, request(system="x" * size))
    assert (status, message_of(answer)) == (
        413,
        ("request_too_large", "Request exceeds the maximum size"),
    )


async def test_a_prompt_must_fit_the_context_window() -> None:
    rules = Rules(context_window_tokens=1000, chars_per_token=2)
    async with FakeModel(Scenario(["a"], rules=rules)) as fake:
        assert (await post(fake.url, request()))[0] == 200
        status, answer = await post(fake.url, request(system="x" * 2000))
        assert fake.problems == []
    assert status == 400
    assert "prompt is too long: 10" in str(message_of(answer))


@pytest.mark.parametrize(
    ("rules", "expected"),
    [(Rules(count_tokens=42), 42), (Rules(chars_per_token=1000), 1)],
)
async def test_tokens_are_counted(rules: Rules, expected: int) -> None:
    async with FakeModel(Scenario(rules=rules)) as fake, open_client(fake.url) as client:
        count = await client.messages.count_tokens(model="m", messages=HELLO)
        assert count.input_tokens == expected
        assert fake.requests == []
        assert [record.path for record in fake.log] == ["/v1/messages/count_tokens"]


async def test_counting_tokens_can_fail() -> None:
    scenario = Scenario(rules=Rules(count_tokens=HttpError(status=529)))
    async with FakeModel(scenario) as fake, open_client(fake.url) as client:
        with pytest.raises(anthropic.APIStatusError):
            await client.messages.count_tokens(model="m", messages=HELLO)


async def test_models_are_listed() -> None:
    rules = Rules(models=["a", "b"], context_window_tokens=7)
    async with FakeModel(Scenario(rules=rules)) as fake, open_client(fake.url) as client:
        assert [model.id async for model in client.models.list()] == ["a", "b"]
        assert (await client.models.retrieve("b")).max_input_tokens == 7
        with pytest.raises(anthropic.NotFoundError):
            await client.models.retrieve("c")


async def test_other_paths_do_not_exist() -> None:
    async with FakeModel() as fake:
        status, answer = await post(fake.url, {}, path="/v1/complete")
    assert status == 404
    assert message_of(answer) == ("not_found_error", "there is no POST /v1/complete")


async def test_a_tool_that_was_never_offered_may_be_called_by_the_scenario() -> None:
    async with FakeModel([Turn([ToolUse("Unknown", id="t1")]), "a"]) as fake:
        await post(fake.url, request())
        called: JsonObject = {"type": "tool_use", "id": "t1", "name": "Unknown", "input": {}}
        answered: JsonObject = {"type": "tool_result", "tool_use_id": "t1", "content": "no"}
        body = request(
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": [called]},
            {"role": "user", "content": [answered]},
        )
        assert (await post(fake.url, body))[0] == 200


async def test_waiting_sees_requests_and_their_end() -> None:
    async with FakeModel(["a"]) as fake, asyncio.TaskGroup() as group:
        waiting = group.create_task(fake.wait_for_end())
        group.create_task(post(fake.url, request()))
        assert (await fake.wait_for_request()).body == request()
        assert (await waiting).outcome == "complete"


async def test_waiting_in_vain_says_what_was_seen() -> None:
    async with FakeModel(["a"]) as fake:
        await post(fake.url, request())
        with pytest.raises(TimeoutError, match=r"no request 2 within .* complete"):
            await fake.wait_for_request(2, timeout_s=0.01)


async def test_a_paused_turn_can_be_continued() -> None:
    source = [Turn("thinking aloud", stop_reason="pause_turn"), "done"]
    paused = request(
        {"role": "user", "content": "hi"}, {"role": "assistant", "content": "thinking aloud"}
    )
    async with FakeModel(source) as fake:
        await post(fake.url, request())
        assert (await post(fake.url, paused))[0] == 200
    async with FakeModel(["done"]) as fake:
        assert (await post(fake.url, paused))[0] == 400


async def test_reset_forgets_unused_releases() -> None:
    async with FakeModel([Turn("a", faults=[Stall()])]) as fake, asyncio.TaskGroup() as group:
        fake.release()
        fake.reset()
        asked = group.create_task(post(fake.url, request()))
        await fake.wait_for_stall()
        fake.reset()
        fake.release()
        assert (await asked)[0] == 200


async def test_a_scenario_can_be_replaced_and_started_again() -> None:
    async with FakeModel(["a", "b"]) as fake:
        await post(fake.url, request())
        assert fake.unused_turns == [1]
        fake.play(["c"])
        _status, answer = await post(fake.url, request())
        assert answer["content"] == [{"type": "text", "text": "c"}]
        assert len(fake.requests) == 2
        fake.reset()
        assert fake.requests == []
        assert (await post(fake.url, request()))[0] == 200


def test_the_journal_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.fake_model.journal.MAX_RECORDS", 3)
    monkeypatch.setattr("tools.fake_model.journal.MAX_BODY_BYTES", 5)
    journal = Journal()
    for _ in range(5):
        journal.keep_body(journal.open("POST", "/v1/messages", {}), b"{} ")
    assert [record.index for record in journal.records] == [2, 3, 4]
    assert [record.raw for record in journal.records] == [b"", b"", b"{} "]
    assert journal.records[0].body == {}
