"""Skills on which an agent of their own works.

Owns: starting it with the skill's text, what it is granted, and the card of one that a user typed.
Does not own: the agent (``session.subagents``), the text (``session.skill_use``).
See also: design 01 §9.2, 03 §4.9.
"""

from collections.abc import Callable

from pilotfish.agents.model import GENERAL_PURPOSE, INHERIT
from pilotfish.core.agents import AgentEntry
from pilotfish.core.calls import ToolProgress, ToolStatus
from pilotfish.core.events import ToolFinished, ToolStarted
from pilotfish.core.ids import ToolUseId, new_tool_use_id
from pilotfish.core.messages import TextBlock
from pilotfish.core.passing_events import ToolOutput
from pilotfish.engine.state import TurnIdentity
from pilotfish.ports.agents import AgentRequest, AgentSpawner
from pilotfish.session.permission_source import PermissionSource
from pilotfish.session.session import Session
from pilotfish.session.skill_use import SkillUse, granted_rules, rules_of
from pilotfish.skills.model import Skill, SkillDocument
from pilotfish.util.records import dataclass
from pilotfish.util.text_span import opening, shortened

MAX_TITLE_CHARS = 120


@dataclass(frozen=True, kw_only=True, slots=True)
class ForkEnd:
    """What came of an agent's work on a skill."""

    text: str
    failed: bool


class SkillForks:
    """Runs skills in agents, for one conversation."""

    def __init__(
        self,
        session: Session,
        use: SkillUse,
        permissions: PermissionSource,
        spawner: Callable[[], AgentSpawner],
    ) -> None:
        """Set it up.

        Args:
            session: The conversation.
            use: Makes texts of skills.
            permissions: Knows what the tools that a skill names mean for its agent.
            spawner: Returns what starts agents for it.
        """
        self._session = session
        self._use = use
        self._permissions = permissions
        self._spawner = spawner

    async def run(
        self,
        document: SkillDocument,
        arguments: str,
        identity: TurnIdentity,
        call: ToolUseId,
        on_progress: Callable[[ToolProgress], None],
    ) -> ForkEnd:
        """Let an agent work on a skill, and wait for its end.

        Raises:
            PilotfishError: It cannot be started; says why.
        """
        skill = document.skill
        text = await self._use.text_for_agent(document, arguments, identity)
        request = AgentRequest(
            description=_title(skill.name, arguments),
            prompt=text,
            agent_type=skill.agent or GENERAL_PURPOSE,
            model=None if skill.model in (None, INHERIT) else skill.model,
            effort=skill.effort,
            call=call,
            on_progress=on_progress,
            rules=rules_of(skill),
            only_tools=self._only_tools(skill),
        )
        return _end_of(await self._spawner().run(request))

    def _only_tools(self, skill: Skill) -> frozenset[str] | None:
        """Return the tools that an agent may have for a skill; None: as many as usual."""
        if not skill.allowed_tools or not self._permissions.skills_restrict:
            return None
        return frozenset(rule.tool for rule in granted_rules(skill))

    async def run_typed(
        self, document: SkillDocument, arguments: str, identity: TurnIdentity
    ) -> ForkEnd:
        """The same for a user, who sees its work on a card as that of any agent.

        Raises:
            PilotfishError: It cannot be started; says why.
        """
        call, log = new_tool_use_id(), self._session.log
        title = _title(document.skill.name, arguments)
        log.emit(ToolStarted(tool_use_id=call, tool="Agent", title=title, kind="other", input={}))
        status: ToolStatus = "interrupted"
        said = "It was stopped."
        try:
            end = await self.run(
                document,
                arguments,
                identity,
                call,
                lambda progress: log.tell(ToolOutput(tool_use_id=call, text=progress.text)),
            )
            status, said = ("failed" if end.failed else "completed"), end.text
        finally:
            log.emit(ToolFinished(tool_use_id=call, status=status, content=(TextBlock(text=said),)))
        return end


def _end_of(entry: AgentEntry) -> ForkEnd:
    outcome = entry.outcome
    if outcome is None:
        return ForkEnd(
            text=f"The agent {entry.agent_id} goes on in the background; its report follows.",
            failed=False,
        )
    if outcome.status == "completed":
        return ForkEnd(text=outcome.text or "(It said nothing.)", failed=False)
    why = f"The agent did not finish: {outcome.error or 'no reason is known'}."
    return ForkEnd(text=f"{why}\n\n{outcome.text}".strip(), failed=True)


def _title(name: str, arguments: str) -> str:
    return shortened(opening(f"/{name} {arguments}", MAX_TITLE_CHARS + 1), MAX_TITLE_CHARS)
