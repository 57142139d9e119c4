"""Commands that Pilotfish answers itself, in every client.

Owns: what they say and do. What they do is done by the session; the model has no part in it.
Does not own: finding them in a prompt (``session.commands``).
"""

from collections.abc import Callable, Iterable, Mapping

from pilotfish.agents.model import AgentDefinition
from pilotfish.config.modes import SETTABLE_MODES, read_mode
from pilotfish.core.commands import CommandFacts
from pilotfish.core.errors import SessionError
from pilotfish.core.events import ContextCleared
from pilotfish.session.command_desk import Builtin
from pilotfish.session.model_options import Choice
from pilotfish.session.session import Session
from pilotfish.session.skill_definitions import SkillDefinitions
from pilotfish.session.skill_texts import skill_info, skill_overview
from pilotfish.util.text_span import opening, shortened

MAX_LISTED_CHARS = 120
"""As much of a description as a list shows."""


_ROWS = (
    ("help", "Show what can be typed behind a slash", ""),
    ("clear", "Begin anew: the model forgets the conversation", ""),
    ("model", "Show the models, or choose one", "[model]"),
    ("effort", "Show how hard the model may try, or choose", "[effort]"),
    ("mode", "Show the permission modes, or choose one", "[mode]"),
    ("agents", "List the agents that can be started", ""),
    ("skills", "List the skills, show one, or read them again", "[info <name> | reload]"),
)

BUILTIN_COMMANDS = tuple(
    CommandFacts(name=name, description=text, source="built-in", hint=hint)
    for name, text, hint in _ROWS
)
"""The commands of every session, in the order of a menu."""


class BuiltinCommands:
    """The commands of one session."""

    def __init__(
        self,
        session: Session,
        skills: SkillDefinitions,
        forget_files: Callable[[], None],
        agents: Callable[[], Mapping[str, AgentDefinition]],
    ) -> None:
        """Set them up.

        Args:
            session: The session.
            skills: Its skills.
            forget_files: Makes the tools forget which files the model has read, and the todo list.
            agents: Returns the agent definitions that count now, by name.
        """
        self._session = session
        self._skills = skills
        self._forget_files = forget_files
        self._agents = agents

    def table(self) -> dict[str, Builtin]:
        """Return the commands by name, in the order of a menu."""
        runs = {
            "help": self._help,
            "clear": self._clear,
            "model": self._model,
            "effort": self._effort,
            "mode": self._mode,
            "agents": self._list_agents,
            "skills": self._list_skills,
        }
        return {
            facts.name: Builtin(facts=facts, run=runs[facts.name]) for facts in BUILTIN_COMMANDS
        }

    async def _help(self, _: str) -> str:
        rows = (
            f"- `/{each.name}{' ' + each.hint if each.hint else ''}`: {_cut(each.description)}"
            for each in self._session.workbench.commands.listed()
        )
        return "What can be typed behind a slash:\n\n" + "\n".join(rows)

    async def _clear(self, _: str) -> str:
        if self._session.turn_running:
            raise SessionError("A turn is running.", hint="Stop it, or wait for its end.")
        self._session.log.emit(ContextCleared())
        self._forget_files()
        return "The model has forgotten the conversation. Files, settings and history stay."

    async def _model(self, wanted: str) -> str:
        if wanted:
            self._session.choices.set_model(wanted)
        options = self._session.workbench.model_options()
        if wanted:
            return f"The model is `{options.model}` from the next turn on."
        return _choices("Models:", options.models, options.model)

    async def _effort(self, wanted: str) -> str:
        if wanted:
            self._session.choices.set_effort(wanted)
            return f"The effort is `{wanted}` from the next turn on."
        options = self._session.workbench.model_options()
        if not options.efforts:
            return f"`{options.model}` cannot be told how hard to try."
        return _choices("Efforts:", options.efforts, options.effort)

    async def _mode(self, wanted: str) -> str:
        workbench = self._session.workbench
        if wanted:
            reading = read_mode(wanted)
            if reading.mode is None:
                raise SessionError(f"There is no such mode: {reading.problem}.")
            self._session.choices.set_mode(reading.mode)
            return f"The permission mode is `{reading.mode}`."
        open_modes = [mode for mode in SETTABLE_MODES if not workbench.why_mode_unavailable(mode)]
        choices = [Choice(value=mode, name=mode) for mode in open_modes]
        return _choices("Permission modes:", choices, self._session.data.mode)

    async def _list_agents(self, _: str) -> str:
        rows = [
            f"- **{name}** ({each.source}): {_cut(each.description)}"
            for name, each in self._agents().items()
        ]
        return "Agents that can be started:\n\n" + "\n".join(rows)

    async def _list_skills(self, wanted: str) -> str:
        verb, _, name = wanted.partition(" ")
        if verb == "reload":
            await self._skills.reload()
        elif verb == "info" and name.strip():
            return skill_info(self._skills.catalog.known, name.strip())
        elif wanted:
            raise SessionError(
                f"/skills: {wanted!r} is nothing it can do.",
                hint="There is: /skills, /skills info <name>, /skills reload.",
            )
        return skill_overview(self._skills.catalog.known, self._skills.offered())


def _choices(title: str, choices: Iterable[Choice], chosen: str) -> str:
    lines = [
        (f"- `{each.value}` (chosen)" if each.value == chosen else f"- `{each.value}`")
        + (f": {each.description}" if each.description else "")
        for each in choices
    ]
    return f"{title}\n\n" + "\n".join(lines)


def _cut(text: str) -> str:
    return shortened(opening(text, MAX_LISTED_CHARS + 1), MAX_LISTED_CHARS)
