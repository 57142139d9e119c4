"""Where the state folder is."""

from pathlib import Path

import pytest
from pilotfish.config.home import state_folder
from pilotfish.core.errors import SettingsError


def test_the_state_folder_is_in_the_users_home() -> None:
    assert state_folder({"HOME": "/home/u"}) == Path("/home/u/.pilotfish")


def test_the_variable_moves_it() -> None:
    assert state_folder({"HOME": "/home/u", "PILOTFISH_HOME": "/data/pf"}) == Path("/data/pf")


def test_an_empty_variable_is_as_good_as_none() -> None:
    assert state_folder({"HOME": "/home/u", "PILOTFISH_HOME": ""}) == Path("/home/u/.pilotfish")


@pytest.mark.parametrize("environment", [{}, {"HOME": "relative"}, {"PILOTFISH_HOME": "x/y"}])
def test_a_place_that_depends_on_the_working_folder_is_refused(
    environment: dict[str, str],
) -> None:
    with pytest.raises(SettingsError):
        state_folder(environment)
