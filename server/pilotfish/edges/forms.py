"""The model's questions as a form.

Owns: a ``UserQuestion`` as parameters of ``elicitation/create``, and the filled-in form back.

A JSON Schema cannot say "one of these, or what you like", so each question has a second field for
what the user types instead. Clients that know us draw the form from ``_meta.pilotfish``.
"""

import logging
from typing import Any, NamedTuple

from pydantic import ValidationError

from pilotfish.core.dialogs import ChoiceQuestion, UserAnswer, UserQuestion
from pilotfish.edges.channel import describe_invalid
from pilotfish.wire.interaction import ChoiceMeta, ChoiceQuestionMeta, ElicitationMeta, FormAnswer

logger = logging.getLogger(__name__)

ELICITATION = "elicitation/create"

MAX_ANSWER_CHARS = 20_000
"""Longest text that a user may type as an answer; the rest is cut."""


class Asker(NamedTuple):
    """Who asks, for people."""

    agent_name: str
    """Empty when it is the conversation itself."""
    session_title: str


def form_to_acp(question: UserQuestion, asker: Asker) -> dict[str, Any]:
    """Return the parameters of ``elicitation/create``."""
    properties: dict[str, Any] = {}
    for index, each in enumerate(question.questions, start=1):
        properties[_key(index)] = _property(each)
        properties[_other_key(index)] = {
            "type": "string",
            "title": f"{each.header}: another answer",
            "description": "What you type here counts instead.",
        }
    meta = ElicitationMeta(
        request_id=question.request_id,
        agent_id=question.agent_id,
        agent_name=asker.agent_name,
        session_title=asker.session_title,
        questions=[_meta(index, each) for index, each in enumerate(question.questions, start=1)],
        created_at_ms=question.created_at_ms,
    )
    return {
        "mode": "form",
        "sessionId": question.session_id,
        "toolCallId": question.tool_use_id,
        "message": question.title,
        "requestedSchema": {"type": "object", "properties": properties},
        "_meta": {"pilotfish": meta.model_dump(by_alias=True, exclude_none=True)},
    }


def form_answer(question: UserQuestion, response: dict[str, Any]) -> UserAnswer:
    """Build the answer from a filled-in form; what cannot be understood counts as declined."""
    try:
        answer = FormAnswer.model_validate(response)
    except ValidationError as error:
        logger.warning("%s", describe_invalid("the answer to a form", error))
        return UserAnswer(kind="declined")
    return answer_from_form(question, answer)


def answer_from_form(question: UserQuestion, answer: FormAnswer) -> UserAnswer:
    """Build the answer from a filled-in form."""
    if answer.action != "accept":
        extra = answer.field_meta.pilotfish if answer.field_meta is not None else None
        feedback = ((extra.feedback if extra is not None else None) or "").strip()
        return UserAnswer(kind="declined", feedback=feedback[:MAX_ANSWER_CHARS])
    content = answer.content or {}
    return UserAnswer(
        kind="answered",
        selections={
            each.question: _chosen(each, content.get(_key(index)), content.get(_other_key(index)))
            for index, each in enumerate(question.questions, start=1)
        },
    )


def _chosen(
    question: ChoiceQuestion, picked: str | list[str] | None, typed: str | list[str] | None
) -> tuple[str, ...]:
    labels = [picked] if isinstance(picked, str) else picked or []
    own = typed if isinstance(typed, str) else ""
    texts = [*labels, own] if question.multi_select or not own.strip() else [own]
    kept = [text.strip()[:MAX_ANSWER_CHARS] for text in texts if text.strip()]
    return tuple(kept if question.multi_select else kept[:1])


def _property(question: ChoiceQuestion) -> dict[str, Any]:
    options = [
        {"const": each.label, "title": each.label, "description": each.description}
        for each in question.choices
    ]
    named = {"title": question.header, "description": question.question}
    if question.multi_select:
        return {"type": "array", **named, "items": {"anyOf": options}}
    return {"type": "string", **named, "oneOf": options}


def _meta(index: int, question: ChoiceQuestion) -> ChoiceQuestionMeta:
    return ChoiceQuestionMeta(
        id=_key(index),
        question=question.question,
        header=question.header,
        multi_select=question.multi_select,
        choices=[
            ChoiceMeta(label=each.label, description=each.description, preview=each.preview)
            for each in question.choices
        ],
    )


def _key(index: int) -> str:
    return f"question_{index}"


def _other_key(index: int) -> str:
    return f"{_key(index)}_other"
