"""A client of the real server process, message by message.

Owns: the server's process, framing, requests in both directions, waiting for messages.
Does not own: documents (``wire_editor``), sessions (``chat``), what a test expects.
"""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

WAIT_S = 60.0
"""Longest wait for a message; a test that reaches it fails with what did arrive."""

MAX_LINE_BYTES = 16 * 1024 * 1024
"""Longest line of the server's log that can be read."""

NO_ANSWER: Any = object()
"""What an answerer returns to leave the request open."""

T = TypeVar("T")
Json = dict[str, Any]
Answerer = Callable[[Json], Awaitable[Any] | Any]


class WireError(Exception):
    """The server answered with an error."""

    def __init__(self, error: Json) -> None:
        super().__init__(error.get("message"))
        self.code: int = error["code"]
        self.message: str = error["message"]


class WireClient:
    """Starts ``pilotfish serve`` and speaks with it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.notifications: list[Json] = []
        self.requests: list[Json] = []
        self.stderr: list[str] = []
        self.blocked: list[str] = []
        """What the log tells of a blocked event loop; on a busy machine that may be at any time."""
        self.answerers: dict[str | tuple[str, str], Answerer] = {}
        """What answers the server's requests, by method, or by method and session."""
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._arrived = asyncio.Condition()
        self._next_id = 1
        self._tasks: set[asyncio.Task[None]] = set()

    @classmethod
    async def start(
        cls,
        environment: dict[str, str],
        *,
        cwd: Path,
        arguments: tuple[str, ...] = ("--testing",),
        program: tuple[str, ...] = ("-m", "pilotfish", "serve"),
    ) -> "WireClient":
        """Start a server with a clean environment."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *program,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment,
            cwd=cwd,
            limit=MAX_LINE_BYTES,
        )
        client = cls(process)
        client._start(client._read())
        client._start(client._read_stderr())
        return client

    async def initialize(
        self,
        root: Path,
        *,
        locale: str | None = None,
        options: Json | None = None,
        **capabilities: Any,
    ) -> Json:
        """Do the handshake; the agent capabilities are VS Code's unless given, the options ours beside ``options``."""
        ours: Json = {
            "protocolVersion": 1,
            "permission": True,
            "elicitation": {"form": {}},
            "editor": {"save": True, "notebookEdit": True, "startPrompt": True},
            "workspaceTrusted": True,
        }
        params: Json = {
            "processId": os.getpid(),
            "rootUri": root.as_uri(),
            "workspaceFolders": [{"uri": root.as_uri(), "name": root.name}],
            "capabilities": {
                "workspace": {"codeLens": {"refreshSupport": True}},
                "experimental": {"pilotfish": ours | capabilities},
            },
            "initializationOptions": {"settings": {}, **(options or {})},
            **({} if locale is None else {"locale": locale}),
        }
        result = await self.request("initialize", params)
        self.notify("initialized", {})
        return result

    async def request(self, method: str, params: Any) -> Any:
        """Send a request and wait for its result."""
        return await asyncio.wait_for(self.send_request(method, params)[1], WAIT_S)

    def send_request(self, method: str, params: Any) -> tuple[int, asyncio.Future[Any]]:
        """Send a request; returns its id and the future of its result."""
        message_id, self._next_id = self._next_id, self._next_id + 1
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[message_id] = future
        self.send({"jsonrpc": "2.0", "id": message_id, "method": method, "params": params})
        return message_id, future

    def notify(self, method: str, params: Any) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def reply(self, message_id: int | str, result: Any) -> None:
        """Answer a request of the server."""
        self.send({"jsonrpc": "2.0", "id": message_id, "result": result})

    def send(self, message: Any) -> None:
        """Send a message as it is."""
        self.send_bytes(json.dumps(message).encode())

    def send_bytes(self, body: bytes) -> None:
        """Send a body in a frame."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    async def wait_for(self, method: str, matches: Callable[[Json], bool] = lambda _: True) -> Json:
        """Wait for a notification or request of the server and return its parameters."""
        return await self.wait_until(
            lambda: next(
                (
                    message["params"]
                    for message in [*self.notifications, *self.requests]
                    if message["method"] == method and matches(message["params"])
                ),
                None,
            ),
            f"{method}",
        )

    async def wait_until(self, find: Callable[[], T | None], what: str) -> T:
        """Wait until something that arrived makes ``find`` return a value."""
        try:
            async with asyncio.timeout(WAIT_S), self._arrived:
                while (found := find()) is None:
                    if self.process.returncode is not None:
                        break
                    await self._arrived.wait()
        except TimeoutError:
            found = None
        if found is None:
            seen = [one["method"] for one in [*self.notifications, *self.requests]]
            raise AssertionError(f"no {what}; seen: {seen[-40:]}; log: {self.stderr[-20:]}")
        return found

    async def settle(self) -> None:
        """Wait until the server has taken everything that was sent before this."""
        await self.request("_pilotfish/testing/stats", {})

    async def stop(self) -> int:
        """Shut down as LSP says; returns the exit code."""
        if self.process.returncode is None:
            await self.request("shutdown", None)
            self.notify("exit", None)
        return await self.wait_for_exit()

    async def wait_for_exit(self) -> int:
        """Wait for the server's end; returns the exit code."""
        code = await asyncio.wait_for(self.process.wait(), WAIT_S)
        for task in tuple(self._tasks):
            await asyncio.wait([task], timeout=WAIT_S)
        return code

    def updates(self, kind: str | None = None) -> list[Json]:
        """Return the session updates so far, all or those of one kind."""
        found = [one["params"] for one in self.notifications if one["method"] == "session/update"]
        if kind is None:
            return found
        return [one for one in found if one["update"]["sessionUpdate"] == kind]

    def text(self) -> str:
        """Return the agent's text so far."""
        chunks = self.updates("agent_message_chunk")
        return "".join(one["update"]["content"]["text"] for one in chunks)

    def _start(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _read(self) -> None:
        stdout = self.process.stdout
        assert stdout is not None
        try:
            while True:
                header = await stdout.readuntil(b"\r\n\r\n")
                length = next(
                    int(line.split(b":")[1])
                    for line in header.split(b"\r\n")
                    if line.lower().startswith(b"content-length")
                )
                await self._take(json.loads(await stdout.readexactly(length)))
        except (asyncio.IncompleteReadError, ConnectionError):
            for future in self._waiting.values():
                if not future.done():
                    future.set_exception(ConnectionError("\n".join(self.stderr[-30:])))
                    future.exception()  # a test that kills the server need not wait for its answers
            async with self._arrived:
                self._arrived.notify_all()

    async def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        log = self.stderr
        async for line in self.process.stderr:
            text = line.decode("utf-8", "replace").rstrip()
            if not text.startswith(" ") and (text or log is self.stderr):  # the stack is indented
                log = self.blocked if "pilotfish.util.loop_watch" in text else self.stderr
            log.append(text)

    async def _take(self, message: Json) -> None:
        if "method" not in message:
            future = self._waiting.pop(message["id"], None) if message["id"] is not None else None
            if future is None:
                self.notifications.append({"method": "$error", "params": message})
            elif future.done():
                pass
            elif "error" in message:
                future.set_exception(WireError(message["error"]))
            else:
                future.set_result(message["result"])
        elif "id" in message:
            message.setdefault("params", {})  # some requests of LSP have none
            self.requests.append(message)
            self._start(self._answer(message))
        else:
            self.notifications.append(message)
        async with self._arrived:
            self._arrived.notify_all()

    async def _answer(self, message: Json) -> None:
        method, session = message["method"], message["params"].get("sessionId", "")
        answerer = self.answerers.get((method, session)) or self.answerers.get(method)
        if answerer is None:
            return
        result = answerer(message["params"])
        if asyncio.iscoroutine(result):
            result = await result
        if result is not NO_ANSWER:
            self.reply(message["id"], result)
