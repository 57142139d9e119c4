"""Recording a session, so that it can be played again without its model and without its tools.

Owns: what is written and in which form: what was said before, each turn's settings, what the model
streamed, what came of each call, and the events. Each agent's conversation has a file of its own, beside
the session's; secrets and the home folder are taken out of all of it.
Does not own: how calls were decided (``session.recorded_decisions``), playing it again
(``session.replay``), what is secret (``util.redact``).
"""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Callable
from dataclasses import asdict, fields, replace
from functools import cache
from pathlib import Path
from typing import cast

from pydantic import TypeAdapter

from pilotfish import __version__
from pilotfish.core.calls import CallScope, PreparedCall, RejectedCall, ToolCall, ToolOutcome
from pilotfish.core.events import EventRecord, TurnEnded, TurnStarted
from pilotfish.core.ids import MAIN_AGENT, AgentId
from pilotfish.core.jsontypes import JsonObject, JsonValue
from pilotfish.core.passing_events import PassingEvent
from pilotfish.engine.conversation import Conversation, ConversationState
from pilotfish.engine.state import TurnPorts, TurnSettings
from pilotfish.llm.errors import ModelError
from pilotfish.llm.events import ModelEvent
from pilotfish.llm.model import Model, ModelRequest
from pilotfish.ports.tool_runner import ToolRunner
from pilotfish.session import codec
from pilotfish.session.log import EventLog
from pilotfish.session.services import Services
from pilotfish.session.session import Session
from pilotfish.util.os_reason import os_reason
from pilotfish.util.redact import Redactor
from pilotfish.util.tasks import TaskScope
from pilotfish.util.whole_file import append_whole

logger = logging.getLogger(__name__)

RECORDING_FORMAT = 2
"""Grows when older versions could not play what newer ones write."""

MAX_HELD_LINES = 500
"""Lines that wait for the disk before a write begins in the middle of a turn."""

MAX_REFUSED_LINES = 20_000
"""Lines that wait for a disk which takes none; with more of them the recording ends."""


@cache
def outcome_adapter() -> TypeAdapter[ToolOutcome]:
    """Return what reads and writes outcomes; built on first use."""
    return TypeAdapter(ToolOutcome)


@cache
def state_adapter() -> TypeAdapter[ConversationState]:
    """Return what reads and writes conversations; built on first use."""
    return TypeAdapter(ConversationState)


