"""The system prompt of one session.

Owns: what is known of the session's surroundings, and keeping the prompt the same once it is made: a
changed prompt would lose the model's cache.
Does not own: its text (``prompts.system``), the repository map (``session.code_index``).
"""

from datetime import UTC, datetime
from pathlib import Path

from pilotfish.codeintel.index.repo_map import HideFiles
from pilotfish.config.code_index import IndexSettings
from pilotfish.prompts.system import Environment, build_system_prompt
from pilotfish.session.code_index import repository_map
from pilotfish.session.services import Services


class SessionPrompt:
    """Made for the first turn, the same for all that follow."""

    def __init__(
        self,
        services: Services,
        cwd: Path,
        roots: tuple[Path, ...],
        append: str | None,
        hidden: HideFiles,
    ) -> None:
        """Note the day; the rest is made when it is asked for.

        Args:
            services: What all sessions share.
            cwd: The session's folder, resolved.
            roots: All folders of the session.
            append: What the user or the caller adds at the end.
            hidden: Says which files the model may not see.
        """
        self._services = services
        self._append = append
        self._hidden = hidden
        started = datetime.fromtimestamp(services.clock.now_ms() / 1000, UTC)
        self._environment = Environment(
            cwd=cwd,
            roots=roots,
            platform=services.platform,
            date=started.date().isoformat(),
            is_git=(cwd / ".git").exists(),
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
            self._services.index, self._environment.cwd, settings, self._hidden
        )
        self._blocks = build_system_prompt(self._environment, self._append, found)
