"""No text that people read is without a translation, and no translation without a text."""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages
from typing import Any, get_args

import pilotfish
import pytest
from pilotfish.agents.send_message import SendMessageTool
from pilotfish.agents.tool import AgentTool
from pilotfish.config.key_docs import AUDIENCE_TEXT, KEY_DOCS, why_not_here
from pilotfish.core.errors import PilotfishError
from pilotfish.core.permission import RuleSource
from pilotfish.edges.chinese import CATALOGUE
from pilotfish.llm.providers.demo.texts import TASK_PROMPTS
from pilotfish.session.skill_texts import SOURCE_NAMES
from pilotfish.skills.reader import SkillOrigin, read_skill
from pilotfish.skills.tool import SkillTool
from pilotfish.tooling.spec import Tool
from pilotfish.tools import builtin_tools
from pydantic_core._pydantic_core import list_all_errors

from tests.support.source_texts import (
    HOLE,
    SOURCES,
    bare,
    in_words,
    sentences,
    source_of,
    texts_in,
    texts_of,
)

NUMBERED = re.compile(r"\{\d+\}")
CHINESE_SIGN = re.compile(r"[\u4e00-\u9fff]")
ENTRIES = [(topic, text) for topic, texts in CATALOGUE.items() for text in texts]


def missing(texts: Iterator[str], *topics: str) -> list[str]:
    known = {bare(text) for topic in topics for text in CATALOGUE.get(topic, {})}
    return [
        part
        for text in texts
        if bare(text) not in known
        for part in sentences(text)
        if in_words(part) and bare(part) not in known
    ]


def texts_of_bundled_skills() -> list[str]:
    """Return what the skills say of themselves to people that come with Pilotfish."""
    said: list[str] = []
    for file in (SOURCES / "skills" / "bundled").glob("*/SKILL.md"):
        name = file.parent.name
        origin = SkillOrigin(source="bundled", path=file, folder=file.parent, name=name)
        found = read_skill(file.read_text(encoding="utf-8"), origin).found
        assert found is not None
        said += [found.skill.description, found.skill.facts.hint]
    return said


@pytest.mark.parametrize(("topic", "text"), ENTRIES)
def test_translations_are_chinese_and_carry_the_same(topic: str, text: str) -> None:
    local = CATALOGUE[topic][text]
    assert CHINESE_SIGN.search(local) or not in_words(text) or local == re.sub(r"\.$", "。", text)
    holes = NUMBERED.findall(text.replace("*}", "}"))
    assert holes == [f"{{{number}}}" for number in range(len(holes))]
    carried = sorted(NUMBERED.findall(local.replace("*}", "}")))
    # The library names classes of ours, which mean nothing to people.
    assert carried == holes or (topic == "validation" and carried < holes)


def test_every_text_of_the_catalogue_is_one_of_the_servers() -> None:
    files = [file for file in SOURCES.rglob("*.py") if "chinese" not in file.parts]
    said = [text for file in files for text in texts_in(file.read_text(encoding="utf-8"))]
    said += texts_of_bundled_skills()
    known = {bare(part) for text in said for part in (text, *sentences(text))}
    absent = [
        text
        for topic, text in ENTRIES
        if bare(text) not in known and topic[:5] != "title" and topic != "validation"
    ]
    assert absent == []


# --- what a dialog offers to allow for good ---


def test_no_offer_of_a_dialog_is_missing() -> None:
    offers = [text for text in texts_in(source_of("permissions/suggestions.py")) if "llow " in text]
    assert len(offers) >= 7
    assert missing(iter(offers), "common") == []


# --- the doctor's report, the progress of an index ---

