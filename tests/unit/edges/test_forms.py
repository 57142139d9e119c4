"""The model's questions as an ACP form, and back."""

from typing import Any

import pytest
from acp import schema
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.core.dialogs import Choice, ChoiceQuestion, UserAnswer, UserQuestion
from pilotfish.core.ids import MAIN_AGENT, RequestId, SessionId, ToolUseId
from pilotfish.edges.forms import Asker, form_answer, form_to_acp

NOBODY = Asker(agent_name="", session_title="")
CHOICES = (Choice(label="Red", description="warm"), Choice(label="Blue", description="cool"))
QUESTION = UserQuestion(
    request_id=RequestId("ask_1"),
    session_id=SessionId("s"),
    agent_id=MAIN_AGENT,
    tool_use_id=ToolUseId("toolu_1"),
    title="Which?",
    questions=(
        ChoiceQuestion(question="Which?", header="One", choices=CHOICES),
        ChoiceQuestion(question="And which?", header="Many", choices=CHOICES, multi_select=True),
    ),
)


def test_the_form_is_one_of_the_protocols() -> None:
    params = form_to_acp(QUESTION, NOBODY)
    request = schema.CreateFormSessionElicitationRequest.model_validate(params)
    properties = request.requested_schema.properties or {}
    kinds = {name: type(one).__name__ for name, one in properties.items()}
    assert kinds == {
        "question_1": "ElicitationStringPropertySchema",
        "question_1_other": "ElicitationStringPropertySchema",
        "question_2": "ElicitationMultiSelectPropertySchema",
        "question_2_other": "ElicitationStringPropertySchema",
    }
    back = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
    assert back == params


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({}, ((), ())),
        ({"question_1": "Red", "question_2": ["Red", "Blue"]}, (("Red",), ("Red", "Blue"))),
        ({"question_1": "Red", "question_1_other": "Mauve"}, (("Mauve",), ())),
        ({"question_1": ["Red", "Blue"]}, (("Red",), ())),
        ({"question_2": "Red", "question_2_other": "Mauve"}, ((), ("Red", "Mauve"))),
        ({"question_1": "  ", "question_9": "Red"}, ((), ())),
    ],
)
def test_what_was_filled_in(content: dict[str, Any], expected: tuple[Any, Any]) -> None:
    answer = form_answer(QUESTION, {"action": "accept", "content": content})
    assert answer.kind == "answered"
    assert (answer.selections["Which?"], answer.selections["And which?"]) == expected


def test_a_form_without_answers_is_declined() -> None:
    said = {"_meta": {"pilotfish": {"feedback": " Later. "}}}
    assert form_answer(QUESTION, {"action": "decline", **said}) == UserAnswer(
        kind="declined", feedback="Later."
    )
    assert form_answer(QUESTION, {"action": "cancel"}) == UserAnswer(kind="declined")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["action", "content", "question_1", "_meta"]), inner)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["action", "content", "_meta", "x"]), JSON))
def test_whatever_a_client_sends_is_an_answer(response: dict[str, Any]) -> None:
    answer = form_answer(QUESTION, response)
    assert answer.kind in ("answered", "declined")
    assert (answer.kind == "answered") == (response.get("action") == "accept") or (
        answer.kind == "declined"
    )
