"""Steps that several tasks share.

Owns: calling one kind of tool, reading its answer, and stopping with a plain word when a call did
not happen. Does not own: the tasks.
"""

import re
from collections.abc import Generator, Sequence
from typing import TypeAlias, TypeVar

from pilotfish.core.jsontypes import JsonObject
from pilotfish.llm.providers.demo.conversation import Answer, Outcome, Scene
from pilotfish.llm.providers.demo.example import LANDMARK, PACKAGE
from pilotfish.llm.providers.demo.play import Call, Move, StopPlaying
from pilotfish.llm.providers.demo.reading import (
    Listing,
    TestRun,
    open_brackets,
    read_paths,
    read_test_run,
    unclosed_line,
)
from pilotfish.llm.providers.demo.texts import NOT_THE_EXAMPLE

T = TypeVar("T")
Step: TypeAlias = Generator[Move, Outcome, T]
"""A part of a plan that ends with a value."""

TEST_COMMAND = "python3 -m unittest"
_TEST_COMMAND_ELSEWHERE = "python -m unittest"
_TEST_TIMEOUT_MS = 60_000
"""The example's tests take milliseconds."""

MAX_QUOTE_CHARS = 300
"""How much of a refusal or failure is repeated."""

_CREATE = "TaskCreate"
_TASK_NUMBER = re.compile(r"#(\d+)")

_NO_PROGRAM = re.compile(r"not found|not recognized|No such file", re.IGNORECASE)


def look_around(scene: Scene, opening: str) -> Step[None]:
    """Make sure that this is the example workspace."""
    pattern = f"{PACKAGE}/*.py"
    call = Call(name="Glob", input={"pattern": pattern, **_folder(scene)})
    outcome = yield Move(text=opening, calls=(call,))
    answer = done(outcome, "look at the files")[0]
    if LANDMARK not in answer.text.replace("\\", "/"):
        raise StopPlaying(NOT_THE_EXAMPLE)


def read(scene: Scene, text: str, *paths: str) -> Step[list[Listing]]:
    """Read whole files."""
    calls = tuple(Call(name="Read", input={"file_path": scene.path(path)}) for path in paths)
    outcome = yield Move(text=text, calls=calls)
    return [_listing(scene, answer) for answer in done(outcome, "read the file")]


def run_tests(text: str, *extra: Call) -> Step[TestRun]:
    """Run the tests; calls in ``extra`` go first in the same move."""
    outcome = yield Move(text=text, calls=(*extra, _bash(TEST_COMMAND)))
    done_but_tests(outcome)
    answer = outcome.answers[-1]
    if answer.is_error and _NO_PROGRAM.search(answer.text) and not read_test_run(answer.text).count:
        outcome = yield Move(
            text="There is no `python3` here; I try `python`.",
            calls=(_bash(_TEST_COMMAND_ELSEWHERE),),
        )
        answer = outcome.answers[-1]
    run = read_test_run(answer.text)
    if run.state == "not_run":
        raise StopPlaying(f"The tests did not run, so I stop here.{quote(answer)}")
    return run


def grep_files(scene: Scene, text: str, pattern: str) -> Step[list[str]]:
    """Return the Python files that match a pattern."""
    call = Call(
        name="Grep",
        input={
            "pattern": pattern,
            **_folder(scene),
            "glob": "*.py",
            "output_mode": "files_with_matches",
        },
    )
    outcome = yield Move(text=text, calls=(call,))
    # Finding nothing is an answer, whichever way the tool puts it.
    answer = outcome.answers[0]
    if answer.is_error and "no " not in answer.text.lower():
        done(outcome, "search the files")
    return sorted(read_paths(answer.text))


def repair_bracket(scene: Scene, opening: str, path: str, near_line: int) -> Step[Outcome]:
    """Read a file again and close the bracket that a line left open."""
    (listing,) = yield from read(scene, opening, path)
    index = unclosed_line(listing, near_line)
    if index < 0:
        raise StopPlaying(
            f"I looked at {scene.relative(path)} again but found no bracket left open near line "
            f"{near_line}. I stop here rather than guess."
        )
    old = listing.snippet(index)
    new = old + ")" * open_brackets(listing.lines[index])
    outcome = yield Move(
        text=f"Line {index + 1} opens a bracket and never closes it.",
        calls=(edit(scene, path, old, new),),
    )
    done(outcome, "repair the line")
    return outcome


