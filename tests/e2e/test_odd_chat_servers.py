"""Servers that stream chat completions in ways of their own: each reply is understood, or its failure is told.

Each case is a stream, byte for byte; the real server reads it, runs the calls in it and sends their results
to a server that takes no request but a valid one.
"""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.stage import Stage
from tools.fake_chat import ChatBytes, FakeChat, event

pytestmark = pytest.mark.asyncio(loop_scope="session")

Json = dict[str, Any]
Chunks = list[Json]

DONE = "[DONE]"
A, B = json.dumps({"file_path": "a.txt"}), json.dumps({"file_path": "b.txt"})
INPUT_A, INPUT_B = json.loads(A), json.loads(B)
USAGE = {"prompt_tokens": 900, "completion_tokens": 7}


def chunk(delta: Json, **choice: Any) -> Json:
    return {"choices": [{"index": 0, "delta": delta} | choice]}


def calls(*pieces: Json, **choice: Any) -> Json:
    return chunk({"tool_calls": list(pieces)}, **choice)


def piece(name: str | None = None, arguments: Any = None, **place: Any) -> Json:
    function: Json = {} if name is None else {"name": name}
    if arguments is not None:
        function["arguments"] = arguments
    return {"function": function} | place


def whole(message: Json, **choice: Any) -> Json:
    return {"choices": [{"index": 0, "message": {"role": "assistant"} | message} | choice]}


def stream(*chunks: Json | str) -> ChatBytes:
    return ChatBytes(pieces=tuple(map(event, chunks)))


def rewritten(turn: ChatBytes, old: bytes, new: bytes) -> ChatBytes:
    return ChatBytes(pieces=tuple(one.replace(old, new) for one in turn.pieces))


CALLED = chunk({}, finish_reason="tool_calls")
STOPPED = chunk({}, finish_reason="stop")
HELLO = chunk({"content": "Héllo 你好 😀"})
ROLE = chunk({"role": "assistant", "content": ""})

ONE_CALL: dict[str, Chunks] = {
    "the id comes late": [
        calls(piece("Read", "", index=0)),
        calls(piece(None, A, index=0, id="x")),
    ],
    "the id never comes": [calls(piece("Read", "", index=0)), calls(piece(None, A, index=0))],
    "the id is a number": [calls(piece("Read", A, index=0, id=7))],
    "the id is no plain word": [calls(piece("Read", A, index=0, id="functions.Read:0|" * 9))],
    "the id comes again and again": [
        calls(piece("Read", "", index=0, id="x")),
        *[calls(piece(None, part, index=0, id="x")) for part in (A[:9], A[9:])],
    ],
    "the name comes in parts": [
        calls(piece("Re", "", index=0, id="x")),
        calls(piece("ad", index=0)),
        calls(piece(None, A, index=0)),
    ],
    "the name grows": [calls(piece(name, "", index=0, id="x")) for name in ("Re", "Read")]
    + [calls(piece(None, A, index=0))],
    "the name comes again and again": [
        calls(piece("Read", part, index=0)) for part in (A[:5], A[5:], "")
    ],
    "the name comes last": [
        calls(piece("", A, index=0, id="x")),
        calls(piece("Read", "", index=0)),
    ],
    "arguments are an object": [calls(piece("Read", INPUT_A, index=0, id="x"))],
    "arguments are encoded twice": [calls(piece("Read", json.dumps(A), index=0, id="x"))],
    "arguments begin with none": [
        calls(piece("Read", "{}", index=0, id="x")),
        calls(piece(None, A, index=0)),
    ],
    "places count the pieces": [
        calls(piece("Read", A[:5], index=0, id="x")),
        calls(piece(None, A[5:], index=1)),
    ],
    "the end comes with the arguments": [
        calls(piece("Read", A, index=0, id="x"), finish_reason="tool_calls")
    ],
    "the end is said with another word": [
        calls(piece("Read", A, index=0, id="x"), finish_reason="stop")
    ],
    "words stand between the pieces": [
        calls(piece("Read", A[:5], index=0, id="x")),
        chunk({"content": "I look."}),
        calls(piece(None, A[5:], index=0)),
    ],
    "the field is that of the first days": [
        chunk({"function_call": {"name": "Read", "arguments": ""}}),
        chunk({"function_call": {"arguments": A}}),
        chunk({}, finish_reason="function_call"),
    ],
    "reasoning comes before": [
        chunk({"reasoning_content": "Hm.", "reasoning": "Hm.", "tool_calls": []}),
        calls(piece("Read", A, index=0, id="x")),
    ],
}

