"""Recording how calls were decided: by which rules and mode, and what the user answered.

Owns: the lines ``standing``, ``judgement``, ``answer`` and ``changed`` of a recording.
Does not own: their form (``session.decision_record``), the file (``session.recording``).

A decision is recorded with all that it depends on, so that it can be judged again on any machine. What
is secret is taken out first; where the rest is no longer judged as the whole was, the line says so.
"""

import asyncio
import json
from dataclasses import replace
from functools import cache

from pydantic import TypeAdapter

from pilotfish.core.calls import PreparedCall, RejectedCall
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.permission import PermissionAnswer, PermissionDecision
from pilotfish.permissions.decide import decide
from pilotfish.permissions.state import PermissionState
from pilotfish.permissions.witness import Witness
from pilotfish.session.decision_record import (
    STAND_IN_HOME,
    NotingProbe,
    decide_again,
    decision_of,
    differs,
    plain_judgement,
    plain_standing,
    standing_of,
)
from pilotfish.session.recording import Recording, redact

MAX_STANDINGS = 100
"""Standings that are written by their number alone when they come again; more are written again."""


@cache
def answer_adapter() -> TypeAdapter[PermissionAnswer]:
    """Return what reads and writes answers; built on first use."""
    return TypeAdapter(PermissionAnswer)


class RecordedDecisions(Witness):
    """Judges as ever, and records it."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._redactor = recording.redactor.naming_home(STAND_IN_HOME)
        self._standings: dict[str, int] = {}
        self._written = 0

    async def judge(self, call: PreparedCall, state: PermissionState) -> PermissionDecision:
        """Judge a call and record the decision with what it depends on."""
        decision, standing, judgement = await asyncio.to_thread(self._judge, call, state)
        judgement["standing"] = self._number(json.dumps(standing, ensure_ascii=False))
        self._recording.write(json.dumps(judgement, ensure_ascii=False))
        return decision

    def answered(self, call: PreparedCall, answer: PermissionAnswer) -> None:
        """Record what the user said, or that the question lapsed."""
        if call.preview is not None and answer.edited_text == call.preview.new_text:
            answer = replace(answer, edited_text=None)  # nothing was changed in it
        plain = answer_adapter().dump_python(answer, mode="json")
        self._recording.write({"type": "answer", "id": call.call.id, "answer": plain})

    def changed(self, call: PreparedCall | RejectedCall) -> None:
        """Record what the user made of a call."""
        line: JsonObject = {"type": "changed", "id": call.call.id, "input": call.call.input}
        if isinstance(call, RejectedCall):
            line["rejected"] = call.message
        self._recording.write(line)

    def _judge(
        self, call: PreparedCall, state: PermissionState
    ) -> tuple[PermissionDecision, JsonObject, JsonObject]:
        disk = NotingProbe(state.probe)
        decision = decide(call, replace(state, probe=disk))
        standing = self._clean(plain_standing(state))
        judgement = self._clean(plain_judgement(call, disk, decision))
        now = decide_again(judgement, standing_of(standing))
        judgement["exact"] = not differs(decision_of(judgement), now)
        return decision, standing, judgement

    def _clean(self, line: JsonObject) -> JsonObject:
        cleaned = redact(line, self._redactor)
        assert isinstance(cleaned, dict)
        return cleaned

    def _number(self, standing: str) -> int:
        number = self._standings.get(standing)
        if number is None:
            number = self._written = self._written + 1
            if len(self._standings) >= MAX_STANDINGS:
                del self._standings[next(iter(self._standings))]
            self._standings[standing] = number
            self._recording.write(f'{{"type":"standing","number":{number},"standing":{standing}}}')
        return number


def witness_of(recording: Recording | None) -> Witness | None:
    """Return who records how calls are decided; None where nothing is recorded."""
    return None if recording is None else RecordedDecisions(recording)