def edit(scene: Scene, path: str, old: str, new: str, *, replace_all: bool = False) -> Call:
    """Return the call that changes a file."""
    call = Call(
        name="Edit",
        input={"file_path": scene.path(path), "old_string": old, "new_string": new},
    )
    if replace_all:
        call.input["replace_all"] = True
    return call


def plan_list(scene: Scene, items: Sequence[tuple[str, str]]) -> tuple[Call, ...]:
    """Return the calls that write down what is to be done; nothing of it is done yet."""
    if _CREATE not in scene.tools:
        return (_todos(scene, items, 0),)
    return tuple(
        Call(
            name=_CREATE,
            input={
                "subject": scene.say(content),
                "activeForm": scene.say(active),
                "description": content,
            },
            optional=True,
        )
        for content, active in items
    )


def move_on(
    scene: Scene, items: Sequence[tuple[str, str]], before: int, finished: int
) -> tuple[Call, ...]:
    """Return the calls that tick off items: ``before`` of them were finished, ``finished`` are now."""
    if _CREATE not in scene.tools:
        return (_todos(scene, items, finished),)
    ids = _task_ids(scene)
    states = ["completed"] * (finished - before) + ["in_progress"]
    return tuple(
        Call(
            name="TaskUpdate",
            input={"taskId": ids[scene.say(content)], "status": state},
            optional=True,
        )
        for (content, _), state in zip(items[before:], states, strict=False)
        if scene.say(content) in ids
    )


def _todos(scene: Scene, items: Sequence[tuple[str, str]], finished: int) -> Call:
    def status(index: int) -> str:
        if index < finished:
            return "completed"
        return "in_progress" if index == finished else "pending"

    return Call(
        name="TodoWrite",
        input={
            "todos": [
                {
                    "content": scene.say(content),
                    "activeForm": scene.say(active),
                    "status": status(index),
                }
                for index, (content, active) in enumerate(items)
            ]
        },
        optional=True,
    )


def _task_ids(scene: Scene) -> dict[str, str]:
    """Return the number that each task got."""
    return {
        str(answer.call.input.get("subject")): found[1]
        for outcome in scene.outcomes
        for answer in outcome.answers
        if answer.call.name == _CREATE and (found := _TASK_NUMBER.search(answer.text))
    }


def done(outcome: Outcome, what: str) -> tuple[Answer, ...]:
    """Return the answers; stop with a plain word when a call did not happen."""
    for answer in outcome.answers:
        if answer.is_error:
            raise StopPlaying(
                f"I could not {what}: the {answer.call.name} call did not go through.{quote(answer)} "
                "That step was not done and I stop here; send the prompt again to start over."
            )
    return outcome.answers


def done_but_tests(outcome: Outcome) -> None:
    """Stop when a call other than the last, the test run, did not happen."""
    done(Outcome(answers=outcome.answers[:-1], notes=()), "do the step before the tests")


def quote(answer: Answer) -> str:
    """Repeat what a tool said, on one line, as a sentence of its own."""
    line = " ".join(answer.text.split())
    if not line:
        return ""
    cut = line[:MAX_QUOTE_CHARS] + ("…" if len(line) > MAX_QUOTE_CHARS else "")
    return f" It said: “{cut}”"


def _folder(scene: Scene) -> JsonObject:
    return {"path": scene.cwd} if scene.cwd else {}


def _bash(command: str) -> Call:
    return Call(
        name="Bash",
        input={
            "command": command,
            "timeout": _TEST_TIMEOUT_MS,
            "description": "Run the example's tests",
        },
    )


def _listing(scene: Scene, answer: Answer) -> Listing:
    listing = Listing(answer.text)
    if listing.lines:
        return listing
    # The tool may only point back to an earlier reading of the same, unchanged file.
    earlier = scene.reads.get(str(answer.call.input.get("file_path")))
    return Listing(earlier) if earlier else listing
