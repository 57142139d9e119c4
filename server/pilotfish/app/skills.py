"""What ``pilotfish skills`` does, and what ``pilotfish doctor`` says of skills."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pilotfish.app.agents import DefinitionsFinding, place_of
from pilotfish.config.home import state_folder, user_home
from pilotfish.config.managed import managed_settings_file
from pilotfish.config.trust import TrustStore
from pilotfish.edges.headless.options import EXIT_DONE, EXIT_FAILED
from pilotfish.skills.catalog import ListedSkill, SkillCatalog, listed
from pilotfish.skills.loader import KnownSkills, SkillSources, load_skills
from pilotfish.util.visible import visible


def find_skills(cwd: Path, environment: Mapping[str, str]) -> KnownSkills:
    """Return what there is for a folder."""
    home = state_folder(environment)
    return load_skills(
        SkillSources(
            state_folder=home,
            user_home=user_home(environment),
            project_root=cwd,
            trusted=TrustStore(home).is_trusted(cwd),
            policy_folder=managed_settings_file(sys.platform).parent,
        )
    )


def list_skills(cwd: Path, environment: Mapping[str, str], *, as_json: bool) -> int:
    """Print the skills of a folder; returns the exit code."""
    known = find_skills(cwd, environment)
    if as_json:
        sys.stdout.write(json.dumps(_as_data(known), indent=2) + "\n")
    else:
        for row in listed(known):
            sys.stdout.write(f"{_line(row)}\n")
        for problem in known.problems:
            text = f"{place_of(str(problem.path), problem.line)}{problem.severity}: {problem.text}"
            sys.stderr.write(visible(text) + "\n")
        if known.untrusted:
            files = ", ".join(str(path) for path in known.untrusted)
            text = f"The folder is not trusted, so these do not count: {files}"
            sys.stderr.write(visible(text) + "\n")
    failed = any(problem.severity == "error" for problem in known.problems)
    return EXIT_FAILED if failed else EXIT_DONE


def look_at_skills(cwd: Path, environment: Mapping[str, str]) -> DefinitionsFinding:
    """Say in a line what there is for a folder, and what is wrong with it."""
    known = find_skills(cwd, environment)
    catalog = SkillCatalog()
    catalog.take(known)
    waiting = f", {len(known.untrusted)} in a folder that is not trusted" if known.untrusted else ""
    broken = [each for each in known.problems if each.severity == "error"]
    remarks = len(known.problems) - len(broken)
    more = f", {remarks} remarks (pilotfish skills list)" if remarks else ""
    lines = [place_of(str(each.path), each.line) + each.text for each in broken]
    return DefinitionsFinding(f"{len(catalog.active())}{waiting}{more}", "\n".join(lines))


def _line(row: ListedSkill) -> str:
    skill = row.skill
    if row.shadowed_by is not None:
        return visible(f"  ({skill.name}: {skill.path}, shadowed by {row.shadowed_by.path})")
    hint = f" {skill.facts.hint}" if skill.facts.hint else ""
    return visible(f"/{skill.name}{hint}  ({skill.path})\n    {skill.description}")


def _as_data(known: KnownSkills) -> dict[str, Any]:
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


def _row(row: ListedSkill) -> dict[str, Any]:
    skill = row.skill
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
        "shadowedBy": None if row.shadowed_by is None else str(row.shadowed_by.path),
    }
