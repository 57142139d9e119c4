"""Questions and answers on the wire.

Owns: a stored question as the request that puts it (``session/request_permission`` for permissions
and plans), and its answer back. Forms are in ``edges.forms``.
"""

import logging
from typing import Any, NamedTuple, assert_never, cast

from pydantic import Field, ValidationError

from pilotfish.core.dialogs import (
    Answer,
    PlanAnswer,
    PlanComment,
    PlanQuestion,
    Question,
    UserQuestion,
)
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.permission import (
    AnswerKind,
    PermissionAnswer,
    PermissionMode,
    PermissionQuestion,
    RuleSuggestion,
)
from pilotfish.edges.channel import describe_invalid
from pilotfish.edges.forms import ELICITATION, Asker, form_answer, form_to_acp
from pilotfish.edges.modes import MODES
from pilotfish.edges.updates import diff_to_acp
from pilotfish.session.session import Session
from pilotfish.util.visible import visible
from pilotfish.wire.base import WireModel
from pilotfish.wire.interaction import AnswerMeta, PermissionMeta, PlanMeta, SuggestionMeta
from pilotfish.wire.session import OpenQuestion

logger = logging.getLogger(__name__)

PERMISSION = "session/request_permission"

ALLOW_ONCE = "allow_once"
ALLOW_ALWAYS = "allow_always"
REJECT_ONCE = "reject_once"

START_EDITING = "start_editing"
START_ACCEPT_EDITS = "start_accept_edits"
CLEAR_AND_START = "clear_context_and_start"
KEEP_PLANNING = "keep_planning"

_KINDS = {
    "Edit": "edit",
    "MultiEdit": "edit",
    "Write": "edit",
    "NotebookEdit": "edit",
    "Bash": "execute",
    "PowerShell": "execute",
    "Read": "read",
    "NotebookRead": "read",
}


class QuestionRequest(NamedTuple):
    """The request that puts a question."""

    method: str
    params: dict[str, Any]


def question_to_request(question: Question, session: Session) -> QuestionRequest:
    """Return the request that puts a question of a session to the user."""
    asker = Asker(agent_name=asker_of(question, session), session_title=session.data.title)
    match question:
        case PermissionQuestion():
            return QuestionRequest(PERMISSION, question_to_acp(question, asker))
        case PlanQuestion():
            return QuestionRequest(PERMISSION, _plan_to_acp(question, asker))
        case UserQuestion():
            return QuestionRequest(ELICITATION, form_to_acp(question, asker))
        case _:
            assert_never(question)


def asker_of(question: Question, session: Session) -> str:
    """Return what people call the agent that asks; empty for the main one."""
    entry = session.data.agents.get(question.agent_id)
    return "" if entry is None else entry.facts.name or entry.facts.agent_type


def question_to_acp(question: PermissionQuestion, asker: Asker) -> dict[str, Any]:
    """Return the parameters of ``session/request_permission``."""
    meta = PermissionMeta(
        request_id=question.request_id,
        agent_id=question.agent_id,
        agent_name=asker.agent_name,
        session_title=asker.session_title,
        tool_name=question.tool,
        reason=question.reason,
        risk=question.risk,
        suggestions=[_suggestion(suggestion) for suggestion in question.suggestions],
        hide_always=question.hide_always,
        preflight=list(question.preflight),
        preflight_added=question.preflight_added,
        preflight_fixed=question.preflight_fixed,
        created_at_ms=question.created_at_ms,
    )
    tool_call: dict[str, Any] = {
        "toolCallId": question.tool_use_id,
        "title": visible(question.title),
        "status": "pending",
        "kind": _KINDS.get(question.tool, "other"),
        "rawInput": question.input,
    }
    previews = question.batch if question.preview is None else (question.preview,)
    if previews:
        tool_call["kind"] = "edit"
        tool_call["content"] = [
            diff_to_acp(each.path, each.old_text, each.new_text) for each in previews
        ]
    command = question.input.get("command")
    if isinstance(command, str) and (command != question.title or visible(command) != command):
        # The title is one line and may be cut; whoever decides must be able to see the rest, and
        # nothing in it may look other than it is.
        tool_call["content"] = [_text_content(visible(command))]
    return {
        "sessionId": question.session_id,
        "toolCall": tool_call,
        "options": _options(question),
        "_meta": {"pilotfish": meta.model_dump(by_alias=True, exclude_none=True)},
    }


def question_to_entry(question: Question, session: Session) -> OpenQuestion:
    """Return a question of a session as the inbox lists it."""
    method, params = question_to_request(question, session)
    return OpenQuestion(
        request_id=question.request_id,
        session_id=question.session_id,
        agent_id=question.agent_id,
        created_at_ms=question.created_at_ms,
        method="elicitation/create" if method == ELICITATION else "session/request_permission",
        request=params,
    )


