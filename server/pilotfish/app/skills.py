"""What ``pilotfish skills`` does, and what ``pilotfish doctor`` says of skills."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pilotfish.app.definitions import (
    DefinitionsFinding,
    exit_code,
    finding,
    print_lists,
    sources_for,
)
from pilotfish.definitions.catalog import Listed, listed
from pilotfish.definitions.loading import Known
from pilotfish.skills.loader import load_skills
from pilotfish.skills.model import Skill


def list_skills(cwd: Path, environment: Mapping[str, str], *, as_json: bool) -> int:
    """Print the skills of a folder; returns the exit code."""
    known = load_skills(sources_for(cwd, environment))
    if as_json:
        sys.stdout.write(json.dumps(_as_data(known), indent=2) + "\n")
    else:
        print_lists(map(_line, listed(known)), known)
    return exit_code(known)


def look_at_skills(cwd: Path, environment: Mapping[str, str]) -> DefinitionsFinding:
    """Say in a line what there is for a folder, and what is wrong with it."""
    return finding(load_skills(sources_for(cwd, environment)), "skills")


def _line(row: Listed[Skill]) -> str:
    skill = row.found
    if row.replaced_by is not None:
        return f"  ({skill.name}: {skill.path}, shadowed by {row.replaced_by.path})"
    hint = f" {skill.facts.hint}" if skill.facts.hint else ""
    return f"/{skill.name}{hint}  ({skill.path})\n    {skill.description}"


def _as_data(known: Known[Skill]) -> dict[str, Any]:
    return {
        "skills": [_row(row) for row in listed(known)],
        "problems": [
            {
                "path": str(each.path),
                "line": each.line,
                "text": each.text,
                "severity": each.severity,
            }
            for each in known.problems
        ],
        "untrusted": [str(path) for path in known.untrusted],
    }


def _row(row: Listed[Skill]) -> dict[str, Any]:
    skill = row.found
    return {
        "name": skill.name,
        "description": skill.description,
        "hint": skill.facts.hint,
        "source": skill.source,
        "path": str(skill.path),
        "context": skill.context,
        "agent": skill.agent,
        "allowedTools": list(skill.allowed_tools),
        "paths": list(skill.paths),
        "userInvocable": skill.user_invocable,
        "modelInvocable": skill.model_invocable,
        "shadowedBy": None if row.replaced_by is None else str(row.replaced_by.path),
    }