TWO_CALLS: dict[str, Chunks] = {
    "their pieces alternate": [
        calls(piece("Read", "", index=0, id="x"), piece("Read", "", index=1, id="y")),
        calls(piece(None, A[:5], index=0), piece(None, B[:5], index=1)),
        calls(piece(None, B[5:], index=1), piece(None, A[5:], index=0)),
    ],
    "their pieces alternate, by id alone": [
        calls(piece("Read", "", id="x"), piece("Read", "", id="y")),
        calls(piece(None, A[:5], id="x"), piece(None, B[:5], id="y")),
        calls(piece(None, A[5:], id="x"), piece(None, B[5:], id="y")),
    ],
    "their pieces alternate, all at place 0": [
        calls(piece("Read", "", index=0, id="x"), piece("Read", "", index=0, id="y")),
        *[calls(piece(None, A[at], index=0, id="x")) for at in (slice(5), slice(5, None))],
        *[calls(piece(None, B[at], index=0, id="y")) for at in (slice(5), slice(5, None))],
    ],
    "places are text": [
        calls(piece("Read", "", index="0", id="x"), piece("Read", "", index="1", id="y")),
        calls(piece(None, A, index="0")),
        calls(piece(None, B, index="1")),
    ],
    "places begin at 1": [
        calls(piece("Read", A, index=1, id="x")),
        calls(piece("Read", B, index=2, id="y")),
    ],
    "they have one id": [
        calls(piece("Read", A, index=0, id="x")),
        calls(piece("Read", B, index=1, id="x")),
    ],
    "they have one id and one place": [
        calls(piece("Read", A, index=0, id="x")),
        calls(piece("Read", B, index=0, id="x")),
    ],
    "they have neither id nor place": [calls(piece("Read", A), piece("Read", B))],
    "they have neither, and begin without arguments": [
        calls(piece("Read", "")),
        calls(piece(None, A)),
        calls(piece("Read", "")),
        calls(piece(None, B)),
    ],
}


TEXTS: dict[str, ChatBytes] = {
    "with all there is": stream(ROLE, HELLO, STOPPED, {"choices": [], "usage": USAGE}, DONE),
    "counts in each chunk": stream(HELLO | {"usage": USAGE}, STOPPED | {"usage": USAGE}, DONE),
    "no counts": stream(HELLO, STOPPED, DONE),
    "odd counts": stream(HELLO, STOPPED, {"choices": None, "usage": "many"}, DONE),
    "no end mark": stream(HELLO, STOPPED),
    "the end mark alone": stream(HELLO, DONE),
    "empty fields": stream(
        chunk({"content": None, "tool_calls": [], "role": None}), HELLO, STOPPED
    ),
    "comments": ChatBytes(pieces=(b": alive\n\n", event(HELLO), b":\n\n:\n\n", event(STOPPED))),
    "carriage returns": rewritten(stream(HELLO, STOPPED, DONE), b"\n", b"\r\n"),
    "no space after the colon": rewritten(stream(HELLO, STOPPED, DONE), b"data: ", b"data:"),
    "a byte order mark": ChatBytes(pieces=(b"\xef\xbb\xbf", *stream(HELLO, STOPPED, DONE).pieces)),
    "each byte on its own": ChatBytes(
        pieces=tuple(bytes((one,)) for one in b"".join(stream(HELLO, STOPPED, DONE).pieces))
    ),
    "the text in parts": stream(
        chunk({"content": [{"type": "text", "text": "Héllo 你好 "}]}),
        chunk({"content": [{"type": "text", "text": "😀"}]}),
        STOPPED,
    ),
    "a character in two halves": stream(
        chunk({"content": "Héllo 你好 "}),
        '{"choices": [{"index": 0, "delta": {"content": "\\ud83d"}}]}',
        '{"choices": [{"index": 0, "delta": {"content": "\\ude00"}, "finish_reason": "stop"}]}',
    ),
    "the message once more at the end": stream(
        HELLO, whole({"content": "Héllo 你好 😀"}, delta={}, finish_reason="stop"), DONE
    ),
    "messages for deltas": stream(
        whole({"content": "Héllo 你好 "}), whole({"content": "😀"}, finish_reason="stop")
    ),
    "in one piece": ChatBytes(
        pieces=(json.dumps(whole({"content": "Héllo 你好 😀"}, finish_reason="stop")).encode(),),
        content_type="application/json",
    ),
    "in one piece that does not say why it ended": ChatBytes(
        pieces=(json.dumps(whole({"content": "Héllo 你好 😀"})).encode(),),
        content_type="application/json",
    ),
}

