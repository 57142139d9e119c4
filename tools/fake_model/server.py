"""The HTTP side of the Messages API.

Owns: routes under ``/v1``, credentials, and the one place where errors become responses.
Does not own: checking bodies (``validation``), choosing turns (``playlist``), sending replies
(``delivery``), the control routes (``control``).
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import assert_never

from aiohttp import web
from pydantic import JsonValue

from tools.fake_model.delivery import Delivery, cut, sleep_ms
from tools.fake_model.errors import NAMED, ApiError, error_body
from tools.fake_model.facts import RequestFacts
from tools.fake_model.gates import Gates
from tools.fake_model.identity import IdSource
from tools.fake_model.journal import MESSAGES_PATH, Journal, RequestRecord
from tools.fake_model.jsontypes import JsonObject, as_text
from tools.fake_model.playlist import Playlist
from tools.fake_model.reply import build_reply, estimate_tokens
from tools.fake_model.scenario import Scenario
from tools.fake_model.turns import HttpError
from tools.fake_model.validation import InvalidRequestError, RequestCheck, parse_body

DEFAULT_MODEL = "fake-model"
"""What the list of models names when the scenario names none."""

_DEFAULT_WINDOW_TOKENS = 200_000
_DEFAULT_OUTPUT_TOKENS = 64_000

Handler = Callable[[web.Request, RequestRecord], Awaitable[web.StreamResponse]]


class ModelServer:
    """One fake model: its scenario, its position in it, and what happened so far."""

    def __init__(self, scenario: Scenario, variables: Mapping[str, JsonValue]) -> None:
        """Prepare to play ``scenario``; ``variables`` go on top of those of every scenario."""
        self._variables = variables
        self.journal = Journal()
        self.gates = Gates()
        self._ids = IdSource()
        self._open: dict[int, web.Request] = {}
        """Requests that are being answered, by index in the journal."""
        self._invented_tools: set[str] = set()
        self.play(scenario)

    def play(self, scenario: Scenario) -> None:
        """Start a scenario from its beginning; running answers go on."""
        self.scenario = scenario.with_variables(self._variables)
        self.playlist = Playlist(scenario)
        self._check = RequestCheck(scenario.effective_rules(), self._invented_tools)

    def reset(self) -> None:
        """Start the scenario again and forget requests and unused releases."""
        self._invented_tools.clear()
        self.play(self.scenario)
        self.journal.clear()
        self.gates.reset()

    def add_routes(self, app: web.Application) -> None:
        """Serve the API."""
        app.router.add_post(MESSAGES_PATH, self._handle(self._messages))
        app.router.add_post(f"{MESSAGES_PATH}/count_tokens", self._handle(self._count_tokens))
        app.router.add_get("/v1/models", self._handle(self._models))
        app.router.add_get("/v1/models/{model}", self._handle(self._model))
        app.router.add_route("*", "/{path:.*}", self._handle(self._unknown))

    def hang_up(self) -> None:
        """End the connections of all running answers."""
        for request in self._open.values():
            cut(request)

    def _handle(self, handler: Handler) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(request: web.Request) -> web.StreamResponse:
            record = self.journal.open(request.method, request.path, request.headers)
            self._open[record.index] = request
            try:
                return await handler(request, record)
            except ApiError as error:
                return await self._send_error(request, record, error)
            except (ConnectionError, asyncio.CancelledError):
                record.outcome = "client_left"
                raise
            finally:
                if record.outcome == "pending":
                    record.outcome = "failed"
                del self._open[record.index]
                self.journal.close(record)

        return handle

    async def _messages(self, request: web.Request, record: RequestRecord) -> web.StreamResponse:
        facts = await self._accept(request, record, counting=False)
        step = self.playlist.take(facts)
        if step is None:
            message = "the scenario has no turn for this request: all used up or none matches"
            raise ApiError(HttpError(status=400, message=message), "exhausted")
        record.turn_index = step.turn_index
        pace = step.turn.pace or self.scenario.pace
        error = step.turn.error
        if error is not None:
            await sleep_ms(pace.first_byte_ms)
            raise ApiError(NAMED[error] if isinstance(error, str) else error)
        reply = build_reply(step, facts, self.scenario, self._ids)
        self._invented_tools.update(set(reply.tool_names) - facts.tool_names)
        delivery = Delivery(
            request, record, streamed=facts.stream, gates=self.gates, journal=self.journal
        )
        headers = {"request-id": self._ids.next_id("req"), **step.turn.headers}
        return await delivery.send(reply, pace, step.turn.faults, headers)

    async def _count_tokens(
        self, request: web.Request, record: RequestRecord
    ) -> web.StreamResponse:
        facts = await self._accept(request, record, counting=True)
        rules = self.scenario.rules
        match rules.count_tokens:
            case None:
                count = estimate_tokens(facts.size_bytes, rules.chars_per_token)
            case int() as count:
                pass
            case HttpError() as error:
                raise ApiError(error)
            case _:
                assert_never(rules.count_tokens)
        return await self._send_json(request, record, {"input_tokens": count})

    async def _models(self, request: web.Request, record: RequestRecord) -> web.StreamResponse:
        self._authenticate(request)
        names = list(self.scenario.rules.models) or [DEFAULT_MODEL]
        body: JsonObject = {
            "data": [self._model_json(name) for name in names],
            "has_more": False,
            "first_id": names[0],
            "last_id": names[-1],
        }
        return await self._send_json(request, record, body)

    async def _model(self, request: web.Request, record: RequestRecord) -> web.StreamResponse:
        self._authenticate(request)
        name = request.match_info["model"]
        self._check_model(name)
        return await self._send_json(request, record, self._model_json(name))

    async def _unknown(self, request: web.Request, _record: RequestRecord) -> web.StreamResponse:
        raise ApiError.refused(404, f"there is no {request.method} {request.path}")

    async def _accept(
        self, request: web.Request, record: RequestRecord, *, counting: bool
    ) -> RequestFacts:
        """Read and check a request.

        Raises:
            ApiError: It is refused.
        """
        raw = await request.read()
        self.journal.keep_body(record, raw)
        key = self._authenticate(request)
        rules = self.scenario.rules
        if len(raw) > rules.max_request_bytes:
            raise ApiError(HttpError(status=413), "refused")
        try:
            body = parse_body(raw)
            self._check_model(as_text(body.get("model")))
            if rules.validate:
                self._check.run(body, counting=counting)
        except InvalidRequestError as error:
            raise ApiError.refused(400, str(error)) from error
        tokens = estimate_tokens(len(raw), rules.chars_per_token)
        window = rules.context_window_tokens
        if window and tokens > window and not counting:
            message = f"prompt is too long: {tokens} tokens > {window} maximum"
            raise ApiError(HttpError(status=400, message=message))
        return RequestFacts(body, api_key=key, size_bytes=len(raw))

    def _authenticate(self, request: web.Request) -> str:
        """The key of the request.

        Raises:
            ApiError: It is missing or wrong, or the version header is missing.
        """
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ").strip()
        key = request.headers.get("x-api-key", "") or bearer
        rules = self.scenario.rules
        if not key:
            raise ApiError.refused(401, "x-api-key: a key is required")
        if rules.api_key is not None and key != rules.api_key:
            raise ApiError.refused(401, "x-api-key: the key is not valid")
        if rules.version_header and "anthropic-version" not in request.headers:
            raise ApiError.refused(400, "anthropic-version: this header is required")
        return key

    def _check_model(self, name: str) -> None:
        models = self.scenario.rules.models
        if name and models and name not in models:
            raise ApiError.refused(404, f"model: {name}")

    def _model_json(self, name: str) -> JsonObject:
        rules = self.scenario.rules
        return {
            "type": "model",
            "id": name,
            "display_name": name,
            "created_at": "2026-01-01T00:00:00Z",
            "lifecycle": "active",
            "max_input_tokens": rules.context_window_tokens or _DEFAULT_WINDOW_TOKENS,
            "max_tokens": rules.max_output_tokens or _DEFAULT_OUTPUT_TOKENS,
        }

    async def _send_json(
        self, request: web.Request, record: RequestRecord, body: JsonObject
    ) -> web.StreamResponse:
        record.outcome = "complete"
        headers = {"request-id": self._ids.next_id("req")}
        response = web.json_response(body, headers=headers)
        return await _send_now(request, record, response)

    async def _send_error(
        self, request: web.Request, record: RequestRecord, error: ApiError
    ) -> web.StreamResponse:
        wanted = error.error
        record.outcome = error.outcome
        if error.outcome != "error":
            record.problem = wanted.message
        request_id = self._ids.next_id("req")
        headers = {"request-id": request_id, **wanted.headers}
        if wanted.retry_after_s is not None:
            headers["retry-after"] = f"{wanted.retry_after_s:g}"
        if wanted.raw_body is not None:
            response = web.Response(
                text=wanted.raw_body,
                status=wanted.status,
                headers=headers,
                content_type="text/html",
            )
        else:
            body = error_body(wanted.error_type or "", wanted.message or "", request_id)
            text = json.dumps(body)
            response = web.Response(
                text=text, status=wanted.status, headers=headers, content_type="application/json"
            )
        return await _send_now(request, record, response)


async def _send_now(
    request: web.Request, record: RequestRecord, response: web.Response
) -> web.Response:
    """Send inside the handler, so that the record has the true end."""
    record.status = response.status
    await response.prepare(request)
    record.first_byte_s = time.monotonic()
    await response.write_eof()
    return response
