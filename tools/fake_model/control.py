"""Control routes for other processes.

Owns: ``/__fake__/*``. Does not own: what the commands do (``server``).
"""

from aiohttp import web
from pydantic import JsonValue

from tools.fake_model.journal import WAIT_S
from tools.fake_model.jsontypes import JsonObject
from tools.fake_model.scenario import ScenarioError, parse_scenario
from tools.fake_model.server import ModelServer
from tools.fake_model.turns import DEFAULT_GATE

PREFIX = "/__fake__"


class Control:
    """Commands to a model server over HTTP."""

    def __init__(self, server: ModelServer) -> None:
        self._server = server

    def add_routes(self, app: web.Application) -> None:
        """Serve the commands."""
        app.router.add_get(f"{PREFIX}/requests", self._requests)
        app.router.add_get(f"{PREFIX}/state", self._state)
        app.router.add_post(f"{PREFIX}/scenario", self._scenario)
        app.router.add_post(f"{PREFIX}/release", self._release)
        app.router.add_post(f"{PREFIX}/reset", self._reset)

    async def _requests(self, request: web.Request) -> web.Response:
        """List records; ``?count=N`` waits for N of them, ``?ended=N`` for N that have ended."""
        query = request.query
        journal = self._server.journal
        try:
            count, ended = int(query.get("count", 0)), int(query.get("ended", 0))
            timeout_s = float(query.get("timeout_s", WAIT_S))
        except ValueError as error:
            return _problem(400, str(error))

        def arrived() -> bool:
            records = journal.message_requests
            done = sum(record.ended_s is not None for record in records)
            return len(records) >= count and done >= ended

        try:
            await journal.wait_until(arrived, f"{count} requests, {ended} ended", timeout_s)
        except TimeoutError as error:
            return _problem(408, str(error))
        records = journal.records if query.get("all") == "1" else journal.message_requests
        with_body = query.get("bodies", "1") != "0"
        listed: list[JsonValue] = [record.to_json(with_body=with_body) for record in records]
        return web.json_response({"requests": listed})

    async def _state(self, request: web.Request) -> web.Response:
        gate = request.query.get("gate", DEFAULT_GATE)
        state: JsonObject = {
            "unused_turns": [*self._server.playlist.unused()],
            "stalled": self._server.gates.waiting(gate),
            "requests": len(self._server.journal.message_requests),
        }
        return web.json_response(state)

    async def _scenario(self, request: web.Request) -> web.Response:
        try:
            scenario = parse_scenario(await request.read())
        except ScenarioError as error:
            return _problem(400, str(error))
        self._server.play(scenario)
        return web.json_response({"ok": True})

    async def _release(self, request: web.Request) -> web.Response:
        try:
            count = int(request.query.get("count", 1))
        except ValueError as error:
            return _problem(400, str(error))
        self._server.gates.release(request.query.get("gate", DEFAULT_GATE), count)
        return web.json_response({"ok": True})

    async def _reset(self, _request: web.Request) -> web.Response:
        self._server.reset()
        return web.json_response({"ok": True})


def _problem(status: int, message: str) -> web.Response:
    return web.json_response({"error": message}, status=status)
