"""Commands in the client's terminals, by ACP's ``terminal/*`` methods.

Owns: the life of one terminal, its limits, its output in pieces as a child's would come.
Does not own: when a command runs there (``tools.bash``), the terminal (client).
"""

import asyncio
import logging
import signal
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pilotfish.core.errors import ProcessError
from pilotfish.core.ids import SessionId
from pilotfish.edges.channel import REQUEST_FAILED, ChannelError
from pilotfish.edges.peer import Peer
from pilotfish.ports.processes import EndedBy, ProcessResult, ProcessSpec, WatchOutside
from pilotfish.util.tasks import TaskScope

logger = logging.getLogger(__name__)

POLL_S = 0.5
"""How often new output is asked for; each answer holds all of it."""

SLOW_POLL_S = 5.0
"""The same once there is much."""

MUCH_CHARS = 200_000

MAX_KEPT_BYTES = 8 * 1024 * 1024
"""Output that the client is asked to keep: it travels in one message, which has a limit."""

ANSWER_S = 10.0
"""How long the client may take to answer anything but the wait for the end."""

SILENT = f"the client did not answer within {ANSWER_S:.0f} seconds"


class ClientTerminals:
    """Implements ``ports.terminals.TerminalPort``."""

    def __init__(self, peer: Peer, watch: WatchOutside) -> None:
        """Set it up.

        Args:
            peer: The client.
            watch: Watches what a command takes, where it runs on this machine, and has it end with us.
        """
        self._peer = peer
        self._watch = watch
        self._creations = TaskScope("terminals")
        """Requests for terminals; each ends with the connection at the latest."""

    async def run(
        self,
        session: SessionId,
        spec: ProcessSpec,
        *,
        timeout_s: float,
        on_open: Callable[[str], None],
    ) -> ProcessResult:
        """Run a command in a terminal of the client; see ``TerminalPort.run``."""
        progress = _Progress()
        watch = self._watch(spec.limits, progress.complain, lambda: progress.taken)
        try:
            environment = {**spec.env, **watch.variables}
            terminal = await self._open(session, environment, spec, progress)
            ended_by, code, number = await _to_its_end(terminal, spec, timeout_s, on_open)
        finally:
            watch.close()
        return ProcessResult(
            exit_code=code,
            signal=number,
            output=b"",
            error_output=b"",
            ended_by=ended_by,
            reason=progress.complaint,
        )

    async def _open(
        self,
        session: SessionId,
        environment: Mapping[str, str],
        spec: ProcessSpec,
        progress: "_Progress",
    ) -> "_Terminal":
        program, *arguments = spec.argv
        params = {
            "sessionId": session,
            "command": program,
            "args": arguments,
            "cwd": str(spec.cwd),
            "env": [{"name": name, "value": text} for name, text in environment.items()],
            "outputByteLimit": min(spec.max_output_bytes, MAX_KEPT_BYTES),
            "_meta": {"pilotfish": {"label": spec.label}},
        }
        creation = self._creations.start(
            self._peer.ask("terminal/create", params), name="create", awaited=True
        )
        try:
            async with asyncio.timeout(ANSWER_S):
                answer = await asyncio.shield(creation)
        except TimeoutError as error:
            self._put_away(session, creation)
            raise ProcessError(f"{spec.label} was not started in a terminal: {SILENT}.") from error
        except asyncio.CancelledError:
            self._put_away(session, creation)
            raise
        except ChannelError as error:
            raise ProcessError(f"{spec.label} was not started in a terminal: {error}.") from error
        terminal_id = _terminal_of(answer)
        if terminal_id is None:
            raise ProcessError(f"{spec.label} was not started: the client named no terminal.")
        return _Terminal(self._peer, _names(session, terminal_id), spec, progress)

    def _put_away(self, session: SessionId, creation: asyncio.Task[dict[str, Any]]) -> None:
        """End a command that nobody waits for any more, once the client says where it runs."""
        self._creations.start(self._end_late(session, creation), name="put away")

    async def _end_late(self, session: SessionId, creation: asyncio.Task[dict[str, Any]]) -> None:
        try:
            terminal_id = _terminal_of(await creation)
            if terminal_id is not None:
                names = _names(session, terminal_id)
                await _answered(self._peer.ask("terminal/kill", names))
                await _answered(self._peer.ask("terminal/release", names))
        except ChannelError as error:
            logger.warning("a terminal that came too late: %s", error)


class _Progress:
    """How far a command is, for who watches it, and what they say."""

    def __init__(self) -> None:
        self.taken = 0
        """Bytes that were passed on."""
        self.complaint = ""
        """Why it is to be ended; empty while it takes no more than it may."""

    def complain(self, reason: str) -> None:
        """Have the command ended: it takes too much."""
        self.complaint = reason