FAILURES: dict[str, tuple[ChatBytes, str]] = {
    "a page": (
        ChatBytes(pieces=(b"<html><title>Sign in</title></html>",), content_type="text/html"),
        "a page titled “Sign in”",
    ),
    "an error": (
        stream(HELLO, {"error": {"message": "No such adapter", "code": 400}}),
        "No such adapter",
    ),
    "an error whose code is text": (
        stream({"error": {"message": "Who are you?", "code": "401"}}, DONE),
        "did not accept the key",
    ),
    "an error without a word for it": (
        stream(HELLO, {"object": "error", "message": "No such adapter", "code": 400}, DONE),
        "No such adapter",
    ),
    "an error in the choice": (
        stream(chunk({}, error={"message": "No such adapter", "code": 400}), DONE),
        "No such adapter",
    ),
}

UNFINISHED: dict[str, tuple[ChatBytes, str]] = {
    "neither reason nor end mark": (stream(HELLO), "the server closed the connection"),
    "nothing but the end mark": (stream(ROLE, DONE), "without a word"),
    "an end that is a failure": (
        stream(HELLO, chunk({}, finish_reason="error"), DONE),
        "the server ended it with “error”",
    ),
    "no JSON": (stream(HELLO, '{"choices": ['), "not valid JSON"),
    "no UTF-8": (ChatBytes(pieces=(event(HELLO), b"data: \xff\n\n")), "utf-8"),
    "calls without end": (
        stream(*[calls(piece("Read", "", id=f"x{number}")) for number in range(2_000)]),
        "calls without end",
    ),
}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def shared(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[tuple[FakeChat, Stage]]:
    folder: Path = tmp_path_factory.mktemp("odd")
    async with FakeChat() as fake:
        variables = {"OPENAI_BASE_URL": fake.url, "OPENAI_API_KEY": "k", "OPENAI_MODEL": "coder"}
        async with Stage.open(folder, url=None, variables=variables) as stage:
            stage.write("a.txt", "alpha\n")
            stage.write("b.txt", "beta\n")
            yield fake, stage


@pytest_asyncio.fixture(loop_scope="session")
async def odd(shared: tuple[FakeChat, Stage]) -> AsyncIterator[tuple[FakeChat, Stage]]:
    fake, stage = shared
    fake.requests.clear()
    yield fake, stage
    await stage.clear()
    assert fake.problems == []
    assert fake.unused == 0


def results(fake: FakeChat) -> list[str]:
    """Return the results that end the newest request, each of another call."""
    messages: list[Json] = fake.requests[-1].body["messages"]
    last = next(at for at, one in enumerate(messages) if one["role"] == "assistant")
    found = messages[last + 1 :]
    assert len({one["tool_call_id"] for one in found}) == len(found)
    return [one["content"] for one in found]


@pytest.mark.parametrize("case", ONE_CALL)
async def test_a_call_is_run_however_it_comes(odd: tuple[FakeChat, Stage], case: str) -> None:
    fake, stage = odd
    fake.play([stream(*ONE_CALL[case], CALLED, DONE), "Done."])
    chat = await stage.chat()
    assert await chat.ask("Read") == "end_turn"
    (result,) = results(fake)
    assert "alpha" in result
    assert chat.text().endswith("Done.")


@pytest.mark.parametrize("case", TWO_CALLS)
async def test_two_calls_are_run_however_they_come(odd: tuple[FakeChat, Stage], case: str) -> None:
    fake, stage = odd
    fake.play([stream(*TWO_CALLS[case], CALLED, DONE), "Done."])
    chat = await stage.chat()
    assert await chat.ask("Read both") == "end_turn"
    assert [word for one in results(fake) for word in ("alpha", "beta") if word in one] == [
        "alpha",
        "beta",
    ]


async def test_calls_of_a_reply_in_one_piece_are_run(odd: tuple[FakeChat, Stage]) -> None:
    fake, stage = odd
    reply = whole({"content": None, "tool_calls": [piece("Read", A), piece("Read", B)]})
    body = json.dumps(reply).encode()
    fake.play([ChatBytes(pieces=(body,), content_type="application/json"), "Done."])
    chat = await stage.chat()
    assert await chat.ask("Read both") == "end_turn"
    assert ["alpha" in one for one in results(fake)] == [True, False]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (piece("Read", None, index=0, id="x"), "file_path"),
        (piece("Read", [1], index=0, id="x"), "must be a JSON object"),
        (piece("Read", '{"file_path": a}', index=0, id="x"), "not valid JSON"),
        (piece(None, A, index=0, id="x"), "unnamed"),
        (piece("Read it!", A, index=0, id="x"), "Read_it_"),
        (piece("Read" * 40, A, index=0, id="x" * 60), "ReadRead"),
    ],
)
async def test_a_call_that_cannot_be_run_is_answered(
    odd: tuple[FakeChat, Stage], call: Json, told: str
) -> None:
    fake, stage = odd
    fake.play([stream(calls(call), CALLED, DONE), "Sorry."])
    chat = await stage.chat()
    assert await chat.ask("Read") == "end_turn"
    (result,) = results(fake)
    assert result.startswith("Error: ")
    assert told in result