REPORT = {
    "app/examination.py": None,
    "app/index_check.py": None,
    "app/definitions.py": "finding",
    "app/model_trial.py": "try_model",
    "llm/choose.py": None,
}
"""Modules that speak of the report; of some only one function does."""


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@pytest.mark.parametrize("file", REPORT)
def test_nothing_of_the_doctors_report_is_missing(file: str) -> None:
    tree = ast.parse(source_of(file))
    wanted = REPORT[file]
    found = [
        node
        for node in tree.body
        if wanted is None or (isinstance(node, FUNCTIONS) and node.name == wanted)
    ]
    said = (text for node in found for text in texts_of(node))
    assert missing(said, "doctor") == []


def test_nothing_of_the_progress_of_an_index_is_missing() -> None:
    assert missing(texts_in(source_of("codeintel/index/state.py")), "index") == []


# --- what is typed behind a slash ---


def test_nothing_of_the_commands_is_missing() -> None:
    said = texts_in(source_of("session/builtin_commands.py"))
    assert missing(said, "commands", "requests", "common") == []


def test_nothing_of_the_lists_of_skills_is_missing() -> None:
    said = list(texts_in(source_of("session/skill_texts.py")))
    assert missing(iter(said), "commands", "requests") == []
    assert set(SOURCE_NAMES.values()) <= set(CATALOGUE["commands"])


def test_nothing_that_bundled_skills_say_of_themselves_is_missing() -> None:
    said = texts_of_bundled_skills()
    assert len(said) >= 8
    assert missing(iter(said), "commands") == []


# --- the built-in demo ---

CODE_OF_THE_DEMO = re.compile(r"^(\n|\^|\\b|python3? -m|not found\||def |\{\}\n|\{\} import)")
"""Patterns, commands, and what it writes into files."""


@pytest.mark.parametrize("task", ["add_function", "fix_test", "play", "rename", "steps", "texts"])
def test_nothing_that_the_demo_says_is_missing(task: str) -> None:
    texts = texts_in(source_of(f"llm/providers/demo/{task}.py"))
    said = [text for text in texts if not CODE_OF_THE_DEMO.match(text)]
    asked = set(TASK_PROMPTS)
    assert missing((text for text in said if text not in asked), "demo") == []


# --- titles of calls ---

TOOLS: list[type[Tool[Any]]] = sorted(
    {
        *(
            type(tool)
            for shared in (True, False)
            for tool in builtin_tools({}, shared_tasks=shared)
        ),
        AgentTool,
        SendMessageTool,
        SkillTool,
    },
    key=lambda tool: tool.spec.name,
)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.spec.name)
def test_no_title_of_a_call_is_missing(tool: type[Tool[Any]]) -> None:
    source = textwrap.dedent(inspect.getsource(tool.title))
    assert missing(texts_in(source), f"title {tool.spec.name}") == []


@pytest.mark.parametrize("tool", [name[6:] for name in CATALOGUE if name.startswith("title ")])
def test_titles_are_listed_for_tools_that_exist(tool: str) -> None:
    assert tool in {each.spec.name for each in TOOLS}


# --- models that do not answer, and turns that end ---

FOR_THE_MODEL = {
    "Your last reply was empty. Sum up for the user, or go on with the task.",
    "Your last reply was cut at the output limit. Go on exactly where it stopped: no apology, no "
    "recap. Do what is left in smaller pieces.",
    "Your last reply was cut at the output limit in the middle of a tool call, which was not run. "
    "Do the same in several smaller calls.",
    "Not run: the model declined the request in the same reply.",
    "Not run: the reply that held this call was never finished.",
}
"""What the modules below say to the model."""

FAILURES = (
    "engine/recovery.py",
    "engine/turn.py",
    "llm/check_choice.py",
    "llm/providers/anthropic_clouds.py",
    "llm/providers/connection.py",
    "llm/providers/refusals.py",
    "llm/retry.py",
    "llm/small.py",
)


@pytest.mark.parametrize("file", FAILURES)
def test_no_sentence_about_a_failed_call_is_missing(file: str) -> None:
    said = (text for text in texts_in(source_of(file)) if text not in FOR_THE_MODEL)
    whole = (text for text in said if re.search(r"[a-z)”}][.?]( |$|\{)", text))
    assert missing(whole, "errors", "common") == []


