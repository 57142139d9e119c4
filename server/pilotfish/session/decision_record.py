"""A permission decision as a recording holds it, and judging it again.

Owns: the form: what the decision depended on (the call's facts, rules, mode, folders, what the disk
said) and what it was; what counts as deciding differently.
Does not own: writing it down (``session.recorded_decisions``), playing it
(``session.replayed_decisions``), the chain (``permissions.decide``).
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any, cast, get_type_hints

from pydantic import TypeAdapter

from pilotfish.core.calls import PreparedCall, ToolCall
from pilotfish.core.effects import Effects
from pilotfish.core.ids import ToolUseId
from pilotfish.core.jsontypes import JsonObject, JsonValue
from pilotfish.core.permission import FilePreview, PermissionDecision
from pilotfish.permissions.decide import decide
from pilotfish.permissions.probe import Probe
from pilotfish.permissions.state import PermissionState

STAND_IN_HOME = "/home/user"
"""Stands for the user's home folder. Elsewhere a recording says ``~``, but a path must stay a path
to be judged, within quotes, too."""

CAREFUL: Mapping[str, JsonValue] = {"any_below": True, "git_is_quiet": False, "git_top": None}
"""What is assumed of the disk where the recording does not say; a path is then its own real path."""


class NotingProbe:
    """Asks another probe and keeps its answers; implements ``permissions.probe.Probe``."""

    def __init__(self, inner: Probe) -> None:
        self._inner = inner
        self.answers: list[JsonValue] = []
        """Kind of question, path and answer, in their order."""

    def real_path(self, path: str) -> str:
        """Ask, and note."""
        answer = self._inner.real_path(path)
        if answer != path:
            self._note("real_path", path, answer)
        return answer

    def any_below(self, folder: str, matches: Callable[[str], bool]) -> bool:
        """Ask, and note."""
        answer = self._inner.any_below(folder, matches)
        self._note("any_below", folder, answer)
        return answer

    def git_is_quiet(self, folder: str) -> bool:
        """Ask, and note."""
        answer = self._inner.git_is_quiet(folder)
        self._note("git_is_quiet", folder, answer)
        return answer

    def git_top(self, folder: str) -> str | None:
        """Ask, and note."""
        answer = self._inner.git_top(folder)
        self._note("git_top", folder, answer)
        return answer

    def _note(self, question: str, path: str, answer: JsonValue) -> None:
        self.answers.append([question, path, answer])


class RememberedDisk:
    """Answers what the disk answered then; implements ``permissions.probe.Probe``."""

    def __init__(self, answers: list[Any]) -> None:
        self._answers: dict[tuple[str, str], list[Any]] = {}
        for question, path, answer in answers:
            self._answers.setdefault((question, path), []).append(answer)

    def real_path(self, path: str) -> str:
        """Return what it was; a path that was not asked about is its own."""
        return str(self._next("real_path", path, path))

    def any_below(self, folder: str, matches: Callable[[str], bool]) -> bool:
        """Return what it was."""
        _ = matches
        return bool(self._next("any_below", folder, CAREFUL["any_below"]))

    def git_is_quiet(self, folder: str) -> bool:
        """Return what it was."""
        return bool(self._next("git_is_quiet", folder, CAREFUL["git_is_quiet"]))

    def git_top(self, folder: str) -> str | None:
        """Return what it was."""
        answer = self._next("git_top", folder, CAREFUL["git_top"])
        return answer if isinstance(answer, str) else None

    def _next(self, question: str, path: str, otherwise: JsonValue) -> JsonValue:
        """Return the answers in their order, and the last one from then on."""
        known = self._answers.get((question, path))
        if not known:
            return otherwise
        return cast("JsonValue", known.pop(0) if len(known) > 1 else known[0])


def plain_standing(state: PermissionState) -> JsonObject:
    """Return rules, mode, folders and trust as plain data."""
    return {
        name: adapter.dump_python(getattr(state, name), mode="json")
        for name, adapter in _standing_adapters().items()
    }


def standing_of(plain: JsonObject) -> PermissionState:
    """Return what ``plain_standing`` was given, with a disk of which nothing is known."""
    adapters = _standing_adapters()
    # What a newer Pilotfish has added is not known here, and what an older one lacked has a default.
    given = {
        name: adapters[name].validate_python(plain[name]) for name in adapters if name in plain
    }
    return PermissionState(**given, probe=RememberedDisk([]))


def plain_judgement(
    call: PreparedCall, disk: NotingProbe, decision: PermissionDecision
) -> JsonObject:
    """Return a decision with all of the call that it depended on, as plain data."""
    effects = call.effects
    by_path = effects.command is not None or effects.writes or effects.reads
    return {
        "type": "judgement",
        "id": call.call.id,
        "name": call.call.name,
        "tool": call.tool,
        "title": call.title,
        # Of a file's text and a command nothing is judged that is not among the effects.
        "input": {} if by_path else call.call.input,
        "effects": _effects_adapter().dump_python(effects, mode="json"),
        "creates": None if call.preview is None else call.preview.old_text is None,
        "disk": disk.answers,
        "decision": _decision_adapter().dump_python(replace(decision, trace=()), mode="json"),
    }


def judged_call(judgement: Mapping[str, Any]) -> PreparedCall:
    """Return the call that was judged, with its facts; it cannot be run."""
    effects = _effects_adapter().validate_python(judgement["effects"])
    preview = None
    if judgement["creates"] is not None:
        path = str(effects.writes[0]) if effects.writes else ""
        preview = FilePreview(path=path, old_text=None if judgement["creates"] else "", new_text="")
    return PreparedCall(
        call=ToolCall(
            id=ToolUseId(judgement["id"]), name=judgement["name"], input=judgement["input"]
        ),
        tool=judgement["tool"],
        title=judgement["title"],
        kind="other",
        args=None,
        effects=effects,
        preview=preview,
    )


def decision_of(judgement: Mapping[str, Any]) -> PermissionDecision:
    """Return what was decided."""
    return _decision_adapter().validate_python(judgement["decision"])


def decide_again(judgement: Mapping[str, Any], state: PermissionState) -> PermissionDecision:
    """Judge a recorded call by what the code makes of it now."""
    disk = RememberedDisk(list(judgement["disk"]))
    return decide(judged_call(judgement), replace(state, probe=disk))


def differs(then: PermissionDecision, now: PermissionDecision) -> bool:
    """Tell whether two decisions differ in what anybody would notice; wording does not count."""
    return _noticed(then) != _noticed(now)


def in_words(decision: PermissionDecision) -> str:
    """Say what was decided, and what decided it."""
    lasting = ", no lasting grant offered" if decision.hide_always else ""
    risk = "" if decision.risk == "normal" else f", {decision.risk}"
    return f"{decision.behavior} ({decision.phase}{risk}{lasting}): {decision.reason}"


def _noticed(decision: PermissionDecision) -> tuple[object, ...]:
    return decision.behavior, decision.rule, decision.risk, decision.hide_always


@cache
def _standing_adapters() -> dict[str, TypeAdapter[Any]]:
    hints = get_type_hints(PermissionState)
    names = [each.name for each in fields(PermissionState) if each.name != "probe"]
    return {name: TypeAdapter(hints[name]) for name in names}


@cache
def _effects_adapter() -> TypeAdapter[Effects]:
    return TypeAdapter(Effects)


@cache
def _decision_adapter() -> TypeAdapter[PermissionDecision]:
    return TypeAdapter(PermissionDecision)
