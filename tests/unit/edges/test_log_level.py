"""The log says as much as the editor's channel wants."""

import logging
from collections.abc import Iterator

import pytest
from pilotfish.edges.lsp.log_level import set_log_level

OURS = logging.getLogger("pilotfish")


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before = OURS.level
    yield
    OURS.setLevel(before)


@pytest.mark.parametrize(
    ("wanted", "level"),
    [("trace", 10), ("debug", 10), ("info", 20), ("warning", 30), ("error", 40), ("off", 50)],
)
def test_a_level_counts_at_once_for_us_and_for_no_library(wanted: str, level: int) -> None:
    others = logging.getLogger("httpx").level
    set_log_level(wanted)
    assert logging.getLogger("pilotfish.session").getEffectiveLevel() == level
    assert logging.getLogger("httpx").level == others


@pytest.mark.parametrize("wanted", [None, 7, "loud", []])
def test_what_is_no_level_changes_nothing(wanted: object) -> None:
    set_log_level("error")
    set_log_level(wanted)
    assert OURS.level == logging.ERROR
