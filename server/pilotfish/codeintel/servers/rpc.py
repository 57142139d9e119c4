"""JSON-RPC with one language server.

Owns: matching answers to requests, limits in time, answering what the server asks, order of what is
written.
Does not own: what the messages mean (``server``), the process (``ports.processes``).
"""

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any

from pilotfish.codeintel.servers.framing import FrameBuffer, FrameFault, frame
from pilotfish.codeintel.servers.shapes import as_object, as_text
from pilotfish.core.errors import ProcessError
from pilotfish.core.jsontypes import JsonMapping, JsonObject, JsonValue
from pilotfish.ports.processes import OpenChild
from pilotfish.util.tasks import TaskScope

logger = logging.getLogger(__name__)

READ_BYTES = 262_144
"""Most that is read in one go."""

BIG_MESSAGE_BYTES = 262_144
"""From this size on a message is decoded in a thread, so that the event loop goes on."""

MAX_QUEUED_BYTES = 64 << 20
"""What may wait to be written to a server that does not read."""

METHOD_NOT_FOUND = -32601


class ServerFailure(Exception):  # noqa: N818 - a failure of theirs, not of ours
    """A server gave no usable answer."""


class ServerRefusal(ServerFailure):
    """A server answered a request with an error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"it refused: {message} ({code})")
        self.code = code


class UnknownMethod(Exception):  # noqa: N818 - reads as what happened
    """Raised by whoever answers the server's requests, for one that is not supported."""


class RpcClient:
    """Our end of the connection. Whoever makes one runs ``run`` and closes the child."""

    def __init__(
        self,
        child: OpenChild,
        on_notification: Callable[[str, JsonObject], None],
        on_request: Callable[[str, JsonObject], JsonValue],
    ) -> None:
        self._child = child
        self._on_notification = on_notification
        self._on_request = on_request
        self._waiting: dict[int, asyncio.Future[JsonValue]] = {}
        self._last_id = 0
        self._outgoing: asyncio.Queue[bytes] = asyncio.Queue()
        self._queued_bytes = 0
        self.fault = ""
        """Why the connection cannot be used any more; empty while it can."""

    async def run(self) -> None:
        """Read and write until the server ends or talks nonsense."""
        scope = TaskScope("language server")
        scope.start(self._write_all(), name="writer")
        frames = FrameBuffer()
        try:
            while chunk := await self._child.read(READ_BYTES):
                for body in frames.feed(chunk):
                    await self._take(body)
            self._break("it ended")
        except FrameFault as fault:
            self._break(str(fault))
        finally:
            self._break("it was stopped")
            await scope.close()

    def notify(self, method: str, params: JsonMapping) -> None:
        """Send a notification; messages arrive in the order in which they were given."""
        self._send({"method": method, "params": params})

    async def request(self, method: str, params: JsonMapping, limit_s: float) -> JsonValue:
        """Ask and wait for the answer.

        Raises:
            ServerRefusal: The server answered with an error.
            ServerFailure: No answer in time, or the connection is broken.
        """
        self._last_id += 1
        number = self._last_id
        answer = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        answered = False
        try:
            self._send({"id": number, "method": method, "params": params})
            async with asyncio.timeout(limit_s):
                found = await answer
            answered = True
        except TimeoutError as error:
            raise ServerFailure(f"no answer to {method} within {limit_s:g} s") from error
        except ServerRefusal:
            answered = True
            raise
        finally:
            del self._waiting[number]
            if not answered and not self.fault:
                self.notify("$/cancelRequest", {"id": number})
        return found

    def _send(self, message: dict[str, Any]) -> None:
        if self.fault:
            raise ServerFailure(self.fault)
        body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False)
        data = frame(body.encode("utf-8", "replace"))
        if self._queued_bytes + len(data) > MAX_QUEUED_BYTES:
            self._break("it does not read what it is sent")
            raise ServerFailure(self.fault)
        self._queued_bytes += len(data)
        self._outgoing.put_nowait(data)

    async def _write_all(self) -> None:
        while True:
            data = await self._outgoing.get()
            try:
                await self._child.write(data)
            except ProcessError as error:
                self._break(error.message)
                return
            self._queued_bytes -= len(data)

    async def _take(self, body: bytes) -> None:
        try:
            if len(body) > BIG_MESSAGE_BYTES:
                message = as_object(await asyncio.to_thread(json.loads, body))
            else:
                message = as_object(json.loads(body))
        except (ValueError, RecursionError) as error:
            raise FrameFault("it sent something that is no JSON") from error
        method = message.get("method")
        if isinstance(method, str):
            self._hear(method, message)
        elif isinstance(number := message.get("id"), int):
            self._settle(number, message)

    def _hear(self, method: str, message: JsonObject) -> None:
        params = as_object(message.get("params"))
        if message.get("id") is None:
            self._on_notification(method, params)
            return
        answer: dict[str, Any] = {"id": message["id"]}
        try:
            answer["result"] = self._on_request(method, params)
        except UnknownMethod:
            text = f"{method[:100]} is not supported"
            answer["error"] = {"code": METHOD_NOT_FOUND, "message": text}
        try:
            self._send(answer)
        except ServerFailure as failure:
            logger.debug("an answer was not sent: %s", failure)

    def _settle(self, number: int, message: JsonObject) -> None:
        waiting = self._waiting.get(number)
        if waiting is None or waiting.done():
            return
        if "error" in message:
            error = as_object(message["error"])
            code = error.get("code")
            text = as_text(error.get("message"), 300)
            waiting.set_exception(ServerRefusal(code if isinstance(code, int) else 0, text))
        else:
            waiting.set_result(message.get("result"))

    def _break(self, why: str) -> None:
        if self.fault:
            return
        self.fault = why
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(ServerFailure(why))
