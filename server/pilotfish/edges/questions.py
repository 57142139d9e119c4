"""Questions and answers on the wire.

Owns: a stored question as parameters of ``session/request_permission``, and its answer back.
"""

import logging
from typing import Any, cast

from pydantic import Field, ValidationError

from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.permission import (
    AnswerKind,
    PermissionAnswer,
    PermissionQuestion,
    RuleSuggestion,
)
from pilotfish.edges.channel import describe_invalid
from pilotfish.edges.updates import diff_to_acp
from pilotfish.util.visible import visible
from pilotfish.wire.base import WireModel
from pilotfish.wire.interaction import AnswerMeta, PermissionMeta, SuggestionMeta
from pilotfish.wire.session import OpenQuestion

logger = logging.getLogger(__name__)

ALLOW_ONCE = "allow_once"
ALLOW_ALWAYS = "allow_always"
REJECT_ONCE = "reject_once"

_KINDS = {"Edit": "edit", "Write": "edit", "Bash": "execute", "Read": "read"}


def question_to_acp(question: PermissionQuestion) -> dict[str, Any]:
    """Return the parameters of ``session/request_permission``."""
    meta = PermissionMeta(
        request_id=question.request_id,
        agent_id=question.agent_id,
        reason=question.reason,
        risk=question.risk,
        suggestions=[_suggestion(suggestion) for suggestion in question.suggestions],
        hide_always=question.hide_always,
        preflight=list(question.preflight),
        created_at_ms=question.created_at_ms,
    )
    tool_call: dict[str, Any] = {
        "toolCallId": question.tool_use_id,
        "title": question.title,
        "status": "pending",
        "kind": _KINDS.get(question.tool, "other"),
        "rawInput": question.input,
    }
    preview = question.preview
    if preview is not None:
        tool_call["content"] = [diff_to_acp(preview.path, preview.old_text, preview.new_text)]
    command = question.input.get("command")
    if isinstance(command, str) and command != question.title:
        # The title is one line and may be cut; whoever decides must be able to see the rest.
        whole = {"type": "text", "text": visible(command)}
        tool_call["content"] = [{"type": "content", "content": whole}]
    return {
        "sessionId": question.session_id,
        "toolCall": tool_call,
        "options": _options(question),
        "_meta": {"pilotfish": meta.model_dump(by_alias=True, exclude_none=True)},
    }


def question_to_entry(question: PermissionQuestion) -> OpenQuestion:
    """Return the question as the inbox lists it."""
    return OpenQuestion(
        request_id=question.request_id,
        session_id=question.session_id,
        agent_id=question.agent_id,
        created_at_ms=question.created_at_ms,
        request=question_to_acp(question),
    )


def answer_from_option(option_id: str, meta: AnswerMeta) -> PermissionAnswer:
    """Build the answer for a chosen option; an unknown option is a rejection."""
    kind: AnswerKind
    if option_id == ALLOW_ALWAYS:
        kind = "allow_always"
    elif option_id == ALLOW_ONCE:
        kind = "allow_once"
    else:
        kind = "feedback" if (meta.feedback or "").strip() else "reject"
    return PermissionAnswer(
        kind=kind,
        feedback=(meta.feedback or "").strip(),
        suggestion_index=meta.suggestion_index,
        destination=meta.destination,
        updated_input=cast("JsonObject | None", meta.updated_input),
        edited_text=meta.edited_text,
        edited_rule=meta.edited_rule,
    )


def answer_from_acp(response: dict[str, Any]) -> PermissionAnswer | None:
    """Build the answer from a ``session/request_permission`` response.

    Returns:
        None when the client cancelled the dialog without an answer, or answered something that
        cannot be understood: that must not count as consent, nor leave the question open for ever.
    """
    try:
        answer = _Answer.model_validate(response)
    except ValidationError as error:
        logger.warning("%s", describe_invalid("the answer to a permission question", error))
        return None
    if answer.outcome.outcome != "selected":
        return None
    extra = answer.field_meta.pilotfish if answer.field_meta is not None else None
    return answer_from_option(answer.outcome.option_id, extra or AnswerMeta())


class _Outcome(WireModel):
    outcome: str
    option_id: str = ""


class _Meta(WireModel):
    pilotfish: AnswerMeta | None = None


class _Answer(WireModel):
    """What ACP says an answer is, with our part of its ``_meta``."""

    outcome: _Outcome
    field_meta: _Meta | None = Field(default=None, alias="_meta")


def _options(question: PermissionQuestion) -> list[dict[str, str]]:
    options = [{"optionId": ALLOW_ONCE, "kind": ALLOW_ONCE, "name": "Allow once"}]
    if not question.hide_always and question.suggestions:
        name = question.suggestions[0].label
        options.append({"optionId": ALLOW_ALWAYS, "kind": ALLOW_ALWAYS, "name": name})
    return [*options, {"optionId": REJECT_ONCE, "kind": REJECT_ONCE, "name": "Reject"}]


def _suggestion(suggestion: RuleSuggestion) -> SuggestionMeta:
    return SuggestionMeta(
        label=suggestion.label,
        rule=suggestion.rule.text() if suggestion.rule is not None else None,
        mode=suggestion.mode,
        destinations=list(suggestion.destinations),
    )
