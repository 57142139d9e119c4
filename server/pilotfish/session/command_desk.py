"""The commands of a session.

Owns: answering those that the model has no part in, and putting a skill's text beside the prompt that
names it.
Does not own: what they do (``session.builtin_commands``, ``session.skill_use``).
See also: design 03 §4.9, §4.18.
"""

from collections.abc import Awaitable, Callable, Container, Mapping

from pilotfish.core.commands import (
    CommandAnswered,
    CommandFacts,
    CommandTyped,
    TypedCommand,
    read_typed,
)
from pilotfish.core.errors import PilotfishError
from pilotfish.core.events import PromptSubmitted
from pilotfish.core.ids import new_message_id
from pilotfish.core.messages import TextBlock
from pilotfish.engine.state import TurnIdentity
from pilotfish.session.commands import Content
from pilotfish.session.log import EventLog
from pilotfish.session.skill_bench import SkillBench
from pilotfish.session.skill_definitions import SkillDefinitions
from pilotfish.session.skill_fork import ForkEnd
from pilotfish.skills.model import Skill
from pilotfish.util.records import dataclass
from pilotfish.util.slips import slip_of
from pilotfish.util.visible import visible


@dataclass(frozen=True, kw_only=True, slots=True)
class Builtin:
    """A command that Pilotfish answers itself."""

    facts: CommandFacts
    run: Callable[[str], Awaitable[str]]
    """Takes what follows the name, returns Markdown. Raises PilotfishError when it cannot be done."""


class Commands:
    """The commands of one session."""

    def __init__(
        self,
        log: EventLog,
        builtins: Mapping[str, Builtin],
        definitions: SkillDefinitions,
        bench: SkillBench,
    ) -> None:
        """Take the commands.

        Args:
            log: The session's events.
            builtins: By name; a skill of the same name is not typed.
            definitions: The skills.
            bench: Uses them.
        """
        self._log = log
        self._builtins = builtins
        self._definitions = definitions
        self._bench = bench

    def listed(self) -> tuple[CommandFacts, ...]:
        """Return what can be typed, in the order of a menu: skills that are used much and lately first."""
        builtins = (each.facts for each in self._builtins.values())
        skills = skill_facts(self._definitions.offered(), self._builtins)
        usage = self._definitions.usage
        return (*builtins, *sorted(skills, key=lambda each: -usage.score(each.name)))

    def needs_turn(self, content: Content) -> bool:
        """Tell whether a prompt names a skill."""
        typed = typed_in(content)
        return typed is not None and self._skill(typed.name) is not None

    async def begin(self, prompt: PromptSubmitted, identity: TurnIdentity) -> bool:
        """Put a skill's text beside the prompt that names it; tell why where that cannot be."""
        typed = typed_in(prompt.content)
        skill = None if typed is None else self._skill(typed.name)
        if typed is None or skill is None:
            return True
        try:
            document = await self._definitions.read(skill)
            if document.skill.context == "inline":
                use, message = self._bench.use, prompt.message_id
                await use.invoke(document, typed.arguments, identity, message)
                return True
            end = await self._bench.forks.run_typed(document, typed.arguments, identity)
        except PilotfishError as error:
            end = ForkEnd(text=str(error), failed=True)
        self._log.emit(
            CommandAnswered(
                message_id=prompt.message_id,
                command=typed.name,
                text=end.text,
                failed=end.failed,
                for_model=True,
            )
        )
        return False

    def _skill(self, name: str) -> Skill | None:
        if name in self._builtins:
            return None
        skill = self._definitions.offered().get(name)
        return skill if skill is not None and skill.user_invocable else None

    async def answer(self, content: Content) -> bool:
        """Answer a command that the model has no part in, or a misspelt one."""
        typed = typed_in(content)
        if typed is None:
            return False
        builtin = self._builtins.get(typed.name)
        known = builtin is not None or self._skill(typed.name) is not None
        problem = "" if known else self._misspelt(typed.name)
        if builtin is None and not problem:
            return False
        message = new_message_id()
        self._log.emit(CommandTyped(message_id=message, command=typed.name, content=tuple(content)))
        failed, text = True, problem
        if builtin is not None:
            try:
                failed, text = False, await builtin.run(typed.arguments)
            except PilotfishError as error:
                text = str(error)
        self._log.emit(
            CommandAnswered(message_id=message, command=typed.name, text=text, failed=failed)
        )
        return True

    def _misspelt(self, name: str) -> str:
        """Return what to say of a name that is nearly a command's; empty for other words."""
        names = [each.name for each in self.listed()]
        meant = None if name in names else slip_of(name, names)
        if meant is None:
            return ""
        return (
            f"There is no command `/{visible(name)}`. Did you mean `/{meant}`? A space before the "
            "slash makes it a text for the model."
        )


def skill_facts(skills: Mapping[str, Skill], taken: Container[str]) -> tuple[CommandFacts, ...]:
    """Return the skills that can be typed.

    Args:
        skills: By name.
        taken: Names that stand for something else.
    """
    return tuple(
        skill.facts for name, skill in skills.items() if skill.user_invocable and name not in taken
    )


def typed_in(content: Content) -> TypedCommand | None:
    """Return the command that a prompt begins with."""
    first = next(iter(content), None)
    return read_typed(first.text) if isinstance(first, TextBlock) else None