def answer_from_option(question: Question, option_id: str, meta: AnswerMeta) -> Answer | None:
    """Build the answer for a chosen option; an unknown option is a rejection.

    Returns:
        None when the question is a form, which options do not answer.
    """
    match question:
        case PermissionQuestion():
            return _permission_answer(option_id, meta)
        case PlanQuestion():
            return _plan_answer(option_id, meta)
        case UserQuestion():
            return None
        case _:
            assert_never(question)


def answer_from_acp(question: Question, response: dict[str, Any]) -> Answer:
    """Build the answer from the response to the request that put a question.

    A dialog that was closed without a choice counts as a refusal. So does a response that cannot be
    understood: it must not count as consent, nor leave the question open for ever.
    """
    if isinstance(question, UserQuestion):
        return form_answer(question, response)
    try:
        answer = _Answer.model_validate(response)
    except ValidationError as error:
        logger.warning("%s", describe_invalid("the answer to a permission question", error))
        return _no(question)
    if answer.outcome.outcome != "selected":
        return _no(question)
    extra = answer.field_meta.pilotfish if answer.field_meta is not None else None
    option_id = answer.outcome.option_id
    return answer_from_option(question, option_id, extra or AnswerMeta()) or _no(question)


def _no(question: PermissionQuestion | PlanQuestion) -> Answer:
    if isinstance(question, PlanQuestion):
        return PlanAnswer(kind="keep_planning")
    return PermissionAnswer(kind="reject")


def _permission_answer(option_id: str, meta: AnswerMeta) -> PermissionAnswer:
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


# --- plans ---


def _plan_to_acp(question: PlanQuestion, asker: Asker) -> dict[str, Any]:
    meta = PermissionMeta(
        request_id=question.request_id,
        agent_id=question.agent_id,
        agent_name=asker.agent_name,
        session_title=asker.session_title,
        tool_name="ExitPlanMode",
        reason="Nothing is changed until you approve the plan.",
        risk="normal",
        suggestions=[],
        hide_always=True,
        preflight=[],
        plan=PlanMeta(
            path=question.plan_path,
            content=question.plan,
            allowed_prompts=list(question.allowed_prompts),
            next_mode=question.next_mode,
        ),
        created_at_ms=question.created_at_ms,
    )
    tool_call = {
        "toolCallId": question.tool_use_id,
        "title": visible(question.title),
        "status": "pending",
        "kind": "switch_mode",
        "content": [_text_content(question.plan)],
        "locations": [{"path": question.plan_path}],
    }
    return {
        "sessionId": question.session_id,
        "toolCall": tool_call,
        "options": _plan_options(question.next_mode),
        "_meta": {"pilotfish": meta.model_dump(by_alias=True, exclude_none=True)},
    }


def _plan_options(next_mode: PermissionMode) -> list[dict[str, str]]:
    mode = next((mode["name"] for mode in MODES if mode["id"] == next_mode), next_mode)
    options = [{"optionId": START_EDITING, "kind": ALLOW_ONCE, "name": f"Start ({mode})"}]
    if next_mode == "default":
        name = "Start and accept edits"
        options.append({"optionId": START_ACCEPT_EDITS, "kind": ALLOW_ALWAYS, "name": name})
    name = "Clear the conversation and start"
    options.append({"optionId": CLEAR_AND_START, "kind": ALLOW_ONCE, "name": name})
    name = "Keep planning"
    return [*options, {"optionId": KEEP_PLANNING, "kind": REJECT_ONCE, "name": name}]


def _plan_answer(option_id: str, meta: AnswerMeta) -> PlanAnswer:
    feedback = (meta.feedback or "").strip()
    comments = tuple(
        PlanComment(text=each.text, quote=each.quote, line=each.line)
        for each in meta.plan_comments
        if each.text.strip()
    )
    if option_id not in (START_EDITING, START_ACCEPT_EDITS, CLEAR_AND_START):
        return PlanAnswer(kind="keep_planning", feedback=feedback, comments=comments)
    return PlanAnswer(
        kind="clear_and_start" if option_id == CLEAR_AND_START else "start",
        feedback=feedback,
        target_mode="acceptEdits" if option_id == START_ACCEPT_EDITS else meta.target_mode,
        edited_plan=meta.edited_plan,
        comments=comments,
    )


def _text_content(text: str) -> dict[str, Any]:
    return {"type": "content", "content": {"type": "text", "text": text}}
