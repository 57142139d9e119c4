"""What is wrong with a settings file.

Owns: findings in the text: broken JSON, keys, values, rules, and rules against those of other files;
with what would mend them.
Does not own: how an editor shows them (``edges.lsp``).
"""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError

from pilotfish.config.files import MAX_FILE_BYTES
from pilotfish.config.key_docs import why_not_here
from pilotfish.config.layers import RESERVED_KEYS, TIGHTEST
from pilotfish.config.modes import read_settable_mode
from pilotfish.config.rule_syntax import ALIASES, TOOL_NAMES
from pilotfish.config.schema import SettingsFile
from pilotfish.config.wrong_values import said_of
from pilotfish.permissions.language.document import (
    BEHAVIORS,
    RuleSpot,
    SettingsDocument,
    Span,
)
from pilotfish.permissions.lint import PlacedRule, ProblemKind, lint_rules
from pilotfish.util.json_tree import JsonNode
from pilotfish.util.records import dataclass
from pilotfish.util.slips import slip_of

MAX_FINDINGS = 200
"""Findings that are reported; more help nobody."""

MAX_COMPARED_RULES = 400
"""Rules of all files that are compared with each other; with more the comparison is left out."""

Code = Literal[
    "too-large", "unreadable", "broken-json", "not-an-object", "unknown-key", "wrong-value",
    "unknown-mode", "no-effect-here", "malformed-rule", "unknown-tool", "inert-rule",
    "shadowed-rule", "contradictory-rule", "not-compared",
]  # fmt: skip
Severity = Literal["error", "warning", "information", "hint"]

