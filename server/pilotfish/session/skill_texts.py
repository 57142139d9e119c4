"""What people read of skills.

Owns: the lists of ``/skills``, as Markdown. Does not own: what there is (``definitions.catalog``).
"""

from collections.abc import Container

from pilotfish.core.errors import SessionError
from pilotfish.definitions.catalog import listed
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
        marks = [SOURCE_NAMES[skill.source]]
        if skill.name not in offered:
            marks.append(f"waits for a file like {skill.paths[0]}")
        if not skill.user_invocable:
            marks.append("for the model alone")
        if not skill.model_invocable:
            marks.append("not for the model")
        lines.append(f"- `/{skill.name}` ({', '.join(marks)}): {_cut(skill.description)}")
    for problem in known.problems:
        place = str(problem.path) if problem.line is None else f"{problem.path}:{problem.line}"
        lines.append(f"- {problem.severity}: {place}: {problem.text}")
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


def _details(skill: Skill) -> str:
    facts = {
        "from": f"{skill.path} ({SOURCE_NAMES[skill.source]})",
        "arguments": skill.facts.hint,
        "when to use it": skill.when_to_use,
        "runs as": f"an agent ({skill.agent or 'general-purpose'})"
        if skill.context == "fork"
        else "",
        "grants": ", ".join(f"`{rule}`" for rule in skill.allowed_tools),
        "model": skill.model or "",
        "effort": skill.effort or "",
        "for files": ", ".join(f"`{pattern}`" for pattern in skill.paths),
        "shell": skill.shell or "",
        "version": skill.version,
        "commands in its text": "yes, they run before the model reads it"
        if skill.has_commands
        else "",
        **{key: str(value) for key, value in skill.info.items()},
        "keys that mean nothing here": ", ".join(skill.unknown_keys),
    }
    lines = [f"- {key}: {value}" for key, value in facts.items() if value]
    return f"**{skill.name}**: {skill.description}\n\n" + "\n".join(lines)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_LISTED_CHARS else text[: MAX_LISTED_CHARS - 1].rstrip() + "…"
