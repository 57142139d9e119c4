"""What ``pilotfish agents`` does, and what ``pilotfish doctor`` says of agents."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pilotfish.agents.catalog import AgentCatalog, ListedAgent, listed
from pilotfish.agents.loader import AgentSources, KnownAgents, load_agents
from pilotfish.config.home import state_folder, user_home
from pilotfish.config.managed import managed_settings_file
from pilotfish.config.trust import TrustStore
from pilotfish.edges.agent_type_methods import to_response
from pilotfish.edges.headless.options import EXIT_DONE, EXIT_FAILED
from pilotfish.util.visible import visible

_SOURCES = {
    "built-in": "built in",
    "userSettings": "user",
    "projectSettings": "project",
    "policySettings": "administrator",
}


class DefinitionsFinding(NamedTuple):
    """What was found."""

    value: str
    problem: str
    """What is wrong, a line each; empty when nothing is."""


def find_agents(cwd: Path, environment: Mapping[str, str]) -> KnownAgents:
    """Return what is defined for a folder."""
    home = state_folder(environment)
    return load_agents(
        AgentSources(
            state_folder=home,
            user_home=user_home(environment),
            project_root=cwd,
            trusted=TrustStore(home).is_trusted(cwd),
            policy_folder=managed_settings_file(sys.platform).parent,
        )
    )


def list_agents(cwd: Path, environment: Mapping[str, str], *, as_json: bool) -> int:
    """Print the definitions of a folder; returns the exit code."""
    known = find_agents(cwd, environment)
    if as_json:
        sys.stdout.write(json.dumps(to_response(known).model_dump(by_alias=True), indent=2) + "\n")
    else:
        for row in listed(known):
            sys.stdout.write(f"{_line(row)}\n")
        for line in _problems(known):
            sys.stderr.write(f"{line}\n")
    failed = any(problem.severity == "error" for problem in known.problems)
    return EXIT_FAILED if failed else EXIT_DONE


def look_at_agents(cwd: Path, environment: Mapping[str, str]) -> DefinitionsFinding:
    """Say in a line what is defined for a folder, and what is wrong with it."""
    known = find_agents(cwd, environment)
    count = len(AgentCatalog(known).active())
    waiting = f", {len(known.untrusted)} in a folder that is not trusted" if known.untrusted else ""
    broken = [each for each in known.problems if each.severity == "error"]
    remarks = len(known.problems) - len(broken)
    more = f", {remarks} remarks (pilotfish agents list)" if remarks else ""
    lines = [place_of(str(each.path), each.line) + each.text for each in broken]
    return DefinitionsFinding(f"{count} kinds{waiting}{more}", "\n".join(lines))


def _line(row: ListedAgent) -> str:
    found = row.definition
    place = found.path or _SOURCES[found.source]
    if row.replaced_by is not None:
        by = _SOURCES[row.replaced_by.source]
        return visible(f"  ({found.agent_type}: {place}, replaced by that of the {by})")
    return visible(f"{found.agent_type}  ({place})\n    {found.description}")


def _problems(known: KnownAgents) -> list[str]:
    lines = [
        visible(f"{place_of(str(each.path), each.line)}{each.severity}: {each.text}")
        for each in known.problems
    ]
    if known.untrusted:
        files = ", ".join(str(path) for path in known.untrusted)
        lines.append(visible(f"The folder is not trusted, so these do not count: {files}"))
    return lines


def place_of(path: str, line: int | None) -> str:
    """Return a file and its line, for the beginning of a sentence about it."""
    return f"{path}: " if line is None else f"{path}:{line}: "
