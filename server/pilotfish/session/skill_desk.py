"""Skills for the model.

Owns: which of them it may use, using one for its Skill tool, and telling it what is new or gone since its
tool's description was made.
Does not own: reading skills (``session.skill_definitions``), what one comes to (``session.skill_use``,
``session.skill_fork``).
See also: design 03 §4.9, §4.13.
"""

from collections.abc import Mapping, Sequence

from pilotfish.core.errors import SessionError
from pilotfish.core.events import EventRecord, NoteAdded, ToolFinished, ToolStarted
from pilotfish.core.ids import ToolUseId
from pilotfish.engine.state import TurnIdentity
from pilotfish.ports.skills import SkillCall
from pilotfish.session.session import Session
from pilotfish.session.skill_definitions import SkillDefinitions
from pilotfish.session.skill_fork import SkillForks
from pilotfish.session.skill_use import SkillUse
from pilotfish.skills.listing import list_skills, listing_budget
from pilotfish.skills.model import Skill

MAX_NAMED = 30
"""Names that a refusal lists."""


class SessionSkills:
    """Implements ``ports.skills.SkillDesk`` for one agent, the main one included."""

    def __init__(
        self, session: Session, definitions: SkillDefinitions, use: SkillUse, forks: SkillForks
    ) -> None:
        """Set it up.

        Args:
            session: The agent's conversation.
            definitions: The skills of the session.
            use: Makes them active in this conversation.
            forks: Runs those that want an agent of their own.
        """
        self._session = session
        self._definitions = definitions
        self._use = use
        self._forks = forks
        self._told = models_skills(definitions)
        self._places: dict[ToolUseId, tuple[str, ...]] = {}
        """The files of calls that run."""
        session.log.listen(self._hear)

    def problem(self, name: str) -> str:
        """Return why a skill cannot be used by the model; empty when it can."""
        skill = self._definitions.offered().get(name)
        if skill is None:
            names = list(models_skills(self._definitions))[:MAX_NAMED]
            return f"There is no skill {name[:100]!r}. There are: {', '.join(names) or 'none'}."
        if not skill.model_invocable:
            return f"The skill {name!r} is for the user alone, who types /{name}."
        return ""

    def unsafe_properties(self, name: str) -> tuple[str, ...]:
        """Return what of a skill the user has to agree to."""
        skill = self._definitions.offered().get(name)
        return ("it is not there",) if skill is None else skill.unsafe_properties

    async def use(self, name: str, arguments: str, call: SkillCall) -> str:
        """Make a skill active and return its text, or what an agent's work on it came to."""
        problem = self.problem(name)
        if problem:
            raise SessionError(problem)
        known = self._definitions.offered()[name]
        document = await self._definitions.read(known)
        if set(document.skill.unsafe_properties) - set(known.unsafe_properties):
            raise SessionError(f"The skill {name!r} has just changed. Ask for it again.")
        identity = TurnIdentity(
            session_id=self._session.id, turn_id=call.turn_id, agent_id=self._session.agent_id
        )
        if document.skill.context == "fork":
            end = await self._forks.run(document, arguments, identity, call.call, call.on_progress)
            if end.failed:
                raise SessionError(end.text)
            return end.text
        return await self._use.invoke(document, arguments, identity, None)

    def _hear(self, record: EventRecord) -> None:
        match record.event:
            case ToolStarted(kind="read" | "edit", tool_use_id=call, locations=locations):
                self._places[call] = tuple(each.path for each in locations)
            case ToolFinished(tool_use_id=call, status=status):
                for path in self._places.pop(call, ()):
                    if status == "completed":
                        self._definitions.worked_with(path)
            case _:
                pass

    async def collect(self) -> list[NoteAdded]:
        """Return a note about what has changed since the model was last told; usually nothing."""
        await self._definitions.discover()
        now = models_skills(self._definitions)
        if now == self._told:
            return []
        changed = [each for name, each in now.items() if self._told.get(name) != each]
        gone = [name for name in self._told if name not in now]
        self._told = now
        lines = ["The skills are not those of the tool's description any more."]
        if changed:
            lines += ["New or changed:", _listed(changed, self._definitions)]
        if gone:
            lines.append(f"No longer there: {', '.join(gone)}.")
        return [NoteAdded(text="\n".join(lines), origin="skills")]


def models_skills(definitions: SkillDefinitions) -> Mapping[str, Skill]:
    """Return the skills that the model may use, by name."""
    return {name: each for name, each in definitions.offered().items() if each.model_invocable}


def listing_of(definitions: SkillDefinitions) -> str:
    """Return the list for the tool's description; empty when there is nothing to list."""
    return _listed(list(models_skills(definitions).values()), definitions)


def _listed(skills: Sequence[Skill], definitions: SkillDefinitions) -> str:
    return list_skills(skills, listing_budget(definitions.window_tokens))