class Recording:
    """Writes the recording of one conversation, a file of JSON lines."""

    def __init__(
        self,
        path: Path,
        redactor: Redactor,
        agent_id: AgentId = MAIN_AGENT,
        warn: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Begin one, or go on with that of an agent which has worked before.

        Args:
            path: The file.
            redactor: Takes secrets out.
            agent_id: Whose conversation it is.
            warn: Tells the user that the file takes nothing, and when it is given up.
        """
        self._path = path
        self._warn = warn
        self._is_refused = False
        """Whether the user knows that the file takes nothing."""
        self._redactor = redactor
        self._recalled = False
        """Whether it is known what was said before the first turn."""
        self._lines: list[JsonObject | str] = []
        self._is_over = False
        """Whether the disk took nothing for so long that it was given up."""
        self._writing = asyncio.Lock()
        self._tasks = TaskScope("recording")
        self.write(
            {
                "type": "recording",
                "format": RECORDING_FORMAT,
                "version": __version__,
                "agent": agent_id,
            }
        )

    def follow(self, log: EventLog) -> None:
        """Record a conversation's kept events from here on."""
        log.listen(lambda record: self._hear(record, log.conversation))

    def write(self, line: JsonObject | str) -> None:
        """Add a line; it reaches the disk a little later.

        Args:
            line: The data, or a text of JSON in which no secret is left.
        """
        if self._is_over:
            return
        self._lines.append(line)
        if len(self._lines) == MAX_HELD_LINES:
            self._tasks.start(self._flush(), name="write")

    def around(self, ports: TurnPorts, settings: TurnSettings) -> TurnPorts:
        """Record what a turn is asked with; returns its ports with a recorded model and runner."""
        self._recall(ports.conversation)
        self.note_settings(settings, ports.substitute.name if ports.substitute else None)
        model, runner = RecordedModel(ports.model, self), RecordedRunner(ports.runner, self)
        other = ports.substitute
        substitute = other and replace(other, model=RecordedModel(other.model, self))
        return replace(ports, model=model, runner=runner, substitute=substitute)

    def note_settings(self, settings: TurnSettings, substitute: str | None) -> None:
        """Record what a turn is asked with, as plain data."""
        given = {each.name: getattr(settings, each.name) for each in fields(settings)}
        plain = given | {
            "system": list(settings.system),
            "tools": [tool.name for tool in settings.tools],
            "substitute": substitute,
        }
        self.write({"type": "settings", "settings": cast("JsonObject", plain)})

    @property
    def redactor(self) -> Redactor:
        """What takes secrets out."""
        return self._redactor

    async def close(self) -> None:
        """Write what is left."""
        await self._flush()  # waits for the write that is on its way
        await self._tasks.close()

    def _recall(self, conversation: Conversation) -> None:
        """Record what was said before the first turn: by an earlier process, or by skills."""
        if self._recalled:
            return
        self._recalled = True
        state = conversation.state()
        if state != ConversationState():
            plain = state_adapter().dump_python(state, mode="json")
            self.write({"type": "recalled", "state": plain})

    def _hear(self, record: EventRecord, conversation: Conversation) -> None:
        if isinstance(record.event, PassingEvent):
            return
        if isinstance(record.event, TurnStarted):
            self._recall(conversation)
        self.write({"type": "event", "event": plain_event(record)})
        if isinstance(record.event, TurnEnded):
            self._tasks.start(self._flush(), name="write")

    async def _flush(self) -> None:
        async with self._writing:
            lines, self._lines = self._lines, []
            if not lines:
                return
            problem = await asyncio.to_thread(self._append, lines)
            if problem and not self._is_refused:
                self._warn(
                    f"The recording {self._path} cannot be written: {problem}. Make room, or mend the "
                    "permissions of its folder; it is tried again at the end of each turn."
                )
            self._is_refused = bool(problem)
            if not problem:
                return
            self._lines[:0] = lines
            if len(self._lines) > MAX_REFUSED_LINES:
                logger.warning("the recording %s ends here", self._path)
                self._warn(
                    f"The recording {self._path} ends here. Begin a new one once there is room."
                )
                self._is_over = True
                self._lines.clear()

    def _append(self, lines: list[JsonObject | str]) -> str:
        """Write lines, all or none; returns why it did not work."""
        text = "".join(f"{self._text(line)}\n" for line in lines)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self._path.open("ab", buffering=0) as file:
                append_whole(file, text.encode(errors="backslashreplace"))
        except OSError as error:
            logger.warning(
                "the recording %s cannot be written (%s): make room, or mend the permissions of its "
                "folder; it is tried again at the end of the next turn",
                self._path,
                os_reason(error),
            )
            return os_reason(error)
        return ""

    def _text(self, line: JsonObject | str) -> str:
        if isinstance(line, str):
            return line
        return json.dumps(redact(line, self._redactor), ensure_ascii=False)


def recording_of(services: Services, session: Session) -> Recording | None:
    """Begin to record a session or an agent; None when no folder for recordings is given."""
    if services.recordings is None:
        return None
    agent = session.agent_id
    name = session.id if agent == MAIN_AGENT else f"{session.id}.{agent}"
    path = services.recordings / f"{name}.jsonl"
    if agent == MAIN_AGENT:
        recording = Recording(path, services.redactor, agent, session.warn)
    else:  # it is in the same folder: one word about that is enough
        recording = Recording(path, services.redactor, agent)
    recording.follow(session.log)
    return recording


def recorded(recording: Recording | None, ports: TurnPorts, settings: TurnSettings) -> TurnPorts:
    """Return a turn's ports, recorded if there is a recording."""
    return ports if recording is None else recording.around(ports, settings)


async def end_recording(recording: Recording | None) -> None:
    """Write what is left of a recording, if there is one."""
    if recording is not None:
        await recording.close()


class RecordedModel:
    """A model whose streams are recorded."""

    def __init__(self, model: Model, recording: Recording) -> None:
        self._model = model
        self._recording = recording

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Call the model and record what it yields, and how it ended."""
        events: list[JsonValue] = []
        line: JsonObject = {
            "type": "model_call", "model": request.model, "messages": len(request.messages),
            "events": events, "end": "left",
        }  # fmt: skip
        stream = self._model.stream(request)
        try:
            async for event in stream:
                events.append(_plain_model_event(event))
                yield event
            line["end"] = "done"
        except ModelError as error:
            line["end"] = "failed"
            line["error"] = {"kind": error.kind, "message": error.message, "hint": error.hint}
            raise
        finally:
            await stream.aclose()
            self._recording.write(line)

    async def close(self) -> None:
        """Release connections."""
        await self._model.close()


class RecordedRunner:
    """A runner of tools whose outcomes are recorded."""

    def __init__(self, runner: ToolRunner, recording: Recording) -> None:
        self._runner = runner
        self._recording = recording

    def is_concurrency_safe(self, call: ToolCall) -> bool:
        """Tell whether the call may run beside others."""
        return self._runner.is_concurrency_safe(call)

    def starts_early(self, call: ToolCall) -> bool:
        """Tell whether the call may begin before its reply is complete."""
        return self._runner.starts_early(call)

    async def prepare(self, call: ToolCall, scope: CallScope) -> PreparedCall | RejectedCall:
        """Prepare the call and record what it is."""
        prepared = await self._runner.prepare(call, scope)
        line: JsonObject = {
            "type": "call", "id": call.id, "name": call.name, "input": call.input,
            "safe": self._runner.is_concurrency_safe(call),
            "early": self._runner.starts_early(call),
        }  # fmt: skip
        if isinstance(prepared, RejectedCall):
            line["rejected"] = prepared.message
        else:
            line["prepared"] = {
                "tool": prepared.tool,
                "title": prepared.title,
                "kind": prepared.kind,
                "locations": [{"path": one.path, "line": one.line} for one in prepared.locations],
            }
        self._recording.write(line)
        return prepared

    async def run(self, call: PreparedCall, scope: CallScope) -> ToolOutcome:
        """Run the call and record what came of it."""
        outcome = await self._runner.run(call, scope)
        plain = outcome_adapter().dump_python(outcome, mode="json")
        self._recording.write({"type": "outcome", "id": call.call.id, "outcome": plain})
        return outcome


def plain_event(record: EventRecord) -> JsonObject:
    """Return an event as plain data."""
    event: JsonObject = json.loads(codec.to_line(record))["event"]
    return event


def redact(value: JsonValue, redactor: Redactor) -> JsonValue:
    """Take secrets out of every text of a value."""
    if isinstance(value, str):
        return redactor.text(value)
    if isinstance(value, list):
        return [redact(one, redactor) for one in value]
    if isinstance(value, dict):
        return {key: redact(one, redactor) for key, one in value.items()}
    return value


def _plain_model_event(event: ModelEvent) -> JsonObject:
    return cast("JsonObject", {"type": type(event).__name__, **asdict(event)})
