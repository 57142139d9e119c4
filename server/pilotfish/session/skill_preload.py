"""Skills that an agent knows from the start.

Owns: which those are by the names of its definition, and their texts.
See also: design 03 §1.2 (``skills``).
"""

from collections.abc import Callable, Iterable

from pilotfish.core.commands import SkillInvoked
from pilotfish.session.skill_definitions import SkillDefinitions
from pilotfish.skills.model import Skill
from pilotfish.skills.template import SkillError


async def preload(
    definitions: SkillDefinitions, names: Iterable[str], warn: Callable[[str], None]
) -> list[SkillInvoked]:
    """Return what an agent is told of skills before its task; they grant it nothing.

    Args:
        definitions: The skills of the session.
        names: As its definition has them; the part after a colon is enough.
        warn: Tells the user of one that cannot be had.
    """
    found: list[SkillInvoked] = []
    for name in names:
        skill = _find(definitions, name)
        if skill is None:
            warn(f"An agent is to know the skill {name!r}, and there is none of that name.")
            continue
        if skill.has_commands:
            warn(
                f"An agent is to know the skill {name!r} from the start. It runs commands, so the agent "
                "has to ask for it."
            )
            continue
        try:
            document = await definitions.read(skill)
        except SkillError as error:
            warn(str(error))
            continue
        place = f"Base folder of it: {skill.folder}\n\n" if skill.folder is not None else ""
        found.append(
            SkillInvoked(
                skill=skill.name,
                path=str(skill.path),
                arguments="",
                message_id=None,
                text=f"The skill {skill.name}, for when it fits:\n\n{place}{document.body}",
            )
        )
    return found


def _find(definitions: SkillDefinitions, name: str) -> Skill | None:
    skills = definitions.catalog.active()
    if name in skills:
        return skills[name]
    return next((one for key, one in skills.items() if key.rpartition(":")[2] == name), None)