@pytest.mark.parametrize("reason", ["length", "MAX_TOKENS"])
async def test_a_call_at_the_limit_is_not_run(odd: tuple[FakeChat, Stage], reason: str) -> None:
    fake, stage = odd
    fake.play([stream(calls(piece("Read", A, index=0)), chunk({}, finish_reason=reason)), "Well."])
    chat = await stage.chat()
    assert await chat.ask("Read") == "end_turn"
    messages: list[Json] = fake.requests[-1].body["messages"]
    (result,) = [one["content"] for one in messages if one["role"] == "tool"]
    assert "cut" in result
    assert "alpha" not in result


async def test_a_call_that_was_filtered_is_not_run(odd: tuple[FakeChat, Stage]) -> None:
    fake, stage = odd
    filtered = chunk({}, finish_reason="content_filter")
    fake.play([stream(calls(piece("Read", A, index=0)), filtered), "Well."])
    chat = await stage.chat()
    assert await chat.ask("Read") == "refusal"
    assert await chat.ask("And now?") == "end_turn"
    messages: list[Json] = fake.requests[-1].body["messages"]
    (result,) = [one["content"] for one in messages if one["role"] == "tool"]
    assert "alpha" not in result


@pytest.mark.parametrize("case", TEXTS)
async def test_a_text_is_read_however_it_comes(odd: tuple[FakeChat, Stage], case: str) -> None:
    fake, stage = odd
    fake.play([TEXTS[case], "Yes."])
    chat = await stage.chat()
    assert await chat.ask("Hello") == "end_turn"
    assert await chat.ask("Still there?") == "end_turn"
    said = [one for one in fake.requests[-1].body["messages"] if one["role"] == "assistant"]
    assert said == [{"role": "assistant", "content": "Héllo 你好 😀"}]


async def test_a_reply_of_nothing_is_told(odd: tuple[FakeChat, Stage]) -> None:
    fake, stage = odd
    fake.play([stream(ROLE, STOPPED, DONE), "Yes."])
    chat = await stage.chat()
    assert await chat.ask("Hello") == "end_turn"
    assert "without a word" in chat.turns()[-1]["message"]
    assert await chat.ask("Still there?") == "end_turn"
    assert chat.turns()[-1]["message"] == ""


@pytest.mark.parametrize("case", FAILURES)
async def test_what_is_no_reply_is_told(odd: tuple[FakeChat, Stage], case: str) -> None:
    fake, stage = odd
    turn, told = FAILURES[case]
    fake.play([turn, "Yes."])
    chat = await stage.chat()
    await chat.ask("Hello")
    assert chat.turns()[-1]["reason"] == "model_error"
    assert told in chat.turns()[-1]["message"]
    assert await chat.ask("Still there?") == "end_turn"


@pytest.mark.parametrize("case", UNFINISHED)
async def test_what_breaks_off_is_asked_for_again_and_then_told(
    odd: tuple[FakeChat, Stage], case: str
) -> None:
    fake, stage = odd
    turn, told = UNFINISHED[case]
    fake.play([turn, turn, "Whole."])
    chat = await stage.chat()
    assert await chat.ask("Hello") == "end_turn"
    assert [told in one["retry"]["message"] for one in chat.facts("retry")] == [True, True]
    assert chat.text().endswith("Whole.")
    half = ChatBytes(pieces=(b"{",), content_type="application/json")
    fake.play([turn, turn, half, "Yes."])
    await chat.ask("Once more")
    assert chat.turns()[-1]["reason"] == "model_error"
    assert "not complete or not valid" in chat.turns()[-1]["message"]
    assert await chat.ask("Still there?") == "end_turn"
