"""The Bash tool.

Owns: commands in bash: the user's profile before them, what their exit codes mean.
Does not own: running a command (``tools.shell_tool``), bash itself (``tools.bash_shell``).
See also: design 06 §10.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import ClassVar

from pilotfish.tooling.spec import ToolSpec
from pilotfish.tools.bash_interactive import interactive_hint
from pilotfish.tools.bash_meaning import is_wait, meaning_of
from pilotfish.tools.bash_shell import bash_argv, find_bash
from pilotfish.tools.descriptions import load_description
from pilotfish.tools.shell_environment import shell_environment
from pilotfish.tools.shell_profile import NO_PROFILE, Profile, with_profile_path
from pilotfish.tools.shell_tool import Launch, ShellTool


class BashTool(ShellTool):
    """Runs commands in bash."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="Bash",
        description=load_description("bash"),
        kind="execute",
        max_result_chars=0,  # cut by the tool, at both ends of the middle
    )

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        is_read_only: Callable[[str], bool] | None = None,
        profile: Callable[[], Awaitable[Profile]] | None = None,
    ) -> None:
        """Set it up.

        Args:
            environment: What commands inherit; secrets of the server are left out.
            is_read_only: Tells whether a command changes nothing; None means: never known.
            profile: Returns what the user's shell knows; None means: nothing.
        """
        super().__init__(_Bash(environment, is_read_only, profile))


class _Bash:
    """Implements ``tools.shell_tool.CommandShell``."""

    hidden_advice = "Write them as escapes, for example $'\\u200b' or $'\\r'."

    def __init__(
        self,
        environment: Mapping[str, str],
        is_read_only: Callable[[str], bool] | None,
        profile: Callable[[], Awaitable[Profile]] | None,
    ) -> None:
        self._environment = shell_environment(environment)
        self._is_read_only = is_read_only
        self._profile = profile
        self._told = False
        """Whether a problem with the profile has been told."""

    async def launch(self, command: str, folder_file: Path) -> Launch:
        """Return how to run a command, after the user's profile."""
        bash = await asyncio.to_thread(find_bash, self._environment)
        profile = NO_PROFILE if self._profile is None else await self._profile()
        return Launch(
            argv=bash_argv(bash, command, folder_file, profile.file),
            env=with_profile_path(self._environment, profile),
            remark=self._remark(profile.problem),
        )

    def reads_only(self, command: str) -> bool:
        """Ask whoever knows commands."""
        return self._is_read_only is not None and self._is_read_only(command)

    def only_waits(self, command: str) -> bool:
        """Tell whether it begins with ``sleep``."""
        return is_wait(command)

    def meaning_of(self, command: str, exit_code: int | None) -> str | None:
        """Know the commands whose exit code is an answer."""
        return meaning_of(command, exit_code)

    def hint(self, command: str, output_end: str) -> str:
        """Know the programs that want to be typed into, too."""
        return interactive_hint(command, output_end)

    def _remark(self, problem: str) -> str:
        """Tell of a profile that could not be read, once."""
        if not problem or self._told:
            return ""
        self._told = True
        return (
            f"[commands run without the functions and aliases of the user's shell profile: {problem}; "
            "shell.profile in the settings switches the profile off]"
        )