def test_no_end_of_a_command_in_the_background_is_missing() -> None:
    tree = ast.parse(source_of("tools/shell_job.py"))
    ends = [node for node in tree.body if isinstance(node, FUNCTIONS)]
    named = [node for node in ends if node.name in {"verdict_of", "_limit_reached"}]
    said = [text for node in named for text in texts_of(node) if "exit code {}: {}" not in text]
    assert len(said) >= 5
    assert missing(iter(said), "errors") == []


# --- requests that are refused or fail ---


def kinds_of(error: type[PilotfishError]) -> set[str]:
    """Return the names of an error and of all kinds of it, wherever they are defined."""
    return {error.__name__}.union(*(kinds_of(kind) for kind in error.__subclasses__()))


for _module in walk_packages(pilotfish.__path__, "pilotfish."):
    if not _module.name.endswith("__main__"):
        import_module(_module.name)

REFUSALS = kinds_of(PilotfishError)
"""Errors with a text for people: whichever of them a request ends with is its answer."""

COMMAND_LINE = ("app/", "edges/headless/", "permissions/recorded.py")
"""Where they are said in a terminal, which reads English."""

FOR_TOOLS = (
    *("tools/", "tasklist/"),
    *(f"workspace/{name}.py" for name in ("notebook", "pdf", "pictures", "several_edits")),
)
"""Where they become the result of a call, which the model reads."""


def refusals_in(file: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source_of(file))):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            called = node.exc.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if name in REFUSALS:
                yield from texts_of(node.exc)


REFUSING = [
    name
    for file in sorted(SOURCES.rglob("*.py"))
    if not (name := file.relative_to(SOURCES).as_posix()).startswith((*COMMAND_LINE, *FOR_TOOLS))
    if any(refusals_in(name))
]


@pytest.mark.parametrize("file", REFUSING)
def test_no_refusal_of_a_request_is_missing(file: str) -> None:
    assert missing(refusals_in(file), "requests", "files", "errors", "common") == []


def test_refusals_are_found() -> None:
    assert len(REFUSING) >= 55
    assert {"WorkspaceError", "EditClash", "AgentError", "ModelError"} <= REFUSALS


@pytest.mark.parametrize("file", ["session/tree_merge.py", "session/undo_plan.py"])
def test_no_reason_why_a_file_is_left_alone_is_missing(file: str) -> None:
    said = (text for text in texts_in(source_of(file)) if text.rstrip().endswith("."))
    shown = (text for text in said if "The user brought" not in text and "Read these" not in text)
    assert missing(shown, "files", "requests", "errors", "common") == []


# --- values that do not fit ---

UNUSED_TYPES = re.compile(
    r"Argument|argument|ataclass|tuple, list|Attribute|attribute|Python|callable|Datetime|[Dd]ate|"
    r"[Tt]ime|duration|in the (past|future)|array or an object|URL|UUID|[Dd]ecimal|[Ff]raction|complex|bytes|Data should|instance of|subclass|frozen|"
    r"sentinel|Ellipsis|factory|OrderedDict|Counter|deque"
)
"""Kinds of values that neither a request nor a settings file has."""


def test_nothing_that_is_said_of_values_which_do_not_fit_is_missing() -> None:
    known = {re.sub(r"\{\d\*?\}", "{}", text) for text in CATALOGUE["validation"]}
    said = {
        text
        for error in list_all_errors()
        for text in (error["message_template_python"], error.get("message_template_json", ""))
        if text
    }
    forms = {text.replace("{expected_plural}", ending) for text in said for ending in ("", "s")}
    wanted = {HOLE.sub("{}", text) for text in forms if not UNUSED_TYPES.search(text)}
    assert len(wanted) >= 40
    assert wanted - known == set()
    assert known - {HOLE.sub("{}", text) for text in forms} == set()


# --- why a call runs, asks or is refused ---