class _Terminal:
    def __init__(
        self, peer: Peer, names: dict[str, str], spec: ProcessSpec, progress: _Progress
    ) -> None:
        self._peer = peer
        self._names = names
        self._spec = spec
        self._seen = ""
        """Output as the client last told it."""
        self._progress = progress
        self.id = names["terminalId"]

    async def until_done(self, timeout_s: float) -> EndedBy:
        """Wait for the end, passing output on meanwhile."""
        scope = TaskScope("terminal")
        wait = self._peer.ask("terminal/wait_for_exit", self._names)
        waiting = scope.start(wait, name=self.id, awaited=True)
        deadline = time.monotonic() + timeout_s
        try:
            while True:
                left = deadline - time.monotonic()
                if left <= 0:
                    return "timeout"
                pause = SLOW_POLL_S if len(self._seen) > MUCH_CHARS else POLL_S
                done, _ = await asyncio.wait({waiting}, timeout=min(pause, left))
                if done:
                    waiting.result()
                    return "itself"
                await self.read()
                if self._progress.taken > self._spec.max_output_bytes:
                    return "output_limit"
                if self._progress.complaint:
                    return "resource_limit"
        finally:
            await scope.close()

    async def read(self) -> None:
        """Pass on what is new."""
        output = (await self._ask("terminal/output")).get("output")
        if not isinstance(output, str):
            return
        new = _news(self._seen, output).encode("utf-8", "replace")
        self._seen = output
        self._progress.taken += len(new)
        if new and self._spec.on_output is not None:
            self._spec.on_output(new)

    async def exit_status(self) -> tuple[int | None, int | None]:
        """Return exit code and number of the signal, one of them None; both where the client says neither."""
        status = await self._ask("terminal/wait_for_exit")
        code, name = status.get("exitCode"), status.get("signal")
        if isinstance(code, int):
            return code, None
        return None, _number_of(name) if isinstance(name, str) else None

    async def kill(self) -> None:
        """End the command; the terminal stays for people to read."""
        await self._try("terminal/kill")

    async def release(self) -> None:
        """Tell the client that nothing more is wanted of it."""
        await self._try("terminal/release")

    async def _try(self, method: str) -> None:
        try:
            await self._ask(method)
        except ChannelError as error:
            logger.warning("%s: %s", method, error)

    async def _ask(self, method: str) -> dict[str, Any]:
        return await _answered(self._peer.ask(method, self._names))


async def _to_its_end(
    terminal: _Terminal, spec: ProcessSpec, timeout_s: float, on_open: Callable[[str], None]
) -> tuple[EndedBy, int | None, int | None]:
    """Return what ended a command, its exit code and the number of its signal."""
    try:
        on_open(terminal.id)
        ended_by = await terminal.until_done(timeout_s)
        if ended_by != "itself":
            await terminal.kill()
        code, number = await terminal.exit_status()
        await terminal.read()
    except asyncio.CancelledError:
        await asyncio.shield(terminal.kill())
        raise
    except ChannelError as error:
        raise ProcessError(f"The terminal of {spec.label} does not answer: {error}.") from error
    finally:
        await asyncio.shield(terminal.release())
    return ended_by, code, number


async def _answered(request: Awaitable[dict[str, Any]]) -> dict[str, Any]:
    """Return the answer to a request.

    Raises:
        ChannelError: It is an error, or there was none in time.
    """
    try:
        async with asyncio.timeout(ANSWER_S):
            return await request
    except TimeoutError as error:
        raise ChannelError(REQUEST_FAILED, SILENT) from error


def _terminal_of(answer: Mapping[str, Any]) -> str | None:
    """Return the terminal that the client names; None when it names none."""
    found = answer.get("terminalId")
    return found if isinstance(found, str) and found else None


def _names(session: SessionId, terminal_id: str) -> dict[str, str]:
    return {"sessionId": session, "terminalId": terminal_id}


def _news(before: str, now: str) -> str:
    """Return what came after ``before``; the client drops the beginning of long output."""
    if now.startswith(before):
        return now[len(before) :]
    end = before[-1_000:]
    found = now.rfind(end)
    return now if found < 0 else now[found + len(end) :]


def _number_of(name: str) -> int | None:
    """Return the number of a signal; None for one that this system does not know.

    Clients write it with or without SIG, in the system's words ("Terminated"), or as a number.
    """
    written = name.strip().upper()
    if written.isdecimal():
        return int(written)
    for one in signal.Signals:
        words = (signal.strsignal(one) or "").upper()
        if written in (one.name, one.name.removeprefix("SIG"), words):
            return int(one)
    return None
