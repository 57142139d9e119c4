"""Running the commands that stand in a skill's text.

Owns: that each goes the road of any tool call, with its permissions and limits, in sight of the user.
Does not own: what the output becomes (``session.skill_use``), permissions (``permissions``).
See also: design 03 §4.8.
"""

from collections.abc import Callable

from pilotfish.core.calls import (
    CallScope,
    RejectedCall,
    ToolCall,
    ToolOutcome,
    ToolProgress,
    text_outcome,
)
from pilotfish.core.events import ToolFinished, ToolStarted
from pilotfish.core.ids import new_tool_use_id
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.messages import text_of
from pilotfish.core.passing_events import ToolOutput
from pilotfish.engine.state import TurnIdentity
from pilotfish.ports.tool_runner import ToolRunner
from pilotfish.session.log import EventLog
from pilotfish.session.permission_source import PermissionSource
from pilotfish.session.tool_chain import ToolChain
from pilotfish.skills.model import Skill
from pilotfish.skills.template import SkillError
from pilotfish.tooling.registry import ToolRegistry

COMMAND_TIMEOUT_MS = 30_000
"""A command only gathers facts; nobody waits for it longer than this."""

MAX_OUTPUT_CHARS = 30_000

_TOOLS = {"bash": "Bash", "powershell": "PowerShell"}


class SkillCommands:
    """Runs commands for the skills of one conversation."""

    def __init__(
        self,
        log: EventLog,
        road: Callable[[], tuple[ToolChain, ToolRegistry]],
        scope: Callable[[TurnIdentity, Callable[[ToolProgress], None]], CallScope],
        permissions: PermissionSource,
    ) -> None:
        """Set it up.

        Args:
            log: The conversation's events.
            road: Returns the chain in front of tools, and the tools that may be called now.
            scope: Returns who calls.
            permissions: Know whether anything of this folder may run.
        """
        self._log = log
        self._road = road
        self._scope = scope
        self._permissions = permissions

    async def run(self, command: str, skill: Skill, identity: TurnIdentity) -> str:
        """Return what a command says.

        Raises:
            SkillError: It may not run, or fails.
        """
        tool = _TOOLS[skill.shell or "bash"]
        if not self._permissions.is_trusted:
            raise SkillError(
                f"The skill `{skill.name}` runs commands, and this folder is not trusted.",
                hint="Trust the folder, or use another skill.",
            )
        chain, registry = self._road()
        if tool not in registry.names():
            raise SkillError(f"The skill `{skill.name}` needs {tool}, which is not to be had here.")
        given: JsonObject = {
            "command": command,
            "timeout": COMMAND_TIMEOUT_MS,
            "description": f"Command of the skill {skill.name}",
        }
        call = ToolCall(id=new_tool_use_id(), name=tool, input=given)
        outcome = await self._call(call, identity, chain.runner(registry))
        said = text_of(outcome.content).strip()
        if outcome.status != "completed":
            raise SkillError(
                f"The skill `{skill.name}` was not used: its command `{command}` did not run to its "
                f"end ({outcome.status}). {said[:2_000]}"
            )
        return "" if said == _NO_OUTPUT else said[:MAX_OUTPUT_CHARS]

    async def _call(
        self, call: ToolCall, identity: TurnIdentity, runner: ToolRunner
    ) -> ToolOutcome:
        def on_progress(progress: ToolProgress) -> None:
            self._log.tell(
                ToolOutput(
                    tool_use_id=call.id, text=progress.text, terminal_id=progress.terminal_id
                )
            )

        scope = self._scope(identity, on_progress)
        prepared = await runner.prepare(call, scope)
        if isinstance(prepared, RejectedCall):
            return text_outcome(prepared.message, status="failed")
        self._log.emit(
            ToolStarted(
                tool_use_id=call.id,
                tool=prepared.tool,
                title=prepared.title,
                kind=prepared.kind,
                input=call.input,
                locations=prepared.locations,
            )
        )
        outcome = text_outcome("It was stopped.", status="interrupted")
        try:
            outcome = await runner.run(prepared, scope)
        finally:
            self._log.emit(
                ToolFinished(
                    tool_use_id=call.id,
                    status=outcome.status,
                    content=outcome.content,
                    display=outcome.display,
                )
            )
        return outcome


_NO_OUTPUT = "(no output)"
"""What the tools say of a command that says nothing."""