SENTENCE_WORDS = frozenset(
    ["it", "its", "a", "is", "the", "not", "can", "cannot", "would", "others", "settings"]
)
"""No list of commands or variables holds one of them, and each reason does."""


def is_reason(text: str) -> bool:
    return "%s" not in text and not SENTENCE_WORDS.isdisjoint(re.findall(r"[a-z]+", text))


REASONS = (
    "codeintel/powershell.py",
    "codeintel/shell_ast.py",
    "codeintel/shell_danger.py",
    "codeintel/shell_facts.py",
    "codeintel/shell_fallback.py",
    "codeintel/shell_redirects.py",
    "codeintel/shell_tree.py",
    "codeintel/shell_word_reader.py",
    "permissions/agent_memory.py",
    "permissions/decide.py",
    "permissions/mode_gates.py",
    "permissions/modes.py",
    "permissions/precautions.py",
)


@pytest.mark.parametrize("file", REASONS)
def test_no_reason_of_a_decision_is_missing(file: str) -> None:
    said = [text for text in texts_in(source_of(file)) if is_reason(text)]
    assert said
    assert missing(iter(said), "why", "reason parts", "settings") == []


# --- files that define agents and skills ---

DEFINING = (
    "agents/loader.py",
    "agents/reader.py",
    "definitions/fields.py",
    "definitions/files.py",
    "definitions/front_matter.py",
    "definitions/loading.py",
    "skills/loader.py",
    "skills/reader.py",
)
NO_TEXTS = re.compile(r"^(\(\?P<key>.*|Callable\[.*)$")
"""A pattern, and a type that is written as text."""


@pytest.mark.parametrize("file", DEFINING)
def test_nothing_that_is_said_of_agents_and_skills_is_missing(file: str) -> None:
    said = (text for text in texts_in(source_of(file)) if not NO_TEXTS.match(text))
    assert missing(said, "definitions", "definition parts", "requests") == []


# --- settings files ---

SETTINGS = (
    "permissions/language/check.py",
    "permissions/language/complete.py",
    "permissions/language/hover.py",
    "permissions/language/meaning.py",
    "permissions/lint.py",
    "config/modes.py",
    "config/rule_syntax.py",
)
EXAMPLES = re.compile(r"^(.*\{\} x.*|\{\} (&& make|> out\.txt)|a b|never acts|Read Edit .*)$")
"""Commands that rules are tried on, and the like."""


@pytest.mark.parametrize("file", SETTINGS)
def test_nothing_that_is_said_of_settings_files_is_missing(file: str) -> None:
    said = (text for text in texts_in(source_of(file)) if not EXAMPLES.match(text))
    assert missing(said, "settings", "keys") == []


LAYERS = sorted(
    file.relative_to(SOURCES).as_posix()
    for file in (SOURCES / "config").rglob("*.py")
    if file.name != "key_docs.py"
)


@pytest.mark.parametrize("file", LAYERS)
def test_no_sentence_about_a_settings_file_is_missing(file: str) -> None:
    whole = (text for text in texts_in(source_of(file)) if re.search(r"[a-z)}`][.]( |$)", text))
    assert missing(whole, "settings", "keys", "requests", "files") == []


def test_no_text_of_a_key_is_missing() -> None:
    said = [text for doc in KEY_DOCS.values() for text in (doc.meaning, *doc.meanings)]
    # A list of values, or a short text that stands in for one.
    said += [doc.default for doc in KEY_DOCS.values() if not doc.default.startswith(("{", "["))]
    assert len(said) >= 150
    assert [text for text in said if in_words(text) and text not in CATALOGUE["keys"]] == []


def test_no_text_about_who_may_set_a_key_is_missing() -> None:
    said = [*AUDIENCE_TEXT.values()]
    said += [
        why_not_here(key, source, trusted=False)
        for key in KEY_DOCS
        for source in get_args(RuleSource)
    ]
    assert missing(iter(said), "settings") == []
