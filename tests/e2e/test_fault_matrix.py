"""Every way for a stream to fail at every place: the turn ends well and the next one works."""

from pathlib import Path

import pytest
from pilotfish.core.events import ReplyDiscarded, ToolFinished

from tests.support.engine_stage import EngineStage, ask
from tests.support.stage import body_of
from tools.fake_model import Cut, ErrorEvent, HttpError, Pace, Stall, Thinking, ToolUse, Turn

REPLY_EVENTS = 18
"""Events of the reply below; one more is after its end."""

PACE = Pace(chunk_chars=20)


def reply(*faults: Cut | Stall | ErrorEvent, repeat: int = 1) -> Turn:
    """Return a reply with everything in it: reasoning, words, a safe call and one with effects."""
    return Turn(
        [
            Thinking("Let me see."),
            "I read and write.",
            ToolUse("Read", {"file_path": "a.txt"}),
            ToolUse("Write", {"file_path": "b.txt", "content": "x"}),
        ],
        faults=list(faults),
        pace=PACE,
        repeat=repeat,
    )


async def survives(stage: EngineStage, *turns: Turn) -> list[object]:
    """Play turns, then a good reply, and check that all is well; returns what happened."""
    (stage.project / "a.txt").write_text("alpha\n")
    (stage.project / "b.txt").unlink(missing_ok=True)
    stage.play([*turns, reply(), "Done.", "Still here."])
    session = await stage.session()
    ended = await ask(session, "Do it")
    assert ended.reason == "completed", ended.message
    assert (await ask(session, "And now?")).reason == "completed"
    stage.check(session)
    written = [
        event
        for event in stage.events(session)
        if isinstance(event, ToolFinished) and "b.txt" in str(event.content)
    ]
    assert len([event for event in written if event.status == "completed"]) == 1
    assert (stage.project / "b.txt").read_text() == "x"
    spoken = [one for one in body_of(stage.fake)["messages"] if one["role"] == "assistant"]
    assert len(spoken) == 2
    happened = stage.events(session)
    await stage.manager.close(session.id)
    return list(happened)


@pytest.mark.parametrize("kind", ["cut", "reset", "overloaded_error", "api_error"])
async def test_a_stream_may_break_at_every_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        voided = 0
        for at in range(REPLY_EVENTS):
            fault: Cut | ErrorEvent
            if kind in ("cut", "reset"):
                fault = Cut(after_events=at, reset=kind == "reset")
            else:
                fault = ErrorEvent(after_events=at, error_type=kind)
            happened = await survives(stage, reply(fault))
            voided += sum(isinstance(event, ReplyDiscarded) for event in happened)
        assert voided >= REPLY_EVENTS - 2


async def test_a_stream_may_fall_silent_at_every_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with EngineStage.open(
        tmp_path, monkeypatch, {"model": {"idleTimeoutMs": 1_000}}
    ) as stage:
        for at in (0, 1, 6, 12, REPLY_EVENTS - 1):
            await survives(stage, reply(Stall(after_events=at)))


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
async def test_every_status_that_may_pass_is_waited_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, times: int
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        await survives(stage, Turn(error=HttpError(status=status), repeat=times))


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 405, 413, 418, 422, 501])
async def test_every_other_status_ends_the_turn_and_not_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        stage.play([Turn(error=HttpError(status=status), repeat=10), "Here."])
        session = await stage.session()
        ended = await ask(session, "Hello")
        assert ended.reason in ("model_error", "prompt_too_long")
        assert str(status) in ended.message
        stage.play(["Here."])
        assert (await ask(session, "Again")).reason == "completed"
        stage.check(session)


@pytest.mark.parametrize(
    "raw",
    ['{"file_path": a}', '{"file_path": "a', "[1, 2]", "null", '"text"', "{} {}", '{"a":1{"b":2}}',
     '{"file_path": "\\ud99c"}', "[" * 300, '{"file_path": NaN}', "\x00",
     '{"file_path": "a", "offset": 1e999}', '{"file_path": "a", "x": [{"y": -1e400}]}'],
)  # fmt: skip
async def test_inputs_that_are_no_json_are_results_that_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raw: str
) -> None:
    async with EngineStage.open(tmp_path, monkeypatch) as stage:
        stage.play([Turn([ToolUse("Read", raw_json=raw)]), "I see.", "Still here."])
        session = await stage.session()
        assert (await ask(session, "Go")).reason == "completed"
        assert (await ask(session, "Again")).reason == "completed"
        stage.check(session)
        (result,) = [event for event in stage.events(session) if isinstance(event, ToolFinished)]
        assert result.status == "failed"
