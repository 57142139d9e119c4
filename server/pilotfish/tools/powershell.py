"""The PowerShell tool.

Owns: commands in PowerShell: what their exit codes mean.
Does not own: running a command (``tools.shell_tool``), PowerShell itself
(``tools.powershell_program``), when the model is offered it (``session.session_tools``).
See also: design 06 §11.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from typing_extensions import override

from pilotfish.codeintel.powershell import analyse_powershell, canonical_name, command_name
from pilotfish.codeintel.shell_paths import ShellPlace
from pilotfish.core.errors import ProcessError
from pilotfish.tooling.spec import ToolSpec
from pilotfish.tools.bash_interactive import complaint_hint
from pilotfish.tools.bash_meaning import answer_of
from pilotfish.tools.descriptions import load_description
from pilotfish.tools.powershell_program import (
    MAX_COMMAND_CHARS,
    command_variables,
    powershell_argv,
)
from pilotfish.tools.shell_environment import shell_environment
from pilotfish.tools.shell_tool import CommandShell, Launch, ShellTool

_NOWHERE = ShellPlace(cwd="/", home="/")
"""Where a command runs does not matter for what its exit code means."""

_ROBOCOPY_FAILS_FROM = 8
"""Lower exit codes of robocopy tell what it did."""


class PowerShellTool(ShellTool):
    """Runs commands in PowerShell."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="PowerShell",
        description=load_description("powershell"),
        kind="execute",
        max_result_chars=0,  # cut by the tool, at both ends of the middle
    )

    def __init__(self, program: str, environment: Mapping[str, str]) -> None:
        """Set it up.

        Args:
            program: PowerShell, an absolute path.
            environment: What commands inherit; secrets of the server are left out.
        """
        super().__init__(_PowerShell(program, environment))


class _PowerShell(CommandShell):
    """Implements ``tools.shell_tool.CommandShell``."""

    hidden_advice = 'Write them by number, for example "$([char]0x200b)".'

    def __init__(self, program: str, environment: Mapping[str, str]) -> None:
        self._program = program
        self._environment = shell_environment(environment)

    async def launch(self, command: str, folder_file: Path) -> Launch:
        """Return how to run a command."""
        if len(command) > MAX_COMMAND_CHARS:
            raise ProcessError(
                f"The command was not run: it is longer than {MAX_COMMAND_CHARS:,} characters.",
                hint="Put it in a script file and run that.",
            )
        return Launch(
            argv=powershell_argv(self._program),
            env={**self._environment, **command_variables(command, folder_file)},
        )

    @override
    def reads_only(self, command: str) -> bool:
        """Take none for harmless: a session may have given any name another meaning."""
        return False

    def only_waits(self, command: str) -> bool:
        """Tell whether it begins with ``Start-Sleep``."""
        words = command.split(maxsplit=1)
        return bool(words) and canonical_name(words[0]) == "start-sleep"

    def meaning_of(self, command: str, exit_code: int | None) -> str | None:
        """Know the programs whose exit code is an answer, in lines that consist of plain commands."""
        facts = analyse_powershell(command, _NOWHERE)
        if exit_code is None or facts.shell.kind != "simple" or "&&" in facts.shell.operators:
            return None
        words = [word.value for word in facts.parts[-1].command.words]
        name = command_name(words[0])
        if name == "robocopy" and 0 < exit_code < _ROBOCOPY_FAILS_FROM:
            return "nothing failed; the number tells what was copied"
        return answer_of([name, *words[1:]]) if exit_code == 1 else None

    @override
    def hint(self, command: str, output_end: str) -> str:
        """Know what programs print that find no terminal."""
        return complaint_hint(output_end)
