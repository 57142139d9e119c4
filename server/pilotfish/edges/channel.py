"""The agent channel: ACP's session methods and ``_pilotfish/*``, whatever carries them.

Owns: decoding requests, running their handlers as tasks, cancelling them, answering; our own
requests to the client and their answers. The one place where an exception becomes a wire error.
Does not own: what the methods do (``edges.session_methods``), framing (each edge's own).

Parameters are plain JSON until a pydantic model has validated them, so foreign JSON (tool input,
MCP payloads) passes unharmed whatever its keys.
"""

import asyncio
import itertools
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from pilotfish.core.errors import InvalidField, ModelNeeded, PilotfishError
from pilotfish.util.records import dataclass
from pilotfish.util.tasks import TaskScope

logger = logging.getLogger(__name__)

M = TypeVar("M", bound=BaseModel)

RAW_PREFIXES = ("session/", "elicitation/", "fs/", "terminal/", "_pilotfish/")
"""Methods of the channel, in both directions."""

INVALID_REQUEST = -32600
INVALID_PARAMS = -32602
METHOD_NOT_FOUND = -32601
INTERNAL_ERROR = -32603
AUTH_REQUIRED = -32000
"""ACP's code for a request that needs a key or the like first."""
TESTING_PREFIX = "_pilotfish/testing/"
"""Methods that only a server has which was started with ``--testing``."""
PATHS = ("cwd", "path", "storedIn")
"""Fields that name a file or a folder."""
REQUEST_CANCELLED = -32800
REQUEST_FAILED = -32803
"""LSP's code for a request that was valid and failed."""

MAX_RUNNING = 2_000
"""Requests of the client that may run at once; a prompt that waits for its turn is one of them, and all that
may wait (``session.prompt_queue``) must leave room for others."""


