"""The HTTP side of the fake chat completions server.

Owns: its life, its route, and sending replies with their faults.
Does not own: what is said (``replies``), what is refused (``check``).
"""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tools.fake_chat.check import InvalidBodyError, check_body
from tools.fake_chat.replies import ChatBytes, ChatError, ChatReply, event

Json = dict[str, Any]

ChatTurn = ChatReply | ChatBytes | ChatError | str
"""A string is a reply with that text."""

_SHUTDOWN_S = 1.0
"""How long handlers may take to notice that their connection was ended."""


@dataclass(frozen=True, kw_only=True)
class ChatRequest:
    """A request that was received."""

    body: Json
    raw: bytes
    headers: dict[str, str]
    """Names in lower case."""


class FakeChat:
    """A server on a free local port, as an async context manager. Plays its turns in order."""

    def __init__(self, turns: Sequence[ChatTurn] = (), *, key: str | None = None) -> None:
        """Prepare a server.

        Args:
            turns: What it answers, one after the other.
            key: The only key that it accepts; None accepts any.
        """
        self._turns = list(turns)
        self._key = key
        self._runner: web.AppRunner | None = None
        self.url = ""
        """Base URL for clients, ending in ``/v1``."""
        self.requests: list[ChatRequest] = []
        self.problems: list[str] = []
        """Why requests were refused or met no turn."""
        self.models: list[str] | None = None
        """What it lists; None: it lists nothing."""
        self.stalled = asyncio.Event()
        """Set when a reply has fallen silent."""

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=1 << 30)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/v1/models", self._list)
        runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=_SHUTDOWN_S
        )
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self._runner = runner
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def unused(self) -> int:
        """Turns that have answered nothing yet."""
        return len(self._turns)

    def play(self, turns: Sequence[ChatTurn]) -> None:
        """Answer with these turns from here on; requests stay."""
        self._turns = list(turns)

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        body: Json = json.loads(raw)
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.requests.append(ChatRequest(body=body, raw=raw, headers=headers))
        if self._key is not None and headers.get("authorization") != f"Bearer {self._key}":
            return _refuse(401, "Incorrect API key provided.", "invalid_api_key")
        try:
            check_body(body)
        except InvalidBodyError as error:
            self.problems.append(str(error))
            return _refuse(400, str(error), "invalid_request")
        if not self._turns:
            self.problems.append("no turn is left")
            return _refuse(400, "no turn is left", "exhausted")
        return await self._answer(request, self._turns.pop(0), body)

    async def _answer(self, request: web.Request, turn: ChatTurn, body: Json) -> web.StreamResponse:
        if isinstance(turn, ChatError):
            text = turn.body if isinstance(turn.body, str) else json.dumps(turn.body)
            content_type = "text/html" if isinstance(turn.body, str) else "application/json"
            return web.Response(
                status=turn.status, text=text, content_type=content_type, headers=turn.headers
            )
        if isinstance(turn, ChatBytes):
            return await _send_bytes(request, turn)
        reply = ChatReply(text=turn) if isinstance(turn, str) else turn
        if not body.get("stream"):
            return web.json_response(reply.whole(body["model"]))
        return await self._stream(request, reply, body["model"])

    async def _list(self, request: web.Request) -> web.Response:
        if self._key is not None and request.headers.get("authorization") != f"Bearer {self._key}":
            return _refuse(401, "Incorrect API key provided.", "invalid_api_key")
        if self.models is None:
            return _refuse(404, "There is no such place.", "not_found")
        data = [{"id": name, "object": "model"} for name in self.models]
        return web.json_response({"object": "list", "data": data})

    async def _stream(
        self, request: web.Request, reply: ChatReply, model: str
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        for sent, chunk in enumerate(reply.chunks(model)):
            if reply.cut_after == sent:
                assert request.transport is not None
                request.transport.close()
                return response
            if reply.stall_after == sent:
                self.stalled.set()
                await asyncio.Event().wait()  # until the client goes, or the server ends
            if reply.error_after is not None and reply.error_after[0] == sent:
                await response.write(event(reply.error_after[1]))
                return response
            if reply.comments:
                await response.write(b": alive\n\n")
            await response.write(event(chunk))
        if reply.end_mark:
            await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response


async def _send_bytes(request: web.Request, turn: ChatBytes) -> web.StreamResponse:
    response = web.StreamResponse(headers={"content-type": turn.content_type})
    await response.prepare(request)
    for piece in turn.pieces:
        await response.write(piece)
    await response.write_eof()
    return response


def _refuse(status: int, message: str, code: str) -> web.Response:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return web.json_response({"error": error}, status=status)
