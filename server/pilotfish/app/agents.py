"""What ``pilotfish agents`` does, and what ``pilotfish doctor`` says of agents."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from pilotfish.agents.loader import load_agents
from pilotfish.agents.model import AgentDefinition
from pilotfish.app.definitions import (
    DefinitionsFinding,
    exit_code,
    finding,
    print_lists,
    sources_for,
)
from pilotfish.definitions.catalog import Listed, listed
from pilotfish.edges.agent_type_methods import to_response

_SOURCES = {
    "built-in": "built in",
    "userSettings": "user",
    "projectSettings": "project",
    "policySettings": "administrator",
}


def list_agents(cwd: Path, environment: Mapping[str, str], *, as_json: bool) -> int:
    """Print the definitions of a folder; returns the exit code."""
    known = load_agents(sources_for(cwd, environment))
    if as_json:
        sys.stdout.write(json.dumps(to_response(known).model_dump(by_alias=True), indent=2) + "\n")
    else:
        print_lists(map(_line, listed(known)), known)
    return exit_code(known)


def look_at_agents(cwd: Path, environment: Mapping[str, str]) -> DefinitionsFinding:
    """Say in a line what is defined for a folder, and what is wrong with it."""
    return finding(load_agents(sources_for(cwd, environment)), "agents")


def _line(row: Listed[AgentDefinition]) -> str:
    found = row.found
    place = found.path or _SOURCES[found.source]
    if row.replaced_by is not None:
        by = _SOURCES[row.replaced_by.source]
        return f"  ({found.agent_type}: {place}, replaced by that of the {by})"
    return f"{found.agent_type}  ({place})\n    {found.description}"
