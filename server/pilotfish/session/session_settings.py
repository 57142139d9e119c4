"""What the settings mean for one session.

Owns: which layers of settings a session has, and what follows from them and a model's facts alone.
"""

from collections.abc import Callable
from pathlib import Path

import psutil

from pilotfish.config.model_section import DEFAULT_MAX_TOKENS
from pilotfish.config.schema import Settings, ShellSettings
from pilotfish.config.sources import CommandLine, SettingsSources
from pilotfish.llm.catalog import facts_of
from pilotfish.llm.choose import ProviderChoice
from pilotfish.ports.processes import ResourceLimits
from pilotfish.session.factory import NewSession
from pilotfish.session.line_shell import line_shell
from pilotfish.session.services import Services
from pilotfish.session.session import Session
from pilotfish.session.status_line import StatusLine, StatusModel, StatusPlace
from pilotfish.tooling.context import ToolContext
from pilotfish.tools.shell_environment import shell_environment


def settings_sources(services: Services, options: NewSession) -> SettingsSources:
    """Return where a session's settings come from."""
    asked = CommandLine(
        allowed_tools=options.allowed_tools,
        disallowed_tools=options.disallowed_tools,
        permission_mode=options.mode,
        max_turns=options.max_turns,
        max_budget_usd=options.max_budget_usd,
    )
    return services.settings_sources(options.cwd, asked)


def take_tool_settings(context: ToolContext, settings: Settings) -> None:
    """Let settings hold for the tools from their next call on."""
    context.dedup_reads = settings.read.dedup
    context.edits.saves = settings.edit.save_after_edit
    context.command_limits = command_limits(settings.shell)


def roots_of(options: NewSession, services: Services) -> tuple[Path, ...]:
    """Return the workspace folders of a session, real paths; the first is the project's."""
    folders = (options.cwd, *options.extra_roots, *services.roots)
    return tuple(dict.fromkeys(folder.resolve() for folder in folders))


def status_line_of(
    session: Session,
    services: Services,
    model: StatusModel,
    context: Callable[[], ToolContext],
    folders: Callable[[], tuple[Path, ...]],
) -> StatusLine:
    """Return the status line of a session; it runs nothing before it has settings.

    Args:
        session: The session.
        services: What the process shares.
        model: Tells of its model.
        context: Returns what its tools have, once there is such a thing.
        folders: Returns the folders that count as the session's.
    """

    def place() -> StatusPlace:
        tools = context()
        return StatusPlace(current=tools.cwd, root=tools.roots[0], added=folders()[1:])

    environment = shell_environment(services.environment)
    shell = line_shell(services.environment, services.platform, services.powershell)
    return StatusLine(session.log, services.governor, environment, shell, model, place)


def command_limits(shell: ShellSettings) -> ResourceLimits:
    """Return what a command may take."""
    asked = shell.max_memory_mb
    memory = psutil.virtual_memory().total * 3 // 4 if asked is None else asked << 20
    return ResourceLimits(
        memory_bytes=memory,
        processes=shell.max_processes,
        idle_s=shell.idle_minutes * 60 or None,
    )


def max_tokens(settings: Settings, choice: ProviderChoice) -> int:
    """Return how long a reply of a model may be, in tokens."""
    facts = facts_of(choice.model, choice.facts)
    asked = settings.model.max_tokens
    wanted = facts.default_max_tokens if asked == DEFAULT_MAX_TOKENS else asked
    return min(wanted, facts.max_output_tokens)


ESCALATED_MAX_TOKENS = 64_000
"""What a reply that was cut at our own default is asked for with once more (design 02 §5.3)."""

SUMMARY_TOKENS = 20_000
"""Most room that is kept free in the window for a summary (design 02 §2.4)."""

BLOCKING_BUFFER_TOKENS = 3_000
"""Room below that in which the model is not called any more (design 02 §2.4)."""


def escalated_max_tokens(settings: Settings, choice: ProviderChoice) -> int:
    """Return how long a reply may be that was cut once; 0 where asking again would not help."""
    if settings.model.max_tokens != DEFAULT_MAX_TOKENS:
        return 0
    most = min(ESCALATED_MAX_TOKENS, facts_of(choice.model, choice.facts).max_output_tokens)
    return most if most > max_tokens(settings, choice) else 0


def max_context_tokens(choice: ProviderChoice) -> int:
    """Return how full a model's window may be before a call; 0 where its size is not known."""
    facts = facts_of(choice.model, choice.facts)
    if not facts.known:
        return 0
    return (
        facts.context_tokens - min(facts.max_output_tokens, SUMMARY_TOKENS) - BLOCKING_BUFFER_TOKENS
    )
