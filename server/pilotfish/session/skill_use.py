"""Using a skill in a conversation.

Owns: what a skill's text comes to (arguments, output of its commands), and what holds while it is active:
rules, model, effort, until the user's next prompt.
Does not own: which skills there are (``session.skill_definitions``), the template (``skills.template``),
whether a command may run (the permission chain).
See also: design 03 §4.7 to §4.10.
"""

from typing import Protocol

from pilotfish.config.rule_syntax import parse_rule
from pilotfish.core.commands import SkillInvoked
from pilotfish.core.events import EventRecord, PromptSubmitted
from pilotfish.core.ids import MessageId
from pilotfish.core.permission import PermissionRule
from pilotfish.engine.state import TurnIdentity
from pilotfish.session.permission_source import PermissionSource
from pilotfish.session.session import Session
from pilotfish.skills.model import Skill, SkillDocument
from pilotfish.skills.template import Command, SkillError, Values, Words, fill
from pilotfish.skills.usage import SkillUsage

LONG_CONTEXT = "[1m]"
"""What a model's name ends with that has the long window."""

MAX_SKILL_CHARS = 100_000
"""Longest text of a skill that joins a conversation."""

MAX_COMMANDS = 20
"""Commands in the text of one skill."""


class CommandRunner(Protocol):
    """Runs a skill's commands. ``session.skill_commands`` implements it."""

    async def run(self, command: str, skill: Skill, identity: TurnIdentity) -> str:
        """Return what a command says.

        Raises:
            SkillError: It may not run, or fails.
        """
        ...


class SkillUse:
    """The skills that are in use in one conversation."""

    def __init__(
        self,
        session: Session,
        permissions: PermissionSource,
        runner: CommandRunner,
        usage: SkillUsage,
    ) -> None:
        """Set it up.

        Args:
            session: The conversation.
            permissions: Where the rules hold.
            runner: Runs the commands.
            usage: Takes note of what is used.
        """
        self._session = session
        self._permissions = permissions
        self._runner = runner
        self._usage = usage
        self._model = ""
        self._effort = ""
        self._unlisten = session.log.listen(self._hear)

    @property
    def model(self) -> str:
        """The model that the active skill wants; empty for none."""
        return self._model

    @property
    def effort(self) -> str:
        """How hard the active skill wants the model to try; empty: it says nothing."""
        return self._effort

    async def invoke(
        self,
        document: SkillDocument,
        arguments: str,
        identity: TurnIdentity,
        message: MessageId | None,
    ) -> str:
        """Make a skill active and return its text.

        Args:
            document: The skill.
            arguments: What was typed behind its name.
            identity: The turn that it is for.
            message: The prompt that it was typed in, which its text joins; None: the model asked for
                it and gets the text by itself.

        Raises:
            SkillError: It cannot be used; nothing holds then.
            ModelError: Its model cannot be used.
        """
        skill = document.skill
        model = self._wanted_model(skill)
        rules = rules_of(skill)
        undo = self._permissions.hold_for_command(self._session.agent_id, rules)
        used = False
        try:
            text = await self.text_of(document, arguments, identity)
            await self._usage.note(skill.name)
            used = True
        finally:
            if not used:
                undo()
        self._model, self._effort = model, skill.effort or ""
        self._session.log.emit(
            SkillInvoked(
                skill=skill.name,
                path=str(skill.path),
                arguments=arguments,
                message_id=message,
                text=text if message is not None else "",
                rules=tuple(rule.text() for rule in rules),
                model=model,
                effort=self._effort,
            )
        )
        return text

    async def text_for_agent(
        self, document: SkillDocument, arguments: str, identity: TurnIdentity
    ) -> str:
        """Return a skill's text for an agent: what it grants holds here for its own commands alone."""
        undo = self._permissions.hold_for_command(self._session.agent_id, rules_of(document.skill))
        try:
            text = await self.text_of(document, arguments, identity)
        finally:
            undo()
        await self._usage.note(document.skill.name)
        return text

    async def text_of(self, document: SkillDocument, arguments: str, identity: TurnIdentity) -> str:
        """Return what a skill comes to for the model; its commands run."""
        skill = document.skill
        variables = {
            "PILOTFISH_SESSION_ID": self._session.id,
            "CLAUDE_SESSION_ID": self._session.id,
        }
        if skill.folder is not None:
            variables |= dict.fromkeys(
                ("PILOTFISH_SKILL_DIR", "CLAUDE_SKILL_DIR"), str(skill.folder)
            )
        values = Values(arguments=arguments, names=skill.arguments, variables=variables)
        pieces = fill(document.body, values, shell=skill.shell or "bash")
        commands = sum(isinstance(piece, Command) for piece in pieces)
        if commands > MAX_COMMANDS:
            raise SkillError(
                f"The skill `{skill.name}` holds {commands} commands; {MAX_COMMANDS} are the limit."
            )
        parts = [_heading(skill)]
        for piece in pieces:
            if isinstance(piece, Words):
                parts.append(piece.text)
            else:
                parts.append(await self._runner.run(piece.command, skill, identity))
        text = "".join(parts)
        if len(text) > MAX_SKILL_CHARS:
            raise SkillError(
                f"The skill `{skill.name}` comes to {len(text):,} characters; {MAX_SKILL_CHARS:,} "
                "are the limit.",
                hint="What is seldom needed belongs in files of its own, which it names.",
            )
        return text

    def close(self) -> None:
        """End what holds."""
        self._unlisten()
        self._end()

    def _hear(self, record: EventRecord) -> None:
        if isinstance(record.event, PromptSubmitted):
            self._end()

    def _end(self) -> None:
        self._model = self._effort = ""
        self._permissions.end_command(self._session.agent_id)

    def _wanted_model(self, skill: Skill) -> str:
        """Return the model of a skill; a long window stays one, or the conversation would not fit."""
        if skill.model in (None, "inherit"):
            return ""
        workbench = self._session.workbench
        model = workbench.require_model(skill.model)
        has_long = workbench.model_options().model.endswith(LONG_CONTEXT)
        return model + LONG_CONTEXT if has_long and not model.endswith(LONG_CONTEXT) else model


def rules_of(skill: Skill) -> tuple[PermissionRule, ...]:
    """Return the rules that hold while a skill is active: its own, and that its files may be read."""
    rules = list(granted_rules(skill))
    if skill.folder is not None:
        own = f"/{skill.folder.as_posix()}/**"
        rules.append(PermissionRule(source="command", behavior="allow", tool="Read", content=own))
    return tuple(rules)


def granted_rules(skill: Skill) -> tuple[PermissionRule, ...]:
    """Return the rules that a skill brings; what is none was told when its file was read."""
    readings = (parse_rule(text, "allow", "command") for text in skill.allowed_tools)
    return tuple(each.rule for each in readings if each.rule is not None)


def _heading(skill: Skill) -> str:
    if skill.folder is None:
        return ""
    return f"Base folder of this skill, for paths that it names: {skill.folder}\n\n"
