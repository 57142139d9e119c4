"""Task: find out why a test fails and repair the code.

Owns: the way from a failing test to the line under test.
"""

import re

from pilotfish.llm.providers.demo.conversation import Scene
from pilotfish.llm.providers.demo.play import Move, Plan, StopPlaying
from pilotfish.llm.providers.demo.reading import Failure, Listing
from pilotfish.llm.providers.demo.steps import (
    done,
    edit,
    grep_files,
    look_around,
    read,
    repair_bracket,
    run_tests,
)

_STRICTLY_MORE = re.compile(r"(?<=\s)>(?=\s)")
_INCLUSIVE_WORDS = re.compile(r"\bor more\b|\bat least\b|\band above\b", re.IGNORECASE)


def fix_failing_test(scene: Scene) -> Plan:
    """Run the tests, follow the first failure to its cause, repair it, run the tests again."""
    yield from look_around(scene, "I look at what is here, then I run the tests.")
    run = yield from run_tests("I run the tests to see what fails.")
    if run.state == "passed":
        return f"All {run.count} tests pass already, so there is nothing to fix."
    failure = run.failures[0]
    if "SyntaxError" in failure.reason:
        path = yield from _repair_syntax(scene, failure)
        what = f"closed a bracket in `{path}`"
    else:
        what = yield from _repair_comparison(scene, failure)
    again = yield from run_tests("I run the tests again.")
    if again.state == "passed":
        return f"Fixed: I {what}. All {again.count} tests pass now."
    return (
        f"I {what}, but {len(again.failures)} of {again.count} tests still fail: {again.names}. "
        "Ask me once more to fix the failing test and I look at the next one."
    )


def _repair_syntax(scene: Scene, failure: Failure) -> Plan:
    opening = (
        f"The tests cannot be loaded: `{failure.reason}` at "
        f"{scene.relative(failure.path)}:{failure.line}. I read that file."
    )
    yield from repair_bracket(scene, opening, failure.path, failure.line)
    return scene.relative(failure.path)


def _repair_comparison(scene: Scene, failure: Failure) -> Plan:
    """Follow a failing assertion to the function under test; repair a comparison there."""
    where = f"{scene.relative(failure.path)}:{failure.line}"
    (test,) = yield from read(
        scene,
        f"`{failure.test}` fails at {where}: `{failure.reason}`. I read the test.",
        failure.path,
    )
    name = _function_under_test(test, failure.line)
    if not name:
        raise StopPlaying(
            f"I cannot tell which function the test at {where} is about. The demo only knows its "
            "way around the example as it was delivered; nothing was changed."
        )
    files = yield from grep_files(
        scene, f"The test calls `{name}`. Where is it defined?", rf"def {name}\b"
    )
    if not files:
        raise StopPlaying(f"No file defines `{name}`, so I stop here. Nothing was changed.")
    path = files[0]
    (source,) = yield from read(scene, f"It is in `{scene.relative(path)}`.", path)
    index = _wrong_comparison(source, name)
    if index < 0:
        raise StopPlaying(
            f"I read `{name}` in {scene.relative(path)} but do not see why the test fails; the demo "
            "knows only one kind of mistake. Nothing was changed."
        )
    old = source.snippet(index)
    new = old[: old.rindex(source.lines[index])] + _STRICTLY_MORE.sub(">=", source.lines[index], 1)
    outcome = yield Move(
        text=f"The description of `{name}` includes the limit itself, but line {index + 1} compares "
        "with `>`, which leaves it out. It must be `>=`.",
        calls=(edit(scene, path, old, new),),
    )
    done(outcome, "repair the comparison")
    return f"changed `>` to `>=` in `{name}` ({scene.relative(path)}:{index + 1})"


def _function_under_test(test: Listing, line: int) -> str:
    """Return the imported function that the failing line calls; empty when there is none."""
    if not 0 < line <= len(test.lines):
        return ""
    imported = {
        name.strip()
        for match in re.finditer(r"^from \S+ import (.+)$", test.text, re.MULTILINE)
        for name in match[1].split(",")
    }
    called: list[str] = re.findall(r"(?<![\w.])(\w+)\(", test.lines[line - 1])
    return next((name for name in called if name in imported), "")


def _wrong_comparison(source: Listing, name: str) -> int:
    """Return the index of a line that compares with ``>`` where the description includes the limit."""
    start = source.find(rf"^\s*def {re.escape(name)}\b")
    if start < 0:
        return -1
    block = source.block(start)
    if not _INCLUSIVE_WORDS.search("\n".join(source.lines[index] for index in block)):
        return -1
    return next((index for index in block if _STRICTLY_MORE.search(source.lines[index])), -1)
