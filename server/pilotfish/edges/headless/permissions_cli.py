"""``pilotfish permissions``: the commands and their options.

Owns: the group's shape. Does not own: what the commands do (``app.permissions``).
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import click

from pilotfish.config.modes import SETTABLE_MODES


class PermissionCommands(Protocol):
    """What the commands do; each returns an exit code."""

    def list_rules(self, *, as_json: bool) -> int:
        """Print the rules in force in the present folder, each with where it comes from."""
        ...

    def explain(
        self, tool: str, given: dict[str, object], mode: str | None, *, as_json: bool
    ) -> int:
        """Print what would be decided about a call, phase by phase."""
        ...

    def check(self, file: Path, *, expect: bool) -> int:
        """Decide recorded calls and print a line for each."""
        ...

    def lint(self) -> int:
        """Print what is wrong with the rules; 1 when something is."""
        ...


CommandsFor = Callable[[Path], PermissionCommands]
"""Returns the commands for a folder; given by the composition root."""


def permissions_group(commands: Callable[[], PermissionCommands]) -> click.Group:
    """Return the group; ``commands`` returns what its commands do in the present folder."""

    @click.group("permissions")
    def group() -> None:
        """See, explain and check what may run."""

    @group.command("list")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    def list_command(*, as_json: bool) -> None:
        """List the rules in force in this folder."""
        sys.exit(commands().list_rules(as_json=as_json))

    @group.command("explain")
    @click.argument("tool")
    @click.argument("input_json", metavar="INPUT-JSON")
    @click.option("--mode", type=click.Choice(SETTABLE_MODES), help="Default: as the settings say.")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    def explain_command(tool: str, input_json: str, mode: str | None, *, as_json: bool) -> None:
        """Say what would be decided about a call of TOOL, and which phase decides. Runs nothing.

        Example: pilotfish permissions explain Bash '{"command": "git push"}'
        """
        sys.exit(commands().explain(tool, _object(input_json), mode, as_json=as_json))

    @group.command("check")
    @click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
    @click.option(
        "--expect", is_flag=True, help="Compare with `expect` and `also_ok`; exit 1 if not."
    )
    def check_command(file: Path, *, expect: bool) -> None:
        """Decide the calls of FILE, one JSON object a line, without running any."""
        sys.exit(commands().check(file, expect=expect))

    @group.command("lint")
    def lint_command() -> None:
        """Report rules that are misspelt, can never act, or contradict others; exit 1 if any."""
        sys.exit(commands().lint())

    _ = list_command, explain_command, check_command, lint_command
    return group


def _object(text: str) -> dict[str, object]:
    try:
        value: object = json.loads(text)
    except ValueError as error:
        raise click.UsageError(f"INPUT-JSON is not valid JSON: {error}.") from error
    if not isinstance(value, dict):
        raise click.UsageError('INPUT-JSON must be an object, such as \'{"command": "ls"}\'.')
    return {str(key): item for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
