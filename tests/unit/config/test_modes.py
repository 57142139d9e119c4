"""Names of modes, and how much each permits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.config.modes import (
    MODE_RANK,
    SETTABLE_MODES,
    clamp,
    read_mode,
    read_settable_mode,
)
from pilotfish.core.permission import PERMISSION_MODES, PermissionMode


@pytest.mark.parametrize("mode", PERMISSION_MODES)
def test_every_mode_reads_as_itself(mode: PermissionMode) -> None:
    assert read_mode(mode).mode == mode


@pytest.mark.parametrize(
    ("name", "mode"),
    [("accept-edits", "acceptEdits"), ("code", "acceptEdits"), ("ask", "plan"),
     ("auto-in-project", "autoInProject")],
)  # fmt: skip
def test_older_names_still_work(name: str, mode: str) -> None:
    assert read_mode(name).mode == mode
    assert read_settable_mode(name).mode == mode


@pytest.mark.parametrize(
    ("name", "problem"),
    [("auto", "not available yet"), ("ignore", "sub-agent only"), ("bubble", "inside Pilotfish"),
     ("yolo", "is none of default"), ("", "is none of"), ("Default", "is none of")],
)  # fmt: skip
def test_a_name_that_is_no_mode_is_explained(name: str, problem: str) -> None:
    assert read_mode(name).mode is None
    assert problem in read_mode(name).problem


@pytest.mark.parametrize("mode", sorted(set(PERMISSION_MODES) - set(SETTABLE_MODES)))
def test_settings_cannot_choose_what_is_the_clients(mode: str) -> None:
    assert read_settable_mode(mode).mode is None
    assert "client only" in read_settable_mode(mode).problem


MODES = st.sampled_from(PERMISSION_MODES)


@given(wanted=MODES, ceiling=MODES)
def test_a_clamped_mode_never_permits_more_than_the_ceiling(
    wanted: PermissionMode, ceiling: PermissionMode
) -> None:
    got = clamp(wanted, ceiling)

    assert got in (wanted, ceiling)
    assert MODE_RANK[got] <= MODE_RANK[ceiling]
    assert clamp(got, ceiling) == got


def test_the_ranks_are_those_of_the_design() -> None:
    order: tuple[PermissionMode, ...] = (
        "plan", "dontAsk", "default", "work", "acceptEdits", "autoInProject", "bypassPermissions",
    )  # fmt: skip
    assert sorted(order, key=MODE_RANK.__getitem__) == list(order)
    assert MODE_RANK["fullAccess"] == MODE_RANK["bypassPermissions"]
    assert MODE_RANK["delegate"] == MODE_RANK["default"]
