"""The model's own questions to the user."""

from typing import Any

import pytest

from tests.support.stage import Stage, text_of
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

COLOUR = {
    "question": "Which colour?",
    "header": "Colour",
    "options": [
        {"label": "Red", "description": "Warm"},
        {"label": "Blue", "description": "Cool", "preview": "`#00f`"},
    ],
}
SIZES = {
    "question": "Which sizes?",
    "header": "Sizes",
    "multiSelect": True,
    "options": [
        {"label": "Small", "description": "Fits a pocket"},
        {"label": "Large", "description": "Seen from afar"},
    ],
}


def ask(*questions: dict[str, Any]) -> ToolUse:
    return ToolUse("AskUserQuestion", {"questions": list(questions)})


async def test_the_answers_reach_the_model(stage: Stage) -> None:
    stage.play([Turn([ask(COLOUR, SIZES)]), "Thanks."])
    chat = await stage.chat()
    prompt = chat.send("Paint it")
    form = await chat.question()
    params = form.message["params"]
    assert (params["mode"], params["message"]) == ("form", "Which colour? (and 1 more)")
    assert [one["question"] for one in form.meta["questions"]] == ["Which colour?", "Which sizes?"]
    assert form.meta["questions"][0]["choices"][1]["preview"] == "`#00f`"
    assert (await chat.snapshot())["state"] == "requires_action"
    form.fill({"question_1": "Blue", "question_2": ["Small", "Large"], "question_2_other": "Huge"})
    assert await prompt.stop_reason() == "end_turn"
    told = text_of(stage.results()[0])
    assert "- Which colour? Blue" in told
    assert "- Which sizes? Small, Large, Huge" in told


async def test_what_the_user_types_counts_instead(stage: Stage) -> None:
    stage.play([Turn([ask(COLOUR)]), "Thanks."])
    chat = await stage.chat()
    prompt = chat.send("Paint it")
    (await chat.question()).fill({"question_1": "Red", "question_1_other": " Mauve "})
    await prompt.stop_reason()
    assert text_of(stage.results()[0]).endswith("- Which colour? Mauve")


@pytest.mark.parametrize(
    ("feedback", "expected"),
    [("", "declined to answer"), ("Ask my designer.", "Ask my designer.")],
)
async def test_declining_lets_the_turn_go_on(stage: Stage, feedback: str, expected: str) -> None:
    stage.play([Turn([ask(COLOUR)]), "All right."])
    chat = await stage.chat()
    prompt = chat.send("Paint it")
    (await chat.question()).decline(feedback)
    assert await prompt.stop_reason() == "end_turn"
    assert expected in text_of(stage.results()[0])
    assert chat.text().endswith("All right.")


async def test_an_answer_that_makes_no_sense_is_no_answer(stage: Stage) -> None:
    stage.play([Turn([ask(COLOUR)]), "All right."])
    chat = await stage.chat()
    prompt = chat.send("Paint it")
    question = await chat.question()
    stage.client.reply(question.id, {"action": "dance", "content": 3})
    assert await prompt.stop_reason() == "end_turn"
    assert "declined" in text_of(stage.results()[0])


async def test_stop_withdraws_the_form(stage: Stage) -> None:
    stage.play([Turn([ask(COLOUR)])])
    chat = await stage.chat()
    prompt = chat.send("Paint it")
    question = await chat.question()
    chat.stop()
    await question.withdrawn()
    assert await prompt.stop_reason() == "cancelled"


async def test_a_form_is_answered_from_the_inbox(stage: Stage) -> None:
    stage.play([Turn([ask(COLOUR)]), "Thanks."])
    chat = await stage.chat()
    prompt = chat.send("Paint it")
    await chat.question()
    listed = await stage.client.request("_pilotfish/inbox/list", {"sessionId": chat.id})
    entry = listed["questions"][0]
    assert entry["method"] == "elicitation/create"
    form = {"action": "accept", "content": {"question_1": "Red"}}
    answer = {"requestId": entry["requestId"], "form": form}
    assert (await stage.client.request("_pilotfish/inbox/answer", answer))["accepted"]
    assert await prompt.stop_reason() == "end_turn"
    assert "Red" in text_of(stage.results()[0])


@pytest.mark.parametrize(
    ("question", "problem"),
    [
        ({**COLOUR, "header": "A header too long"}, "questions.0.header"),
        ({**COLOUR, "options": COLOUR["options"][:1]}, "questions.0.options"),
        ({**COLOUR, "options": [COLOUR["options"][0]] * 2}, "labels of a question must differ"),
    ],
)
async def test_a_call_out_of_form_is_explained(
    stage: Stage, question: dict[str, Any], problem: str
) -> None:
    stage.play([Turn([ask(question)]), "I see."])
    chat = await stage.chat()
    assert await chat.ask("Paint it") == "end_turn"
    assert problem in text_of(stage.results()[0])
    assert chat.questions() == []


async def test_in_dont_ask_mode_the_model_decides_itself(stage: Stage) -> None:
    stage.play([Turn([ask(COLOUR)]), "Red it is."])
    chat = await stage.chat(permissionMode="dontAsk")
    assert await chat.ask("Paint it") == "end_turn"
    assert stage.results()[0]["is_error"]
    assert chat.questions() == []
