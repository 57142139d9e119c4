"""People read the server in their language; the model and the log read English."""

# ruff: noqa: RUF001 - full-width marks are Chinese punctuation

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pilotfish
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.edges.chinese import CHINESE
from pilotfish.edges.localise import localise, translator
from pilotfish.edges.modes import MODES
from pilotfish.permissions.modes import SEVERAL_FILES_TEXT, SITUATION_TEXT

SOURCES = Path(pilotfish.__file__).parent
HOLE = re.compile(r"\{[^{}]*\}")
CHINESE_SIGN = re.compile(r"[\u4e00-\u9fff]")

chinese = translator("zh-cn")


def texts_in(file: Path) -> Iterator[str]:
    """Yield every text of a source file, with holes where values are filled in."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
            )


def bare(text: str) -> str:
    """Return a text as it is compared: a sentence may be made of a clause."""
    plain = HOLE.sub("{}", text).rstrip(".")
    return plain[:1].lower() + plain[1:]


def test_every_text_of_the_catalogue_is_one_of_the_servers() -> None:
    files = [file for file in SOURCES.rglob("*.py") if file.name != "chinese.py"]
    known = {bare(text) for file in files for text in texts_in(file)}
    assert [text for text in CHINESE if bare(text) not in known] == []


@pytest.mark.parametrize("text", CHINESE)
def test_translations_are_chinese_and_carry_the_same(text: str) -> None:
    assert CHINESE_SIGN.search(CHINESE[text])
    assert sorted(HOLE.findall(CHINESE[text])) == sorted(HOLE.findall(text))


def test_no_text_of_the_listed_places_is_missing() -> None:
    situations = {**SITUATION_TEXT, **{f"{key}s": text for key, text in SEVERAL_FILES_TEXT.items()}}
    shown = [
        *(mode[key] for mode in MODES for key in ("name", "description")),
        *(f"{text[0].upper()}{text[1:]}.".format(count=3) for text in situations.values()),
    ]
    assert [text for text in shown if chinese(text) == text] == []


def in_dialogs() -> set[str]:
    """Return the texts of ``"name": …`` and ``name = …`` where options are made."""
    tree = ast.parse((SOURCES / "edges" / "questions.py").read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            found |= {
                value.value
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant) and key.value == "name"
                if isinstance(value, ast.Constant) and isinstance(value.value, str)
            }
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            if names == ["name"] and isinstance(node.value.value, str):
                found.add(node.value.value)
    return found


def test_no_option_of_a_dialog_is_missing() -> None:
    assert len(in_dialogs()) >= 4
    assert [text for text in in_dialogs() if chinese(text) == text] == []


def test_values_are_kept_and_nested_texts_translated() -> None:
    assert chinese("Start (Accept edits)") == "开始（接受修改）"
    assert chinese("Always allow edits of a {b}.py") == "始终允许修改 a {b}.py"
    assert "8,192" in chinese(
        "The reply reached the output limit of 8,192 tokens and was cut. Ask to continue, or raise "
        "the setting model.maxTokens."
    )


def test_sentences_stand_alone() -> None:
    said = chinese("A turn is running. Stop it, or wait for its end.")
    assert said == "一轮对话正在进行。 请停止它，或等待其结束。"
    assert chinese("Something else. Send the prompt again.").startswith("Something else. 请")


QUESTION: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 7,
    "method": "session/request_permission",
    "params": {
        "toolCall": {"title": "Reject", "rawInput": {"name": "Reject", "command": "Plan"}},
        "options": [{"optionId": "reject_once", "name": "Reject"}],
        "_meta": {"pilotfish": {"reason": "It contacts a host.", "suggestions": []}},
    },
}


def test_a_dialog_is_translated_where_people_read_and_nowhere_else() -> None:
    params = localise(QUESTION, chinese)["params"]
    assert params["options"] == [{"optionId": "reject_once", "name": "拒绝"}]
    assert params["_meta"]["pilotfish"]["reason"] == "它会连接主机。"
    assert params["toolCall"] == QUESTION["params"]["toolCall"]
    assert QUESTION["params"]["options"][0]["name"] == "Reject"


def test_answers_and_errors_are_translated() -> None:
    modes = {"modes": {"availableModes": [{"id": "plan", "name": "Plan", "description": "x"}]}}
    answer = localise({"id": 1, "result": modes}, chinese)
    assert answer["result"]["modes"]["availableModes"][0]["name"] == "计划"
    error = localise({"id": 1, "error": {"code": 1, "message": "The prompt is empty."}}, chinese)
    assert error["error"]["message"] == "提示为空。"


@pytest.mark.parametrize("locale", ["en", "de-DE", None, 7])
def test_everybody_else_reads_english(locale: object) -> None:
    assert localise(QUESTION, translator(locale)) is QUESTION


@given(
    st.recursive(st.text() | st.none(), lambda one: st.lists(one) | st.dictionaries(st.text(), one))
)
def test_no_message_is_too_strange(value: object) -> None:
    localise({"method": "session/update", "params": value}, chinese)
    localise({"id": 1, "result": value}, chinese)
