"""What a hover over a settings file says.

Owns: the text for a key and for a rule, as Markdown.
Does not own: a rule's meaning (``meaning``), the texts of keys (``config.key_docs``).
"""

from pilotfish.config.key_docs import AUDIENCE_TEXT, KEY_DOCS, why_not_here
from pilotfish.permissions.language.document import RuleSpot, SettingsDocument, Span
from pilotfish.permissions.language.meaning import code, examples_of, in_words, phase_in_words
from pilotfish.permissions.state import PermissionState
from pilotfish.util.json_tree import JsonNode
from pilotfish.util.records import dataclass

_EFFECT = {"allow": "Runs without a question", "ask": "Asks before it runs", "deny": "Never runs"}


@dataclass(frozen=True, kw_only=True, slots=True)
class SettingsHover:
    """A text for a place."""

    span: Span
    markdown: str


def hover(document: SettingsDocument, offset: int, state: PermissionState) -> SettingsHover | None:
    """Return the text for a place; None when there is nothing to say."""
    return hover_over_rule(document, offset, state) or _hover_over_key(
        document, offset, trusted=state.trusted
    )


def hover_over_rule(
    document: SettingsDocument, offset: int, state: PermissionState
) -> SettingsHover | None:
    """Return the text for a place in a rule; None elsewhere."""
    for spot in document.rules:
        if spot.node.start <= offset < spot.node.end:
            return _rule_hover(spot, state)
    return None


def _hover_over_key(
    document: SettingsDocument, offset: int, *, trusted: bool
) -> SettingsHover | None:
    root = None if document.tree is None else document.tree.root
    return None if root is None else _key_hover(document, root, "", offset, trusted=trusted)


def _rule_hover(spot: RuleSpot, state: PermissionState) -> SettingsHover:
    span = (spot.node.start, spot.node.end)
    parsed = spot.parsed
    if parsed.rule is None:
        return SettingsHover(span=span, markdown=f"This is no rule: {parsed.problem}.")
    rule = parsed.rule
    parts = [f"**{_EFFECT[rule.behavior]}**: {in_words(rule)}."]
    if parsed.problem:
        parts.append(f"But {parsed.problem}.")
    parts.append(phase_in_words(rule, state))
    examples = examples_of(rule, state)
    for title, texts in (("Matches", examples.matched), ("Does not match", examples.missed)):
        if texts:
            lines = "\n".join(f"- {code(text)}" for text in texts)
            parts.append(f"{title}\n{lines}")
    return SettingsHover(span=span, markdown="\n\n".join(parts))


def _key_hover(
    document: SettingsDocument, node: JsonNode, prefix: str, offset: int, *, trusted: bool
) -> SettingsHover | None:
    for member in node.members:
        key = f"{prefix}{member.key.text}"
        if member.key.start <= offset < member.key.end:
            text = _key_text(key, document, trusted=trusted)
            span = (member.key.start, member.key.end)
            return None if text is None else SettingsHover(span=span, markdown=text)
        if member.value.start <= offset < member.value.end:
            return _key_hover(document, member.value, f"{key}.", offset, trusted=trusted)
    return None


def _key_text(key: str, document: SettingsDocument, *, trusted: bool) -> str | None:
    doc = KEY_DOCS.get(key)
    if doc is None:
        return None
    parts = [f"**{key}**", doc.meaning]
    if doc.values:
        values = ", ".join(f"`{value}`" for value in doc.values)
        parts.append(f"One of {values}.")
    if doc.default:
        parts.append(f"Default: {doc.default}.")
    reason = why_not_here(key, document.place.source, trusted=trusted)
    parts.append(AUDIENCE_TEXT[doc.audience] + (f" Here {reason}." if reason else ""))
    return "\n\n".join(parts)
