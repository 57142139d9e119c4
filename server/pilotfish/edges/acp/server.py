"""One ACP client from start to end.

Owns: reading and writing lines, ``initialize`` and ``authenticate``.
"""

import asyncio
import logging
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from typing import Any, BinaryIO, cast

from acp import PROTOCOL_VERSION, schema

from pilotfish import __version__
from pilotfish.core.errors import InvalidField
from pilotfish.edges.acp.sign_in import auth_methods, require_signed_in
from pilotfish.edges.channel import (
    AgentChannel,
    Handler,
    LatePeer,
    envelope_problem,
)
from pilotfish.edges.localise import localise, translator
from pilotfish.edges.output import OutputWriter
from pilotfish.edges.oversized import MAX_MESSAGE_BYTES, Oversized, oversized
from pilotfish.edges.session_methods import SessionMethods
from pilotfish.edges.terminals import ClientTerminals
from pilotfish.session.manager import SessionManager
from pilotfish.util import strict_json

logger = logging.getLogger(__name__)

CLOSE_TIMEOUT_S = 3.0
"""How long the last messages may take to reach a slow client."""

PARSE_ERROR = -32700
INVALID_REQUEST = -32600


class AcpConnection:
    """Serves one client over a pair of streams."""

    def __init__(
        self, stdout: BinaryIO, manager: SessionManager, *, locale: str | None = None
    ) -> None:
        """Set it up; ``locale`` is the language of the process, such as ``zh_CN.UTF-8``."""
        self._translate = translator(locale)
        self._loop = asyncio.get_running_loop()
        self._manager = manager
        self._ended = asyncio.Event()
        self._output = OutputWriter(stdout, _write_line, self._end_soon)
        self._can_fill_forms = False
        sessions = SessionMethods(
            manager,
            LatePeer(self._get_channel),
            can_answer=True,
            can_fill_forms=lambda: self._can_fill_forms,
            extended=False,
            context=list,
        )
        self._sessions = sessions
        table: dict[str, Handler] = {
            **sessions.handlers(),
            "initialize": Handler(params=schema.InitializeRequest, call=self._initialize),
            "authenticate": Handler(params=schema.AuthenticateRequest, call=self._authenticate),
        }
        self._channel = AgentChannel(self._send, table)

    async def run(self, stdin: BinaryIO) -> None:
        """Serve until the client closes its end or a signal comes."""
        reader = threading.Thread(target=self._read, args=(stdin,), name="acp-reader", daemon=True)
        if sys.platform != "win32":
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                self._loop.add_signal_handler(number, self._ended.set)
        reader.start()
        try:
            await self._ended.wait()
        finally:
            self._channel.hang_up()
            await self._manager.suspend_all()
            await self._sessions.close()
            await self._channel.close()
            await asyncio.to_thread(self._output.close, CLOSE_TIMEOUT_S)

    def _get_channel(self) -> AgentChannel:
        return self._channel

    async def _initialize(self, params: schema.InitializeRequest) -> dict[str, Any]:
        capabilities = params.client_capabilities
        elicitation = capabilities.elicitation if capabilities is not None else None
        self._can_fill_forms = elicitation is not None and elicitation.form is not None
        if capabilities is not None and capabilities.terminal:
            peer = LatePeer(self._get_channel)
            self._manager.offer_terminals(ClientTerminals(peer, self._manager.watch_outside))
        return {
            "protocolVersion": min(params.protocol_version, PROTOCOL_VERSION),
            "agentInfo": {"name": "pilotfish", "title": "Pilotfish", "version": __version__},
            "agentCapabilities": {
                "loadSession": True,
                "promptCapabilities": {"image": True, "embeddedContext": True},
                "sessionCapabilities": {
                    "list": {},
                    "delete": {},
                    "resume": {},
                    "fork": {},
                    "close": {},
                },
            },
            "authMethods": auth_methods(await self._provider()),
        }

    async def _authenticate(self, params: schema.AuthenticateRequest) -> dict[str, Any]:
        """Look again: settings may name a model now. Keys come with the environment alone."""
        provider = await self._provider()
        offered = [method["id"] for method in auth_methods(provider)]
        if offered and params.method_id not in offered:
            raise InvalidField("methodId", f"there is: {', '.join(offered)}")
        require_signed_in(provider)
        return {}

    async def _provider(self) -> Mapping[str, str]:
        return (await self._manager.describe_provider()).described

    def _read(self, stdin: BinaryIO) -> None:
        """Read lines on a thread; each is handled before the next is read."""
        try:
            while line := stdin.readline(MAX_MESSAGE_BYTES + 1):
                if len(line) > MAX_MESSAGE_BYTES:
                    size = len(line) + _skip_line(stdin, line)
                    self._on_loop(self._refuse_oversized, oversized(line, size))
                elif line.strip():
                    self._on_loop(self._take, _parsed(line))
        except (OSError, ValueError, RuntimeError, CancelledError) as error:
            logger.debug("input ended: %s", error)
        finally:
            self._end_soon()

    def _on_loop(self, call: Callable[..., None], *args: Any) -> None:
        async def run() -> None:
            call(*args)

        asyncio.run_coroutine_threadsafe(run(), self._loop).result()

    def _take(self, message: object) -> None:
        if isinstance(message, _NoJsonError):
            self._refuse(PARSE_ERROR, f"not valid JSON: {message}")
            return
        if not isinstance(message, dict):
            self._refuse(INVALID_REQUEST, "a message must be a JSON object")
            return
        found = cast("dict[str, Any]", message)
        problem = envelope_problem(found)
        if problem:
            logger.warning("dropped a message: %s", problem)
            refusal = self._channel.refuse(found, problem)
            if refusal is not None:
                self._send(refusal)
        elif "method" in found or self._channel.is_waiting(found.get("id")):
            self._channel.receive(found)

    def _refuse_oversized(self, found: Oversized) -> None:
        logger.error("%s", found.report)
        if not found.method and self._channel.give_up(found.id, found.refusal):
            return
        self._refuse(INVALID_REQUEST, found.refusal, found.id)

    def _refuse(self, code: int, text: str, message_id: int | str | None = None) -> None:
        error = {"code": code, "message": text}
        self._send({"jsonrpc": "2.0", "id": message_id, "error": error})

    def _send(self, message: dict[str, Any]) -> None:
        said = localise(message, self._translate)
        self._output.write(strict_json.encode(said))

    def _end_soon(self) -> None:
        """End from another thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._ended.set)


class _NoJsonError(Exception):
    """A line is no JSON."""


def _parsed(line: bytes) -> object:
    """Read a line; done by the reader's thread, since a long one takes a while."""
    try:
        return strict_json.loads(line)
    except (ValueError, RecursionError) as error:
        return _NoJsonError(str(error))


def _write_line(stdout: BinaryIO, line: bytes) -> None:
    stdout.write(line + b"\n")
    stdout.flush()


def _skip_line(stdin: BinaryIO, beginning: bytes) -> int:
    """Skip what is left of a line; return how much that was."""
    piece, skipped = beginning, 0
    while piece and not piece.endswith(b"\n"):
        piece = stdin.readline(1 << 20)
        skipped += len(piece)
    return skipped
