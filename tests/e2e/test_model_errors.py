"""The model fails: the user hears what happened and what to do, and the session goes on."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.stage import KEY, Stage, all_text, assert_paired, text_of
from tools.fake_model import (
    Cut,
    ErrorEvent,
    HttpError,
    Pace,
    Refusal,
    Rules,
    Scenario,
    Stall,
    Thinking,
    ToolUse,
    Turn,
    Usage,
)

pytestmark = pytest.mark.asyncio(loop_scope="session")


@dataclass(frozen=True)
class Failure:
    """A way for the model to fail, and what the user must be told."""

    turn: Turn
    told: tuple[str, ...]
    stop_reason: str = "end_turn"
    reason: str = "model_error"


FAILURES = {
    "wrong key": Failure(
        Turn(error="unauthorized"), ("401", "ANTHROPIC_API_KEY", "Check or replace the key")
    ),
    "forbidden": Failure(Turn(error="forbidden"), ("403", "Check what the key")),
    "unknown model": Failure(Turn(error="not_found"), ("404", "Check the base URL")),
    "bad request": Failure(
        Turn(error=HttpError(status=400, message="max_tokens: too large")),
        ("400", "max_tokens: too large"),
    ),
    "not an API": Failure(
        Turn(error=HttpError(status=400, raw_body="<html>Sign in</html>")), ("400", "HTML page")
    ),
    "picture": Failure(
        Turn(error=HttpError(status=400, message="Could not process image")),
        ("400", "picture", "taken out"),
        reason="image_error",
    ),
    "call announced": Failure(Turn("I look.", stop_reason="tool_use"), ("sent none",)),
    "too long": Failure(
        Turn(error="prompt_too_long"),
        ("too long", "new session"),
        stop_reason="max_tokens",
        reason="prompt_too_long",
    ),
    "refusal": Failure(
        Turn("I would rather not.", stop_reason="refusal", refusal=Refusal(category="other")),
        ("declined",),
        stop_reason="refusal",
        reason="refusal",
    ),
    "output limit": Failure(
        Turn("A very long", stop_reason="max_tokens", repeat=5),
        ("output limit of 64,000", "model.maxTokens"),
        stop_reason="max_tokens",
        reason="output_limit",
    ),
    "window full": Failure(
        Turn("No room", stop_reason="model_context_window_exceeded"),
        ("window", "new chat"),
        stop_reason="max_tokens",
        reason="prompt_too_long",
    ),
}


@pytest.mark.parametrize("name", FAILURES)
async def test_a_failure_is_explained_and_the_session_goes_on(stage: Stage, name: str) -> None:
    failure = FAILURES[name]
    stage.play([failure.turn, "Here I am again."])
    chat = await stage.chat()

    assert await chat.ask("Hello") == failure.stop_reason

    (turn,) = chat.turns()
    assert turn["reason"] == failure.reason
    for part in failure.told:
        assert part in turn["message"]
    assert KEY not in turn["message"]
    assert await chat.ask("And now?") == "end_turn"
    assert chat.turns()[-1]["reason"] == "completed"
    assert "Here I am again." in chat.text()
    assert all_text(stage.body()).count("Hello") == 1


async def test_a_full_window_is_told_before_the_model_is_asked_in_vain(stage: Stage) -> None:
    full = Usage(input=980_000, output=10)
    stage.play([Turn("Much was said.", usage=full), "Light again."])
    chat = await stage.chat()
    assert await chat.ask("Hello") == "end_turn"

    assert await chat.ask("And now?") == "max_tokens"
    ended = chat.turns()[-1]
    assert ended["reason"] == "blocking_limit"
    assert "no room" in ended["message"]
    assert "new chat" in ended["message"]
    assert len(stage.fake.requests) == 1

    await chat.ask("/clear")
    assert await chat.ask("And now?") == "end_turn"
    assert "Light again." in chat.text()


@pytest.mark.parametrize("name", ["rate_limited", "overloaded", "server_error"])
async def test_what_may_pass_is_tried_again_in_sight_of_the_user(stage: Stage, name: str) -> None:
    status = {"rate_limited": 429, "overloaded": 529, "server_error": 500}[name]
    error = HttpError(status=status, retry_after_s=0.05)
    stage.play([Turn(error=error, repeat=2), "There you are."])
    chat = await stage.chat()
    assert await chat.ask("Hello") == "end_turn"
    retries = [one["retry"] for one in chat.facts("retry")]
    assert [one["attempt"] for one in retries] == [1, 2]
    assert all(one["delayMs"] < 2_000 and str(status) in one["message"] for one in retries)
    assert chat.text() == "There you are."
    assert chat.turns()[-1]["message"] == ""


async def test_a_wait_that_is_too_long_is_told_instead_of_waited(stage: Stage) -> None:
    stage.play([Turn(error=HttpError(status=429, retry_after_s=3_600))])
    chat = await stage.chat()
    assert await chat.ask("Hello") == "end_turn"
    assert "60 minutes" in chat.turns()[-1]["message"]
    assert len(stage.fake.requests) == 1


async def test_a_stop_during_the_wait_for_a_retry_ends_it(stage: Stage) -> None:
    stage.play([Turn(error=HttpError(status=429, retry_after_s=50))])
    chat = await stage.chat()
    prompt = chat.send("Hello")
    await chat.client.wait_until(lambda: chat.facts("retry") or None, "retry")
    chat.stop()
    assert await prompt.stop_reason() == "cancelled"


async def test_a_reply_that_breaks_off_leaves_no_half_done_work(stage: Stage) -> None:
    """Calls with effects wait for the reply's end; what was read is forgotten with the reply."""
    stage.write("a.txt", "alpha\n")
    read = ToolUse("Read", {"file_path": "a.txt"})
    write = ToolUse("Write", {"file_path": "b.txt", "content": "x"})
    turn = Turn([read, write, "and then"], faults=[Cut(after_events=8)])
    stage.play([turn, "Another way.", "Again."])
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Do it") == "end_turn"
    assert chat.turns()[-1]["reason"] == "completed"
    assert not (stage.project / "b.txt").exists()
    assert await chat.ask("Go on") == "end_turn"
    assert_paired(stage.body())


