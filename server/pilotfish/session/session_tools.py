"""The built-in tools of one session.

Owns: which of them a session has, decided once: the list of tools must not change under a model.
Does not own: the tools, and which of them rules and modes take away (``permissions``).
"""

from collections.abc import Awaitable, Callable, Sequence

from pilotfish.agents.send_message import SendMessageTool
from pilotfish.agents.tool import AgentTool
from pilotfish.codeintel.shell_facts import is_concurrency_safe
from pilotfish.config.schema import Settings
from pilotfish.config.tool_list import must_defer
from pilotfish.ports.agents import AgentType
from pilotfish.session.services import Services
from pilotfish.session.skill_definitions import SkillDefinitions
from pilotfish.session.skill_desk import listing_of
from pilotfish.session.task_list import shares_list
from pilotfish.skills.tool import SkillTool
from pilotfish.tooling.registry import ToolRegistry
from pilotfish.tools import builtin_tools
from pilotfish.tools.powershell import PowerShellTool
from pilotfish.tools.shell_profile import Profile


def session_tools(
    services: Services,
    settings: Settings,
    profile: Callable[[], Awaitable[Profile]],
    agent_types: Sequence[AgentType],
    skills: SkillDefinitions,
    *,
    one_shot: bool,
) -> ToolRegistry:
    """Return a session's tools.

    Args:
        services: What the process shares.
        settings: As they are when the session begins.
        profile: Returns what the user's bash knows.
        agent_types: The agents that may be started.
        skills: Those that there are, and the window of the model that the session begins with.
        one_shot: Whether the session ends with its first turn.
    """
    tools = builtin_tools(
        services.environment,
        is_read_only=is_concurrency_safe,
        profile=profile,
        eager_to_plan=settings.plan_mode.eagerness == "eager",
        shared_tasks=shares_list(settings, services, one_shot=one_shot),
    )
    program = services.powershell
    if program is not None and (services.platform == "win32" or settings.shell.powershell):
        tools = (*tools, PowerShellTool(program, services.environment))
    if settings.agents.max_depth > 0 and agent_types:
        tools = (*tools, AgentTool(agent_types, background=settings.agents.background))
        if settings.agents.background:
            tools = (*tools, SendMessageTool())
    listing = listing_of(skills)
    if listing:
        tools = (*tools, SkillTool(listing))
    registry = ToolRegistry(tools)
    waiting = sum(tool.tokens for tool in registry.deferred())
    deferral = settings.tool_deferral
    defers = must_defer(deferral, tokens=waiting, window_tokens=skills.window_tokens)
    return registry if defers else registry.showing_all()
