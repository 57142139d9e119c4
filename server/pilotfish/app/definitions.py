"""What ``pilotfish agents`` and ``pilotfish skills`` have in common, and what ``pilotfish doctor`` says of both."""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pilotfish.config.home import state_folder, user_home
from pilotfish.config.managed import managed_settings_file
from pilotfish.config.trust import TrustStore
from pilotfish.definitions.catalog import Catalog, NamedT
from pilotfish.definitions.fields import DefinitionProblem
from pilotfish.definitions.loading import Known
from pilotfish.edges.headless.options import EXIT_DONE, EXIT_FAILED
from pilotfish.skills.loader import SkillSources
from pilotfish.util.visible import visible


class DefinitionsFinding(NamedTuple):
    """What was found."""

    value: str
    problem: str
    """What is wrong, a line each; empty when nothing is."""


def sources_for(cwd: Path, environment: Mapping[str, str]) -> SkillSources:
    """Return what definitions for a folder are read from."""
    home = state_folder(environment)
    return SkillSources(
        state_folder=home,
        user_home=user_home(environment),
        project_root=cwd,
        trusted=TrustStore(home).is_trusted(cwd),
        policy_folder=managed_settings_file(sys.platform).parent,
    )


def exit_code(known: Known[Any]) -> int:
    """Return 0 where every file can be used."""
    return EXIT_FAILED if any(map(_is_error, known.problems)) else EXIT_DONE


def print_lists(lines: Iterable[str], known: Known[Any]) -> None:
    """Print lines, and what is wrong beside them."""
    for line in lines:
        sys.stdout.write(f"{visible(line)}\n")
    for each in known.problems:
        sys.stderr.write(visible(f"{place_of(each)}{each.severity}: {each.text}") + "\n")
    if known.untrusted:
        files = ", ".join(str(path) for path in known.untrusted)
        text = f"The folder is not trusted, so these do not count: {files}"
        sys.stderr.write(visible(text) + "\n")


def finding(known: Known[NamedT], what: str) -> DefinitionsFinding:
    """Say in a line what there is, and what is wrong with it.

    Args:
        known: What was found.
        what: The command that lists it.
    """
    value = str(len(Catalog(known).active()))
    if known.untrusted:
        value = f"{value}, {len(known.untrusted)} in a folder that is not trusted"
    broken = [each for each in known.problems if _is_error(each)]
    remarks = len(known.problems) - len(broken)
    if remarks:
        value = f"{value}, {remarks} remarks (pilotfish {what} list)"
    return DefinitionsFinding(value, "\n".join(place_of(each) + each.text for each in broken))


def place_of(problem: DefinitionProblem) -> str:
    """Return a file and its line, for the beginning of a sentence about it."""
    return f"{problem.path}: " if problem.line is None else f"{problem.path}:{problem.line}: "


def _is_error(problem: DefinitionProblem) -> bool:
    return problem.severity == "error"
