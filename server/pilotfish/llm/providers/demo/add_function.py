"""Task: add a function and its test.

Owns: the function, and the slip in its first version: a bracket is missing, so that the
diagnostics after the edit have something to say. The demo repairs it when it hears of it.
"""

import re
from collections.abc import Sequence

from pilotfish.llm.providers.demo.conversation import Outcome, Scene
from pilotfish.llm.providers.demo.play import Call, Move, Plan, StopPlaying
from pilotfish.llm.providers.demo.reading import (
    Listing,
    Place,
    TestRun,
    read_new_diagnostics,
)
from pilotfish.llm.providers.demo.steps import (
    Step,
    done,
    edit,
    look_around,
    move_on,
    plan_list,
    read,
    repair_bracket,
    run_tests,
)

_SOURCE = "quayside/pricing.py"
_TESTS = "tests/test_pricing.py"
_NAME = "loyalty_points"

_FUNCTION_WITH_SLIP = '''


def loyalty_points(total_pence: int) -> int:
    """Return the points for a purchase: one for each whole pound, none for a refund."""
    return max(0, total_pence // 100'''

_TEST_CASE = """


class LoyaltyPointsTest(unittest.TestCase):
    def test_each_whole_pound_is_a_point(self) -> None:
        self.assertEqual(loyalty_points(1299), 12)

    def test_refunds_give_no_points(self) -> None:
        self.assertEqual(loyalty_points(-500), 0)"""

_TODOS = (
    ("Read the prices and their tests", "Reading the prices and their tests"),
    ("Add the function", "Adding the function"),
    ("Add its test", "Adding its test"),
    ("Run the tests", "Running the tests"),
)


def add_function(scene: Scene) -> Plan:
    """Add ``loyalty_points`` to the prices, with a test; repair what the first edit broke."""
    yield from look_around(scene, "I look at what is here first.")
    source, tests = yield from _read_both(scene)
    if source.find(rf"def {_NAME}\b") >= 0:
        return (yield from _already_there(scene))
    repaired = yield from _add_to_source(scene, source)
    outcome = yield Move(
        text="Now a test for it.",
        calls=(*move_on(scene, _TODOS, 1, 2), *_test_edits(scene, tests)),
    )
    done(outcome, "add the test")
    if not repaired:
        # News of an edit may come late, with the results of a later call.
        repaired = yield from _repair_if_reported(scene, outcome)
    run = yield from run_tests("I run the tests.", *move_on(scene, _TODOS, 2, 3))
    if not repaired and (broken := _syntax_error(scene, run)):
        yield from _repair(scene, [broken], "The tests found what I had missed")
        run = yield from run_tests("I run the tests again.")
    return (yield from _close(scene, run))


def _read_both(scene: Scene) -> Step[tuple[Listing, Listing]]:
    outcome = yield Move(
        text="A function for loyalty points belongs with the prices. This is my plan:",
        calls=plan_list(scene, _TODOS),
    )
    done(outcome, "write the todo list")
    source, tests = yield from read(scene, f"I read `{_SOURCE}` and `{_TESTS}`.", _SOURCE, _TESTS)
    if source.last_index() < 0 or tests.last_index() < 0:
        raise StopPlaying("One of the two files is empty; I stop here. Nothing was changed.")
    return source, tests


def _already_there(scene: Scene) -> Step[str]:
    run = yield from run_tests(
        f"`{_NAME}` is in `{_SOURCE}` already. I only run the tests.", *move_on(scene, _TODOS, 0, 3)
    )
    state = "all pass" if run.state == "passed" else f"these fail: {run.names}"
    return f"`{_NAME}` was there already, so I changed nothing. Of the {run.count} tests {state}."


def _add_to_source(scene: Scene, source: Listing) -> Step[bool]:
    """Append the function; return whether its slip was reported and repaired."""
    old = source.snippet(source.last_index())
    outcome = yield Move(
        text=f"I add `{_NAME}` at the end of `{_SOURCE}`: one point for each whole pound.",
        calls=(*move_on(scene, _TODOS, 0, 1), edit(scene, _SOURCE, old, old + _FUNCTION_WITH_SLIP)),
    )
    done(outcome, "add the function")
    return (yield from _repair_if_reported(scene, outcome))


def _repair_if_reported(scene: Scene, outcome: Outcome) -> Step[bool]:
    ours = [
        place
        for place in read_new_diagnostics(outcome.notes)
        if place.path.replace("\\", "/").endswith(_SOURCE.rsplit("/", maxsplit=1)[-1])
    ]
    if not ours:
        return False
    yield from _repair(scene, ours, "My edit brought a new problem")
    return True


def _repair(scene: Scene, places: Sequence[Place], what: str) -> Step[None]:
    place = places[0]
    opening = f"{what} at {_SOURCE}:{place.line}: {place.message}. I look at the line again."
    yield from repair_bracket(scene, opening, _SOURCE, place.line)


def _test_edits(scene: Scene, tests: Listing) -> tuple[Call, ...]:
    """Return the edits that import the function and append its test."""
    last = tests.snippet(tests.last_index())
    append = edit(scene, _TESTS, last, last + _TEST_CASE)
    index = tests.find(r"^from quayside\.pricing import [\w, ]+$")
    if index < 0:
        first = tests.snippet(tests.find(r"^import "))
        return (
            edit(scene, _TESTS, first, f"{first}\n\nfrom quayside.pricing import {_NAME}"),
            append,
        )
    line = tests.lines[index]
    head, names = line.split(" import ")
    wanted = ", ".join(sorted({*re.split(r",\s*", names.strip()), _NAME}))
    return (edit(scene, _TESTS, line, f"{head} import {wanted}"), append)


def _syntax_error(scene: Scene, run: TestRun) -> Place | None:
    for failure in run.failures:
        if "SyntaxError" in failure.reason and scene.relative(failure.path).endswith(_SOURCE):
            return Place(path=failure.path, line=failure.line, message=failure.reason)
    return None


def _close(scene: Scene, run: TestRun) -> Step[str]:
    """Sum up, after the last todo is ticked off."""
    if any(_NAME in failure.test or "point" in failure.test for failure in run.failures):
        return f"`{_NAME}` is there, but its tests fail: {run.names}. I stop here."
    outcome = yield Move(text="The new tests pass.", calls=move_on(scene, _TODOS, 3, 4))
    done(outcome, "update the todo list")
    summary = f"Done: `{_NAME}` is in `{_SOURCE}`, with two tests in `{_TESTS}`."
    if run.state == "passed":
        return f"{summary} All {run.count} tests pass."
    return (
        f"{summary} Both pass. {run.names} fails as it did before; ask me to fix the failing test."
    )
