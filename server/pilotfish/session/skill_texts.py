"""What people read of skills.

Owns: the lists of ``/skills``, as Markdown. Does not own: what there is (``definitions.catalog``).
"""

from collections.abc import Container

from pilotfish.core.errors import SessionError
from pilotfish.definitions.catalog import listed
from pilotfish.definitions.fields import DefinitionProblem
from pilotfish.definitions.loading import Known
from pilotfish.skills.model import Skill
from pilotfish.util.visible import visible

SOURCE_NAMES = {
    "built-in": "built in",
    "bundled": "comes with Pilotfish",
    "userSettings": "yours",
    "projectSettings": "the project's",
    "policySettings": "the administrator's",
    "dynamic": "beside your work",
}

MAX_LISTED_CHARS = 160
"""As much of a description as the list shows."""


def skill_overview(known: Known[Skill], offered: Container[str]) -> str:
    """Return all skills, what shadows them, and what is wrong with their files."""
    lines: list[str] = ["Skills:", ""]
    for row in listed(known):
        skill = row.found
        if row.replaced_by is not None:
            by = row.replaced_by
            lines.append(f"- ({skill.name}: {skill.path}, shadowed by {by.path})")
            continue
        lines.append(f"- `/{skill.name}` ({SOURCE_NAMES[skill.source]}): {_cut(skill.description)}")
        if skill.name not in offered:
            lines.append(f"  - waits for a file like `{skill.paths[0]}`")
        if not skill.user_invocable:
            lines.append("  - for the model alone")
        if not skill.model_invocable:
            lines.append("  - not for the model")
    lines += map(_problem, known.problems)
    if known.untrusted:
        files = ", ".join(str(path) for path in known.untrusted)
        lines.append(f"- The folder is not trusted, so these do not count: {files}")
    return visible("\n".join(lines))


def skill_info(known: Known[Skill], name: str) -> str:
    """Return everything about one skill.

    Raises:
        SessionError: There is none.
    """
    rows = [row for row in listed(known) if row.found.name == name.removeprefix("/")]
    if not rows:
        raise SessionError(f"There is no skill {name!r}.", hint="/skills lists them.")
    parts = [_details(rows[0].found)]
    parts += [f"It shadows {row.found.path}." for row in rows[1:]]
    return visible("\n\n".join(parts))


def _problem(problem: DefinitionProblem) -> str:
    place = str(problem.path) if problem.line is None else f"{problem.path}:{problem.line}"
    if problem.severity == "error":
        return f"- error: {place}: {problem.text}"
    return f"- warning: {place}: {problem.text}"


def _details(skill: Skill) -> str:
    grants = ", ".join(f"`{rule}`" for rule in skill.allowed_tools)
    patterns = ", ".join(f"`{pattern}`" for pattern in skill.paths)
    agent = skill.agent or "general-purpose"
    facts = {
        f"- from: {skill.path} ({SOURCE_NAMES[skill.source]})": True,
        f"- arguments: {skill.facts.hint}": skill.facts.hint,
        f"- when to use it: {skill.when_to_use}": skill.when_to_use,
        f"- runs as: an agent (`{agent}`)": skill.context == "fork",
        f"- grants: {grants}": grants,
        f"- model: {skill.model}": skill.model,
        f"- effort: {skill.effort}": skill.effort,
        f"- for files: {patterns}": patterns,
        f"- shell: {skill.shell}": skill.shell,
        f"- version: {skill.version}": skill.version,
        "- commands in its text: yes, they run before the model reads it": skill.has_commands,
        **{f"- {key}: {value}": str(value) for key, value in skill.info.items()},
        f"- keys that mean nothing here: {', '.join(skill.unknown_keys)}": skill.unknown_keys,
    }
    lines = [line for line, holds in facts.items() if holds]
    return f"**{skill.name}**: {skill.description}\n\n" + "\n".join(lines)


def _cut(text: str) -> str:
    """Return as many whole sentences as the list has room for, or the beginning of the first."""
    if len(text) <= MAX_LISTED_CHARS:
        return text
    end = text.rfind(". ", 0, MAX_LISTED_CHARS)
    return text[: end + 1] if end >= 0 else text[: MAX_LISTED_CHARS - 1].rstrip() + "…"
