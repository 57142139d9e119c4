"""The text of a skill: what counts, and what people are told."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.skills.model import Skill
from pilotfish.skills.reader import SkillOrigin, read_skill

ORIGIN = SkillOrigin(
    source="projectSettings", path=Path("/p/x/SKILL.md"), folder=Path("/p/x"), name="x"
)


def read(text: str) -> tuple[Skill, list[str]]:
    found = read_skill(text, ORIGIN)
    assert found.found is not None
    return found.found.skill, [f"{one.line}: {one.text}" for one in found.problems]


def test_all_fields() -> None:
    text = """---
name: review
description: Reviews things
when_to_use: before a commit
allowed-tools: Read, Bash(git log:*, now), Grep
argument-hint: [file] [line]
arguments: [file, line]
model: sonnet
effort: high
context: fork
agent: Explore
user-invocable: no
disable-model-invocation: "true"
version: 1.0
paths: "*.py, src/**"
hooks: {Stop: []}
shell: bash
license: MIT
metadata: {author: me}
---
Do it.
"""
    skill, problems = read(text.replace("[file] [line]", '"[file] [line]"'))
    assert problems == []
    assert skill == Skill(
        name="review",
        description="Reviews things",
        source="projectSettings",
        path=ORIGIN.path,
        folder=ORIGIN.folder,
        when_to_use="before a commit",
        allowed_tools=("Read", "Bash(git log:*, now)", "Grep"),
        argument_hint="[file] [line]",
        arguments=("file", "line"),
        model="sonnet",
        effort="high",
        context="fork",
        agent="Explore",
        user_invocable=False,
        model_invocable=False,
        version="1.0",
        paths=("*.py", "src/**"),
        hooks={"Stop": []},
        shell="bash",
        info={"license": "MIT", "metadata": {"author": "me"}},
    )


@pytest.mark.parametrize(
    "text",
    [
        "---\ndescription: Use when: a colon stands here\n---\nDo.",
        "\ufeff---\r\ndescription: 'Use when: a colon stands here'\r\n---\r\nDo.",
        '---\ndescription: "Use when: a colon stands here"\n---\nDo.',
        "---\ndescription: >-\n  Use when: a colon\n  stands here\n---\nDo.",
    ],
)
def test_a_description_however_it_is_written(text: str) -> None:
    skill, problems = read(text)
    assert skill.description == "Use when: a colon stands here"
    assert problems == []


def test_what_is_missing_comes_from_folder_and_text() -> None:
    skill, problems = read("# Title\n\nThe first\nparagraph.\n\nMore.")
    assert (skill.name, skill.description) == ("x", "The first paragraph.")
    assert problems == [
        "1: `description` is missing: the first paragraph of the text stands for it."
    ]


@pytest.mark.parametrize(
    ("field", "told"),
    [
        ("context: sideways", "`context` is ignored: it is none of inline, fork."),
        ("user-invocable: perhaps", "`user-invocable` is ignored: it is neither true nor false."),
        ("name: 'two words'", "`name` is ignored: letters, digits"),
        ("allowed-tools: 'Baash(x)'", "there is no tool named Baash; did you mean Bash?"),
        ("arguments: ['a b;']", "`arguments` is ignored"),
        ("effort: 3!", "`effort` is ignored"),
        ("hooks: often", "`hooks` is ignored: it is no mapping."),
        ("disable-model-invocaton: true", "did you mean `disable-model-invocation`?"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(field: str, told: str) -> None:
    skill, problems = read(f"---\ndescription: d\n{field}\n---\nDo.")
    assert len(problems) == 1
    assert problems[0].startswith("3: ")
    assert told in problems[0]
    assert skill.context == "inline"
    assert skill.user_invocable


def test_front_matter_that_cannot_be_read_makes_a_skill_unusable() -> None:
    found = read_skill("---\n- a\n- b\n---\nDo.", ORIGIN)
    assert found.found is None
    assert [one.severity for one in found.problems] == ["error"]


def test_only_known_harmless_properties_need_no_word_of_the_user() -> None:
    harmless, _ = read("---\ndescription: d\nmodel: x\npaths: '*.py'\nhooks: {}\nother:\n---\nDo.")
    assert harmless.unsafe_properties == ()
    risky, _ = read("---\ndescription: d\nallowed-tools: Read\nshell: bash\nodd: 1\n---\n!`date`")
    assert risky.unsafe_properties == ("allowed-tools", "shell", "commands in its text", "odd")


def test_a_lone_pattern_for_every_file_is_no_condition() -> None:
    assert read("---\ndescription: d\npaths: ['**']\n---\nDo.")[0].paths == ()


@given(st.text(max_size=400))
def test_no_text_makes_it_raise(text: str) -> None:
    for candidate in (text, f"---\n{text}\n---\nbody"):
        found = read_skill(candidate, ORIGIN)
        if found.found is not None:
            assert found.found.skill.name
