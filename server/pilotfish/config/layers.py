"""One layer of settings, checked.

Owns: turning a JSON object into a ``SettingsFile`` while reporting what does not fit, so that one
wrong value costs that value and no more.
Does not own: where the object came from (``sources``), which layer wins (``merge``).
"""

import json
from copy import deepcopy
from pathlib import Path

from pydantic import BaseModel, ValidationError

from pilotfish.config.rule_syntax import parse_rule, split_rules
from pilotfish.config.schema import SettingsFile, SettingsProblem
from pilotfish.config.wrong_values import said_of
from pilotfish.core.jsontypes import JsonMapping, JsonObject, JsonValue
from pilotfish.core.permission import Behavior, PermissionRule, RuleSource
from pilotfish.util.records import dataclass

_BEHAVIORS: tuple[Behavior, ...] = ("allow", "ask", "deny")
TIGHTEST: dict[str, JsonValue] = {
    "permissions.disableBypassPermissionsMode": "disable",
    "permissions.disableAutoMode": "disable",
    "permissions.askBeatsAllow": True,
    "permissions.protectSecrets": True,
    "permissions.allowManagedPermissionRulesOnly": True,
    "permissions.backgroundPrompts": "deny",
    "permissions.defaultMode": "default",
    "permissions.subagentMode": "default",
}
"""What a key counts as that holds a value of the wrong kind."""
RESERVED_KEYS = frozenset({"$schema", "version"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Layer:
    """The settings of one source."""

    source: RuleSource
    values: SettingsFile
    rules: tuple[PermissionRule, ...] = ()
    lines: tuple[int | None, ...] = ()
    """Where in the file each rule stands, 1-based; None when that is not known."""
    written: tuple[tuple[Behavior, str], ...] = ()
    """What each rule was read from: the list that it stands in, and its text there."""
    problems: tuple[SettingsProblem, ...] = ()
    file: Path | None = None
    unread: bool = False
    """Whether it may hold deny or ask rules that could not be read."""
    unread_line: int | None = None
    """Where in the file the trouble begins, 1-based, when that is known."""
    only_tightens: bool = False
    """Whether it comes from a broken file, of which nothing may count that loosens."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a rule was read from."""

    behavior: Behavior
    text: str
    line: int | None


class _Reporter:
    """Collects problems and finds the line of what they are about."""

    def __init__(self, file: Path | None, text: str) -> None:
        self.problems: list[SettingsProblem] = []
        self.unread = False
        """Set when something that may forbid could not be read."""
        self.unread_line: int | None = None
        self._file = file
        self._text = text

    def report(self, message: str, about: str | None = None, below: str = "") -> None:
        line = self.line_of(about, below) if about else None
        self.problems.append(SettingsProblem(text=message, file=self._file, line=line))

    def doubt(self, about: str) -> None:
        """Take note that what stands there may forbid something and cannot be read."""
        if not self.unread:
            self.unread_line = self.line_of(about)
        self.unread = True

    def line_of(self, about: str, below: str = "") -> int | None:
        """Return the 1-based line of a text, looked for from the key ``below`` on."""
        start = max(0, self._text.find(json.dumps(below))) if below else 0
        position = self._text.find(json.dumps(about, ensure_ascii=False), start)
        return self._text.count("\n", 0, position) + 1 if position >= 0 else None


def build_layer(
    source: RuleSource, raw: JsonMapping, *, file: Path | None = None, text: str = ""
) -> Layer:
    """Check a JSON object and take its rules apart. Never raises: what is wrong is reported.

    Args:
        source: Which layer this is.
        raw: The object; it is not changed.
        file: Where it came from, for the reports.
        text: The file's text, to find lines in.
    """
    reporter = _Reporter(file, text)
    data: JsonObject = deepcopy(dict(raw))
    located = _take_rules(data, source, reporter)
    values = _validated(data, reporter)
    _report_unknown(values, "", reporter)
    return Layer(
        source=source,
        values=values,
        rules=tuple(located),
        lines=tuple(place.line for place in located.values()),
        written=tuple((place.behavior, place.text) for place in located.values()),
        problems=tuple(reporter.problems),
        file=file,
        unread=reporter.unread,
        unread_line=reporter.unread_line,
    )


def _take_rules(
    data: JsonObject, source: RuleSource, reporter: _Reporter
) -> dict[PermissionRule, _Place]:
    section = data.get("permissions")
    found: dict[PermissionRule, _Place] = {}
    if not isinstance(section, dict):
        if section is not None:
            reporter.doubt("permissions")
        return found
    for behavior in _BEHAVIORS:
        for text in _rule_texts(section.pop(behavior, []), behavior, reporter):
            parsed = parse_rule(text, behavior, source)
            if parsed.problem:
                reporter.report(f"Rule `{text}` in {behavior}: {parsed.problem}.", text, behavior)
            if parsed.rule is not None and parsed.rule not in found:
                line = reporter.line_of(text, behavior)
                found[parsed.rule] = _Place(behavior, text, line)
    return found


def _rule_texts(value: JsonValue, behavior: Behavior, reporter: _Reporter) -> list[str]:
    if isinstance(value, str):
        return split_rules(value)
    if not isinstance(value, list):
        reporter.report(f"permissions.{behavior} is not a list, so it is ignored.", behavior)
        if behavior != "allow":
            reporter.doubt(behavior)
        return []
    wrong = [item for item in value if not isinstance(item, str)]
    if wrong:
        reporter.report(f"permissions.{behavior} holds entries that are no text.", behavior)
        if behavior != "allow":
            reporter.doubt(behavior)
    return [item for item in value if isinstance(item, str)]


def _validated(data: JsonObject, reporter: _Reporter) -> SettingsFile:
    # Each round drops at least one value, so this ends.
    while True:
        try:
            return SettingsFile.model_validate(data)
        except ValidationError as error:
            for detail in error.errors():
                _drop(data, detail["loc"], said_of(detail), reporter)


def _drop(
    data: JsonObject, location: tuple[int | str, ...], message: str, reporter: _Reporter
) -> None:
    """Remove the named key that holds a wrong value (the whole list for one wrong item)."""
    names = [str(step) for step in location if not isinstance(step, int)]
    holder: JsonValue = data
    for name in names[:-1]:
        holder = holder.get(name) if isinstance(holder, dict) else None
    key = ".".join(names)
    if isinstance(holder, dict) and key in TIGHTEST and names[-1] in holder:
        # Somebody wanted something that forbids; a slip of the pen must not permit.
        holder[names[-1]] = TIGHTEST[key]
        shown = json.dumps(TIGHTEST[key])
        reporter.report(f"{key} counts as {shown}: {message}.", names[-1])
    elif isinstance(holder, dict) and names and names[-1] in holder:
        del holder[names[-1]]
        reporter.report(f"{'.'.join(names)} is ignored: {message}.", names[-1])
    elif names:
        # The same value may be reported twice; when its key is gone, its top-level key may stay.
        data.pop(names[0], None) if not isinstance(data.get(names[0]), dict) else None


def _report_unknown(values: BaseModel, prefix: str, reporter: _Reporter) -> None:
    for key in values.model_extra or {}:
        if prefix or key not in RESERVED_KEYS:
            reporter.report(f"{prefix}{key} is not a setting that Pilotfish knows.", key)
    for name, field in type(values).model_fields.items():
        value = getattr(values, name)
        if isinstance(value, BaseModel):
            _report_unknown(value, f"{prefix}{field.alias or name}.", reporter)