@pytest.mark.parametrize(
    "fault", [Cut(after_events=4), Cut(after_events=4, reset=True), ErrorEvent(after_events=4)]
)
async def test_a_reply_that_breaks_off_is_taken_back_and_asked_for_again(
    stage: Stage, fault: Cut | ErrorEvent
) -> None:
    half = Turn([Thinking("Let me see."), "Half."], faults=[fault], pace=Pace(chunk_chars=2))
    stage.play([half, "Whole.", "More."])
    chat = await stage.chat()
    assert await chat.ask("Hello") == "end_turn"
    assert len(chat.facts("discarded")) == len(chat.facts("retry")) == 1
    assert chat.turns()[-1]["reason"] == "completed"
    assert await chat.ask("Again") == "end_turn"
    spoken = [one for one in stage.body()["messages"] if one["role"] == "assistant"]
    assert [text_of(one["content"][0]) for one in spoken] == ["Whole."]


async def test_streams_that_keep_breaking_are_answered_in_one_piece(stage: Stage) -> None:
    stage.write("a.txt", "alpha\n")
    read = ToolUse("Read", {"file_path": "a.txt"}, id="toolu_read")
    broken = Turn(["I look.", read], faults=[Cut(after_events=7)], repeat=2)
    stage.play([broken, Turn(["I look.", read]), "It says alpha."])
    chat = await stage.chat()
    assert await chat.ask("Read it") == "end_turn"
    assert [one.body["stream"] for one in stage.fake.requests[:2]] == [True, True]
    assert "stream" not in stage.body(2)
    assert chat.text().endswith("I look.It says alpha.")
    assert len(stage.results()) == 1
    assert_paired(stage.body())


async def test_a_server_that_always_breaks_off_is_given_up(stage: Stage) -> None:
    half = Turn("Half an answer.", faults=[Cut(after_events=3)], pace=Pace(chunk_chars=5), repeat=3)
    stage.play([half, "Here I am again."])
    chat = await stage.chat()
    assert await chat.ask("Hello") == "end_turn"
    ended = chat.turns()[-1]
    assert ended["reason"] == "model_error"
    assert "Tried 3 times" in ended["message"]
    assert await chat.ask("Go on") == "end_turn"
    assert chat.turns()[-1]["reason"] == "completed"


async def test_a_cut_reply_is_asked_for_again_with_more_room_and_then_continued(
    stage: Stage,
) -> None:
    cut = Turn("First part, ", stop_reason="max_tokens")
    stage.play([cut, Turn("First half, ", stop_reason="max_tokens"), "second half."])
    chat = await stage.chat()
    assert await chat.ask("Tell me") == "end_turn"
    limits = [one.body["max_tokens"] for one in stage.fake.requests]
    assert limits == [32_000, 64_000, 64_000]
    assert len(chat.facts("discarded")) == 1
    assert "cut at the output limit" in text_of(stage.said()[-1])
    spoken = [one for one in stage.body()["messages"] if one["role"] == "assistant"]
    assert [text_of(one["content"][0]) for one in spoken] == ["First half, "]
    assert chat.turns()[-1]["message"] == ""