class ChannelError(Exception):
    """The client answered one of our requests with an error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class ClientGoneError(ChannelError):
    """Nobody will answer: the client has gone, or we are going."""

    def __init__(self) -> None:
        super().__init__(REQUEST_CANCELLED, "the client has gone")


@dataclass(frozen=True, kw_only=True, slots=True)
class Handler:
    """One method that the client may call."""

    params: type[BaseModel]
    call: Callable[[Any], Awaitable[BaseModel | dict[str, Any] | None]]
    longest: tuple[tuple[str, int], ...] = ()
    """Lists of the parameters and how much each may hold; looked at before anything is read."""


class AgentChannel:
    """Runs handlers and keeps track of requests in both directions."""

    def __init__(
        self, send: Callable[[dict[str, Any]], None], handlers: Mapping[str, Handler]
    ) -> None:
        self._send = send
        self._handlers = handlers
        self._tasks = TaskScope("channel")
        self._running: dict[int | str, asyncio.Task[None]] = {}
        self._waiting: dict[int | str, asyncio.Future[Any]] = {}
        self._ids = itertools.count(1)
        self._hung_up = False

    def receive(self, message: dict[str, Any]) -> None:
        """Take one message of the channel, ``$/cancelRequest`` and responses included.

        The message must have passed ``envelope_problem``.
        """
        method = message.get("method")
        if method is None:
            self._resolve(message)
        elif method == "$/cancelRequest":
            self._cancel(cancelled_id(message))
        elif "id" in message:
            self._start_request(message["id"], str(method), message.get("params"))
        else:
            self._tasks.start(self._notified(str(method), message.get("params")), name=str(method))

    def is_running(self, message_id: int | str | None) -> bool:
        """Tell whether a request of the client with that id runs on this channel."""
        return message_id in self._running

    def is_waiting(self, message_id: int | str | None) -> bool:
        """Tell whether one of our requests with that id waits for its answer."""
        return message_id in self._waiting

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    async def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its result; a cancelled wait cancels it at the client too.

        Raises:
            ChannelError: The client answered with an error.
            ClientGoneError: Nobody will answer; it was sent all the same.
        """
        message_id = f"pilotfish-{next(self._ids)}"
        request = {"jsonrpc": "2.0", "id": message_id, "method": method, "params": params}
        if self._hung_up:
            self._send(request)
            raise ClientGoneError
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[message_id] = future
        self._send(request)
        try:
            result = await future
        except asyncio.CancelledError:
            self.notify("$/cancelRequest", {"id": message_id})
            raise
        finally:
            self._waiting.pop(message_id, None)
        return cast("dict[str, Any]", result) if isinstance(result, dict) else {}

    def serve(self, handlers: Mapping[str, Handler]) -> None:
        """Answer with other handlers from here on."""
        self._handlers = handlers

    async def end_requests(self) -> None:
        """Cancel every request of the client but the one that asks for it."""
        others = {task for task in self._running.values() if task is not asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def hang_up(self) -> None:
        """Wait for no answer to what is asked from now on: the connection ends.

        Whoever tidies up still says so, for a client that listens to the end.
        """
        self._hung_up = True

    async def close(self) -> None:
        """End every handler and give up every wait."""
        for future in self._waiting.values():
            future.cancel()
        await self._tasks.close()

    def _cancel(self, message_id: int | str | None) -> None:
        """Cancel a request; one that has ended in the meantime is none of our business."""
        task = None if message_id is None else self._running.get(message_id)
        if task is not None:
            task.cancel()

    def refuse(self, message: Mapping[str, Any], problem: str) -> dict[str, Any] | None:
        """Take an object that is no message; returns what its sender is told, None for responses."""
        if "method" not in message and self.give_up(id_of(message), problem):
            return None
        return refusal_of(message, problem)

    def give_up(self, message_id: int | str | None, problem: str) -> bool:
        """End the wait for an answer that came and cannot be taken; False when nobody waits for it."""
        if message_id is None or not self.is_waiting(message_id):
            return False
        error = ChannelError(INVALID_REQUEST, f"its answer cannot be read: {problem}")
        self._fail_wait(message_id, error)
        return True

    def _resolve(self, message: dict[str, Any]) -> None:
        error = message.get("error")
        if isinstance(error, dict):
            details = cast("dict[str, Any]", error)
            code = details.get("code")
            text = str(details.get("message", ""))
            self._fail_wait(
                message["id"], ChannelError(code if isinstance(code, int) else INTERNAL_ERROR, text)
            )
            return
        future = self._waiting.get(message["id"])
        if future is not None and not future.done():
            future.set_result(message.get("result"))

    def _fail_wait(self, message_id: int | str, error: ChannelError) -> None:
        future = self._waiting.get(message_id)
        if future is not None and not future.done():
            future.set_exception(error)

    def _start_request(self, message_id: int | str, method: str, params: Any) -> None:
        if len(self._running) >= MAX_RUNNING:
            self._fail(message_id, REQUEST_FAILED, f"{MAX_RUNNING} requests are running already")
            return
        task = self._tasks.start(self._answer(message_id, method, params), name=method)
        self._running[message_id] = task
        task.add_done_callback(lambda done: self._ended(message_id, done))

    def _ended(self, message_id: int | str, task: asyncio.Task[None]) -> None:
        self._running.pop(message_id, None)
        if task.cancelled():
            self._fail(message_id, REQUEST_CANCELLED, "The request was cancelled.")

    async def _answer(self, message_id: int | str, method: str, params: Any) -> None:
        """Run one request to its answer; the boundary where errors take their wire form."""
        begun = time.perf_counter()
        try:
            result = await self._call(method, params)
        except ValidationError as error:
            self._fail(message_id, INVALID_PARAMS, describe_invalid(method, error))
        except _UnknownMethodError:
            self._fail(message_id, METHOD_NOT_FOUND, _no_method(method))
        except InvalidField as error:
            self._fail(message_id, INVALID_PARAMS, f"Invalid parameters of {method}: {error}")
        except ModelNeeded as error:
            self._fail(message_id, AUTH_REQUIRED, str(error))
        except PilotfishError as error:
            self._fail(message_id, REQUEST_FAILED, str(error), kind=error.kind)
        except Exception as error:  # the wire boundary: a handler never kills the connection
            logger.exception("%s failed", method)
            self._fail(message_id, INTERNAL_ERROR, f"{type(error).__name__}: {error}")
        else:
            self._send({"jsonrpc": "2.0", "id": message_id, "result": result})
            logger.debug("%s took %.1f ms", method, (time.perf_counter() - begun) * 1_000)

    async def _notified(self, method: str, params: Any) -> None:
        try:
            await self._call(method, params)
        except ValidationError as error:
            logger.warning("%s", describe_invalid(method, error))
        except _UnknownMethodError:
            logger.warning("ignored notification %s", method)
        except PilotfishError as error:
            logger.warning("%s: %s", method, error)

    async def _call(self, method: str, params: Any) -> Any:
        handler = self._handlers.get(method)
        if handler is None:
            raise _UnknownMethodError
        _refuse_outright(handler, params)
        decoded = handler.params.model_validate({} if params is None else params)
        result = await handler.call(decoded)
        if isinstance(result, BaseModel):
            return result.model_dump(mode="json", by_alias=True)
        return result

    def _fail(self, message_id: int | str, code: int, text: str, *, kind: str = "") -> None:
        error: dict[str, Any] = {"code": code, "message": text}
        if kind:
            error["data"] = {"kind": kind}
        self._send({"jsonrpc": "2.0", "id": message_id, "error": error})


class LatePeer:
    """The client's side of a channel, for those who are built before the channel is."""

    def __init__(self, channel: Callable[[], AgentChannel]) -> None:
        self._channel = channel

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification."""
        self._channel().notify(method, params)

    async def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its result."""
        return await self._channel().ask(method, params)


class _UnknownMethodError(Exception):
    """The client called something that does not exist."""


def _no_method(name: str) -> str:
    if name.startswith(TESTING_PREFIX):
        return f"There is no method {name}: the server was not started for tests (--testing)."
    return f"There is no method {name}."


def envelope_problem(message: Mapping[str, Any]) -> str:
    """Return what makes a JSON object no message of JSON-RPC; empty when it is one."""
    if message.get("jsonrpc") != "2.0":
        return 'jsonrpc: must be "2.0"'
    if "id" in message and not _is_id(message["id"]):
        return "id: must be an integer or a string"
    if "method" in message:
        return "" if isinstance(message["method"], str) else "method: must be a string"
    if "id" not in message:
        return "method: is missing"
    error = message.get("error")
    return "" if error is None or isinstance(error, dict) else "error: must be an object"


def refusal_of(message: Mapping[str, Any], problem: str) -> dict[str, Any] | None:
    """Return the answer to an object that is no message; None for responses and the like."""
    if "method" not in message and "id" not in message:
        message_id = None
    elif "id" in message and "method" in message:
        message_id = message["id"] if _is_id(message["id"]) else None
    else:
        return None
    error = {"code": INVALID_REQUEST, "message": f"This is no JSON-RPC message: {problem}."}
    return {"jsonrpc": "2.0", "id": message_id, "error": error}


def cancelled_id(message: Mapping[str, Any]) -> int | str | None:
    """Return the id that a ``$/cancelRequest`` names; None when it names none."""
    params = message.get("params")
    return id_of(cast("dict[str, Any]", params)) if isinstance(params, dict) else None


def id_of(message: Mapping[str, Any]) -> int | str | None:
    """Return an object's id; None when it has none that is one."""
    found = message.get("id")
    return found if _is_id(found) else None


def _is_id(value: Any) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _refuse_outright(handler: Handler, params: Any) -> None:
    """Look at what no model looks at: lists too long, paths with a NUL, and ``_meta``, which ACP's models drop.

    Raises:
        InvalidField: A list is too long, a path cannot be one, or ``_meta`` is no object.
    """
    if not isinstance(params, dict):
        return
    given = cast("dict[str, Any]", params)
    for field, most in handler.longest:
        found = given.get(field)
        if isinstance(found, list) and (size := len(cast("list[Any]", found))) > most:
            raise InvalidField(field, f"it holds {size:,} things; {most:,} is the limit.")
    for field in PATHS:
        if isinstance(found := given.get(field), str) and "\0" in found:
            raise InvalidField(field, "it holds a NUL, which no path does.")
    path, found = "_meta", given.get("_meta")
    if isinstance(found, dict):
        path, found = "_meta.pilotfish", cast("dict[str, Any]", found).get("pilotfish")
    if found is not None and not isinstance(found, dict):
        raise InvalidField(path, "it must be an object.")


def describe_invalid(method: str, error: ValidationError) -> str:
    """Name every field that is wrong and how."""
    problems = [f"{path}: {problem}" for path, problem in _problems(error)]
    return f"Invalid parameters of {method}: {'; '.join(problems)}"


def pilotfish_meta(model: type[M], meta: dict[str, Any] | None) -> M:
    """Read what a message of ACP holds for us.

    Raises:
        InvalidField: It is not what the model says; names the field by its whole path.
    """
    found = (meta or {}).get("pilotfish")
    try:
        return model.model_validate({} if found is None else found)
    except ValidationError as error:
        (first, problem), *others = (
            (f"_meta.pilotfish.{path}" if path != "params" else "_meta.pilotfish", text)
            for path, text in _problems(error)
        )
        problems = [problem, *(f"{path}: {text}" for path, text in others)]
        raise InvalidField(first, "; ".join(problems)) from error


def _problems(error: ValidationError) -> list[tuple[str, str]]:
    """Return each wrong field's path and what is wrong with it."""
    return [
        (".".join(str(part) for part in problem["loc"]) or "params", problem["msg"])
        for problem in error.errors(include_url=False, include_input=False)
    ]
