"""The system prompt of one session.

Owns: what is known of the session's surroundings, and keeping the prompt the same once it is made: a
changed prompt would lose the model's cache.
Does not own: its text (``prompts.system``), the repository map (``session.code_index``).
"""

from datetime import UTC, datetime

from pilotfish.config.code_index import IndexSettings
from pilotfish.prompts.system import Environment, build_system_prompt
from pilotfish.session.code_index import repository_map
from pilotfish.session.services import Services
from pilotfish.tooling.context import ToolContext


class SessionPrompt:
    """Made for the first turn, the same for all that follow."""

    def __init__(self, services: Services, context: ToolContext, append: str | None) -> None:
        """Note the day; the rest is made when it is asked for.

        Args:
            services: What all sessions share.
            context: The session's folders, and which files the model may not see.
            append: What the user or the caller adds at the end.
        """
        self._services = services
        self._append = append
        self._context = context
        started = datetime.fromtimestamp(services.clock.now_ms() / 1000, UTC)
        self._environment = Environment(
            cwd=context.cwd,
            roots=context.roots,
            platform=services.platform,
            date=started.date().isoformat(),
            is_git=(context.cwd / ".git").exists(),
        )
        self._blocks: tuple[str, ...] = ()

    @property
    def environment(self) -> Environment:
        """What is known of the session's surroundings."""
        return self._environment

    @property
    def blocks(self) -> tuple[str, ...]:
        """The prompt; empty before it is made."""
        return self._blocks

    async def make(self, settings: IndexSettings) -> None:
        """Make the prompt, unless that was done."""
        if self._blocks:
            return
        found = await repository_map(
            self._services.index, self._environment.cwd, settings, self._context.hidden_files
        )
        self._blocks = build_system_prompt(self._environment, self._append, found)