async def test_a_call_that_is_cut_does_not_run_and_the_model_hears_why(stage: Stage) -> None:
    call = ToolUse("Write", raw_json='{"file_path": "b.txt", "content": "x', id="toolu_cut")
    stage.play([Turn([call], stop_reason="max_tokens"), "In smaller pieces, then."])
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Write it") == "end_turn"
    assert not (stage.project / "b.txt").exists()
    assert "smaller calls" in text_of(stage.said()[-1])
    assert_paired(stage.body())


async def test_an_overloaded_model_gives_way_to_the_fallback_for_the_turn(stage: Stage) -> None:
    stage.write("a.txt", "alpha\n")
    stage.write(".pilotfish/settings.json", json.dumps({"model": {"fallback": "haiku"}}))
    first = Turn([Thinking("Hm."), ToolUse("Read", {"file_path": "a.txt"})])
    busy = Turn(error=HttpError(status=529, retry_after_s=0.01), repeat=3)
    stage.play([first, busy, "It says alpha.", "As before."])
    chat = await stage.chat()
    assert await chat.ask("Read it") == "end_turn"
    own = stage.body(0)["model"]
    models = [one.body["model"] for one in stage.fake.requests]
    assert models == [own, own, own, own, "claude-haiku-5-5"]
    assert "thinking" not in all_text(stage.body()), "no model takes another's reasoning"
    assert any("overloaded" in one["note"] for one in chat.facts("note"))
    assert await chat.ask("And now?") == "end_turn"
    assert stage.body()["model"] == own


async def test_the_same_call_again_and_again_ends_the_turn(stage: Stage) -> None:
    stage.write("a.txt", "alpha\n")
    stage.play([Turn([ToolUse("Read", {"file_path": "a.txt"})], repeat=30), "Enough."])
    chat = await stage.chat()
    assert await chat.ask("Read") == "max_turn_requests"
    assert chat.turns()[-1]["reason"] == "repetition"
    assert len(stage.fake.requests) < 15
    assert any("same result" in one["note"] for one in chat.facts("note"))
    stage.play(["Fine."])
    assert await chat.ask("Go on") == "end_turn"
    assert_paired(stage.body())


async def test_an_empty_reply_after_tools_is_asked_for_once_more(stage: Stage) -> None:
    stage.write("a.txt", "alpha\n")
    stage.play([Turn([ToolUse("Read", {"file_path": "a.txt"})]), Turn(), "It says alpha."])
    chat = await stage.chat()
    assert await chat.ask("Read it") == "end_turn"
    assert chat.text() == "It says alpha."
    assert "empty" in text_of(stage.said()[-1])


async def test_a_paused_reply_is_continued(stage: Stage) -> None:
    stage.play([Turn("First half, ", stop_reason="pause_turn"), "second half."])
    chat = await stage.chat()
    assert await chat.ask("Hello") == "end_turn"
    assert chat.text() == "First half, second half."


async def test_a_slow_start_of_the_reply_is_no_failure(stage: Stage) -> None:
    stage.play(Scenario([Turn("Late.", faults=[Stall(before_headers=True)])]))
    chat = await stage.chat()
    prompt = chat.send("Hello")
    await stage.stalled()
    assert chat.turns() == []
    stage.fake.release()
    assert await prompt.stop_reason() == "end_turn"


async def test_a_rejected_key_is_never_shown(stage: Stage) -> None:
    stage.fake.reset()
    stage.play(Scenario([Turn(error=HttpError(status=401, message=f"bad key {KEY}"))]))
    chat = await stage.chat()
    await chat.ask("Hello")
    snapshot = str(await chat.snapshot())
    assert KEY not in snapshot
    assert "401" in snapshot
    kept = [path.read_text("utf-8") for path in stage.home.rglob("*.jsonl")]
    assert kept
    assert not any(KEY in text for text in kept)


async def test_a_server_that_nobody_runs_is_named(tmp_path: Path) -> None:
    """The base URL points at a closed port."""
    async with Stage.open(tmp_path, url="http://127.0.0.1:9") as stage:
        chat = await stage.chat()
        assert await chat.ask("Hello") == "end_turn"
        message = chat.turns()[-1]["message"]
        assert "127.0.0.1:9" in message
        assert "ANTHROPIC_BASE_URL" in message
        assert chat.facts("retry")


RULES = Rules(models=["other-model"])


async def test_an_unknown_model_is_named_with_the_way_out(stage: Stage) -> None:
    stage.play(Scenario(["never"], rules=RULES))
    chat = await stage.chat(model="no-such-model")
    await chat.ask("Hello")
    message = chat.turns()[-1]["message"]
    assert "no-such-model" in message
    assert "model picker" in message
    stage.play([])