_LINT_CODES: dict[ProblemKind, tuple[Code, Severity]] = {
    "settings": ("inert-rule", "warning"),
    "inert": ("inert-rule", "warning"),
    "shadowed": ("shadowed-rule", "hint"),
    "contradictory": ("contradictory-rule", "warning"),
}
_MODE_KEYS = ("defaultMode", "subagentMode")
_WORD = re.compile(r'"[^"\n]*"?|[^\s,\]}"]+')
_CONSEQUENCE = (
    "While the file is broken it permits nothing, and what it forbade stays forbidden or asks."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Fix:
    """A change of the text that mends a finding."""

    title: str
    span: Span
    new_text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Related:
    """Another place that a finding is about."""

    message: str
    file: Path
    line: int
    """1-based."""
    span: Span | None = None
    """Set when it stands in the same text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SettingsFinding:
    """Something that does not work as its author may think."""

    code: Code
    severity: Severity
    span: Span
    message: str
    unnecessary: bool = False
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Surroundings:
    """What the other settings say."""

    before: tuple[PlacedRule, ...] = ()
    """Rules of weaker files."""
    after: tuple[PlacedRule, ...] = ()
    """Rules of stronger files."""
    trusted: bool = False
    ask_beats_allow: bool = False


def check(document: SettingsDocument, around: Surroundings) -> list[SettingsFinding]:
    """Return what is wrong, in the order of the text. Never raises."""
    found = list(_findings(document, around))
    found.sort(key=lambda finding: finding.span)
    return found[:MAX_FINDINGS]


def _findings(document: SettingsDocument, around: Surroundings) -> Iterator[SettingsFinding]:
    tree = document.tree
    if document.too_large:
        text = (
            f"The file is larger than {MAX_FILE_BYTES:,} bytes, so it is not read. {_CONSEQUENCE}"
        )
        yield SettingsFinding(code="too-large", severity="error", span=(0, 0), message=text)
        return
    if tree is None:
        text = "The file could not be looked into in time, so nothing is said about it."
        yield SettingsFinding(code="unreadable", severity="warning", span=(0, 0), message=text)
        return
    if document.problem is not None:
        yield from _broken(document)
    if tree.root is not None and tree.root.kind == "object":
        yield from _keys(tree.root, SettingsFile, "", document, around)
        yield from _values(document)
        yield from _modes(tree.root)
    yield from _rules(document, around)


# --- the text as JSON ---


def _broken(document: SettingsDocument) -> Iterator[SettingsFinding]:
    tree, problem = document.tree, document.problem
    if tree is None or problem is None:
        return
    root = tree.root
    if root is not None and root.kind != "object" and not tree.errors:
        yield SettingsFinding(
            code="not-an-object",
            severity="error",
            span=(root.start, root.end),
            message=f"A settings file holds one object in braces. {_CONSEQUENCE}",
        )
        return
    places = [((error.start, error.end), error.message) for error in tree.errors]
    if not (tree.harmless and places):
        # The grammar guesses what was meant; the strict reader knows where it stopped.
        first = _strict_problem(document)
        places = [first, *(place for place in places if place[0][0] > first[0][1])]
    for number, (span, message) in enumerate(places):
        text = f"This is no JSON: {message}."
        yield SettingsFinding(
            code="broken-json",
            severity="error",
            span=span,
            message=text if number else f"{text} {_CONSEQUENCE}",
        )


def _strict_problem(document: SettingsDocument) -> tuple[Span, str]:
    """Find what the grammar accepts and JSON does not: a repeated key, a control character."""
    tree = document.tree
    stack = [] if tree is None or tree.root is None else [tree.root]
    while stack:
        node = stack.pop()
        names: set[str] = set()
        for member in node.members:
            if member.key.text in names:
                span = (member.key.start, member.key.end)
                return span, f"the key `{member.key.text}` stands twice"
            names.add(member.key.text)
            stack.append(member.value)
        stack.extend(node.items)
    try:
        json.loads(document.text)
    except json.JSONDecodeError as error:
        word = _WORD.match(document.text, error.pos)
        end = word.end() if word else min(error.pos + 1, len(document.text))
        return (error.pos, max(end, error.pos)), error.msg[:1].casefold() + error.msg[1:]
    except (ValueError, RecursionError) as error:
        return (0, 1), str(error)
    return (0, 1), str(document.problem).rstrip(".")


# --- keys and values ---


def _keys(
    node: JsonNode,
    model: type[BaseModel],
    prefix: str,
    document: SettingsDocument,
    around: Surroundings,
) -> Iterator[SettingsFinding]:
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    for member in node.members:
        name, span = member.key.text, (member.key.start, member.key.end)
        if name not in fields:
            if prefix or name not in RESERVED_KEYS:
                yield _unknown_key(name, span, prefix, sorted(fields))
            continue
        reason = why_not_here(prefix + name, document.place.source, trusted=around.trusted)
        if reason:
            message = f"`{prefix}{name}` has no effect here: {reason}."
            yield SettingsFinding(
                code="no-effect-here", severity="warning", span=span, message=message
            )
        inner = fields[name].annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from _keys(member.value, inner, f"{prefix}{name}.", document, around)


def _unknown_key(name: str, span: Span, prefix: str, known: list[str]) -> SettingsFinding:
    meant = slip_of(name, known)
    offer = f" Did you mean `{meant}`?" if meant else ""
    fixes = (
        (Fix(title=f"Change to `{meant}`", span=span, new_text=json.dumps(meant)),) if meant else ()
    )
    return SettingsFinding(
        code="unknown-key",
        severity="warning",
        span=span,
        message=f"`{prefix}{name}` is not a setting that Pilotfish knows.{offer}",
        fixes=fixes,
    )


def _values(document: SettingsDocument) -> Iterator[SettingsFinding]:
    if document.value is None or document.tree is None:
        return
    try:
        SettingsFile.model_validate(document.value)
    except ValidationError as error:
        for detail in error.errors():
            path = detail["loc"]
            node = document.tree.at(path)
            if node is None or _is_rule_text(path, node):
                continue
            key = ".".join(str(step) for step in path if isinstance(step, str))
            if path[:1] == ("permissions",) and path[1:2] in (("ask",), ("deny",)):
                effect = "so whatever it may forbid asks until it is mended"
            elif key in TIGHTEST:
                effect = f"so it counts as {json.dumps(TIGHTEST[key])}"
            else:
                effect = "so it is ignored"
            yield SettingsFinding(
                code="wrong-value",
                severity="error",
                span=(node.start, node.end),
                message=f"`{key}`: {said_of(detail)}, {effect}.",
            )


def _is_rule_text(path: tuple[int | str, ...], node: JsonNode) -> bool:
    """Whether it is a list of rules in one text, which is fine."""
    return path[0] == "permissions" and path[-1] in BEHAVIORS and node.kind == "string"


def _modes(root: JsonNode) -> Iterator[SettingsFinding]:
    section = root.member("permissions")
    for name in _MODE_KEYS:
        member = None if section is None else section.value.member(name)
        if member is None or member.value.kind != "string":
            continue
        reading = read_settable_mode(member.value.text)
        if reading.mode is None:
            yield SettingsFinding(
                code="unknown-mode",
                severity="error",
                span=(member.value.start, member.value.end),
                message=f"{reading.problem[:1].upper()}{reading.problem[1:]}; `default` is used.",
            )


# --- rules ---


def _rules(document: SettingsDocument, around: Surroundings) -> Iterator[SettingsFinding]:
    usable: list[RuleSpot] = []
    for spot in document.rules:
        if spot.parsed.problem:
            yield _rule_problem(spot)
        # A rule that asks for the whole tool in place of a malformed one is not what stands there.
        elif spot.parsed.rule is not None:
            usable.append(spot)
    yield from _compared(document, usable, around)


def _rule_problem(spot: RuleSpot) -> SettingsFinding:
    rule, problem = spot.parsed.rule, spot.parsed.problem
    span = (spot.node.start, spot.node.end)
    end = "" if problem.endswith("?") else "."
    message = f"Rule `{spot.node.text}`: {problem}{end}"
    if rule is None or spot.parsed.malformed:
        return SettingsFinding(code="malformed-rule", severity="error", span=span, message=message)
    known = rule.tool in TOOL_NAMES or rule.tool.startswith("mcp__")
    if known:
        return SettingsFinding(code="inert-rule", severity="warning", span=span, message=message)
    return SettingsFinding(
        code="unknown-tool",
        severity="warning",
        span=span,
        message=message,
        fixes=_renamed(spot.node.text, rule.tool, span),
    )


def _renamed(rule: str, tool: str, span: Span) -> tuple[Fix, ...]:
    """Return how a rule with a misspelt tool is mended."""
    meant = slip_of(tool, sorted(TOOL_NAMES | set(ALIASES)))
    if meant is None:
        return ()
    new_text = json.dumps(rule.replace(tool, meant, 1), ensure_ascii=False)
    return (Fix(title=f"Change to `{meant}`", span=span, new_text=new_text),)


def _compared(
    document: SettingsDocument, spots: Sequence[RuleSpot], around: Surroundings
) -> Iterator[SettingsFinding]:
    file = document.place.file
    own = [
        PlacedRule(rule=spot.parsed.rule, file=file, line=spot.line)
        for spot in spots
        if spot.parsed.rule is not None
    ]
    every = [*around.before, *own, *around.after]
    if len(every) > MAX_COMPARED_RULES and own:
        yield SettingsFinding(
            code="not-compared",
            severity="information",
            span=(spots[0].node.start, spots[0].node.end),
            message=f"There are more than {MAX_COMPARED_RULES} rules, so they are not compared with "
            "each other.",
        )
        return
    first = len(around.before)
    wanted = range(first, first + len(own))
    for problem in lint_rules(every, ask_beats_allow=around.ask_beats_allow, wanted=wanted):
        if problem.index is None:
            continue
        spot = spots[problem.index - first]
        code, severity = _LINT_CODES[problem.kind]
        span = (spot.node.start, spot.node.end)
        removal = _removal(spot)
        fix = Fix(title="Remove the rule, which adds nothing", span=removal, new_text="")
        yield SettingsFinding(
            code=code,
            severity=severity,
            span=span,
            message=problem.text,
            unnecessary=problem.kind == "shadowed",
            related=_related(problem.other, every, spots, first),
            fixes=(fix,) if problem.kind == "shadowed" and document.value is not None else (),
        )


def _related(
    other: int | None, every: Sequence[PlacedRule], spots: Sequence[RuleSpot], first: int
) -> tuple[Related, ...]:
    if other is None or every[other].file is None:
        return ()
    placed, file = every[other], every[other].file
    inside = spots[other - first] if 0 <= other - first < len(spots) else None
    return () if file is None else (
        Related(
            message=f"`{placed.rule.text()}` in {placed.rule.behavior}",
            file=file,
            line=placed.line or 1,
            span=None if inside is None else (inside.node.start, inside.node.end),
        ),
    )  # fmt: skip


def _removal(spot: RuleSpot) -> Span:
    """Return the span to take out with a rule, so that the list stays JSON."""
    index = next(i for i, node in enumerate(spot.siblings) if node.start == spot.node.start)
    if index + 1 < len(spot.siblings):
        return spot.node.start, spot.siblings[index + 1].start
    if index:
        return spot.siblings[index - 1].end, spot.node.end
    return spot.node.start, spot.node.end
