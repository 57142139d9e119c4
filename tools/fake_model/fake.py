"""The fake model inside a test's own process.

Owns: the life of the HTTP server and the calls tests use.
Does not own: behaviour (``server``), starting it as a process (``__main__``).
"""

from collections.abc import Mapping
from types import TracebackType
from typing import Self

from aiohttp import web
from pydantic import JsonValue

from tools.fake_model.control import Control
from tools.fake_model.journal import WAIT_S, RequestRecord
from tools.fake_model.scenario import ScenarioSource, load_scenario
from tools.fake_model.server import ModelServer
from tools.fake_model.turns import DEFAULT_GATE

_SHUTDOWN_S = 1.0
"""How long handlers may take to notice that their connection was ended."""

_MAX_READ_BYTES = 1 << 30
"""Safety limit for reading at all; ``Rules.max_request_bytes`` is what clients meet."""


class FakeModel:
    """A fake model on a free local port, as an async context manager."""

    def __init__(
        self,
        source: ScenarioSource = (),
        *,
        variables: Mapping[str, JsonValue] | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        """Prepare a server; entering the context starts it.

        Args:
            source: A scenario, its turns, or the path of a JSON file.
            variables: Values for templates, on top of the scenario's own.
            host: Address to listen on.
            port: 0 picks a free one.

        Raises:
            ScenarioError: The file cannot be read or is not a valid scenario.
        """
        self._host = host
        self._port = port
        self._server = ModelServer(load_scenario(source), dict(variables or {}))
        self._runner: web.AppRunner | None = None
        self._url = ""

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=_MAX_READ_BYTES)
        Control(self._server).add_routes(app)
        self._server.add_routes(app)
        # Cancelled handlers are how a stall notices that the client has left.
        runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=_SHUTDOWN_S
        )
        await runner.setup()
        await web.TCPSite(runner, self._host, self._port).start()
        self._runner = runner
        port = int(runner.addresses[0][1])
        self._url = f"http://{self._host}:{port}"
        return self

    async def __aexit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self._server.hang_up()
        if self._runner is not None:
            await self._runner.cleanup()

    @property
    def url(self) -> str:
        """Base URL for clients, without ``/v1``."""
        return self._url

    @property
    def requests(self) -> list[RequestRecord]:
        """Requests to the messages endpoint, oldest first."""
        return self._server.journal.message_requests

    @property
    def log(self) -> list[RequestRecord]:
        """All requests of the API, token counts and model lists included."""
        return self._server.journal.records

    @property
    def problems(self) -> list[str]:
        """Why requests were refused or met no turn; also failures of the fake model itself."""
        bad = [r for r in self.log if r.outcome in {"refused", "exhausted", "failed"}]
        return [f"request {record.index}: {record.problem or record.outcome}" for record in bad]

    @property
    def unused_turns(self) -> list[int]:
        """Places of the turns that have not answered anything yet."""
        return self._server.playlist.unused()

    def play(self, source: ScenarioSource) -> None:
        """Replace the scenario and start at its beginning; records stay.

        Raises:
            ScenarioError: The file cannot be read or is not a valid scenario.
        """
        self._server.play(load_scenario(source))

    def reset(self) -> None:
        """Start the scenario again and forget requests and unused releases."""
        self._server.reset()

    def release(self, gate: str = DEFAULT_GATE, count: int = 1) -> None:
        """Let ``count`` stalls go on; they may also come later."""
        self._server.gates.release(gate, count)

    async def wait_for_request(self, number: int = 1, timeout_s: float = WAIT_S) -> RequestRecord:
        """Wait until the messages endpoint has read its ``number``-th request, counted from 1.

        Raises:
            TimeoutError: It did not come within ``timeout_s``.
        """
        await self._server.journal.wait_until(
            lambda: len(self._read()) >= number, f"request {number}", timeout_s
        )
        return self._read()[number - 1]

    async def wait_for_end(self, number: int = 1, timeout_s: float = WAIT_S) -> RequestRecord:
        """Wait until the answer to the ``number``-th request has ended, well or not.

        Raises:
            TimeoutError: It did not end within ``timeout_s``.
        """
        record = await self.wait_for_request(number, timeout_s)
        await self._server.journal.wait_until(
            lambda: record.ended_s is not None, f"end of request {number}", timeout_s
        )
        return record

    async def wait_for_stall(
        self, gate: str = DEFAULT_GATE, count: int = 1, timeout_s: float = WAIT_S
    ) -> None:
        """Wait until ``count`` stalls are at the gate.

        Raises:
            TimeoutError: They were not within ``timeout_s``.
        """
        await self._server.journal.wait_until(
            lambda: self._server.gates.waiting(gate) >= count, f"stall at {gate}", timeout_s
        )

    def _read(self) -> list[RequestRecord]:
        return [record for record in self.requests if record.body_read_s is not None]
