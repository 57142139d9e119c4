"""``pilotfish permissions``: the commands and their options.

Owns: the group's shape. Does not own: what the commands do (``app.permissions``).
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol, TypedDict, Unpack, cast

import click

from pilotfish.edges.headless.mode_option import ModeType
from pilotfish.edges.headless.text_option import Amount, Text
from pilotfish.util.records import dataclass

FileDestination = Literal["local", "project", "user"]


@dataclass(frozen=True, kw_only=True, slots=True)
class PastOptions:
    """Which past calls are meant."""

    session: str | None = None
    since_days: float | None = None
    everywhere: bool = False
    """Sessions of all folders, not of the present one alone."""


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

    def replay(
        self, past: PastOptions, settings: Path | None, rules_file: Path | None, *, as_json: bool
    ) -> int:
        """Print what changed rules would have meant for past calls."""
        ...

    def suggest(
        self, past: PastOptions, destination: FileDestination | None, *, as_json: bool
    ) -> int:
        """Print the smallest rules that cover what was approved; write them if asked to."""
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
    @click.argument("tool", type=Text())
    @click.argument("input_json", type=Text(), metavar="INPUT-JSON")
    @click.option("--mode", type=ModeType(), help="Default: as the settings say.")
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

    group.add_command(_replay_command(commands))
    group.add_command(_suggest_command(commands))
    _ = list_command, explain_command, check_command, lint_command
    return group


_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


class _PastFlags(TypedDict):
    """What click hands over of the options below."""

    session: str | None
    since_days: float | None
    everywhere: bool


def _of_the_past(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say which past calls are meant."""
    options = (
        click.option(
            "--session", type=Text(), metavar="ID", help="The calls of this session alone."
        ),
        click.option(
            "--since",
            "since_days",
            type=Amount(),
            metavar="DAYS",
            help="The calls of the last so many days.",
        ),
        click.option("--all", "everywhere", is_flag=True, help="Of all folders, not this one."),
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _replay_command(commands: Callable[[], PermissionCommands]) -> click.Command:
    @click.command("replay")
    @click.option("--settings", type=_FILE, help="One more settings file, on top of the others.")
    @click.option(
        "--rules-file", type=_FILE, help="A settings file whose rules stand in the place of all."
    )
    @_of_the_past
    def replay_command(
        settings: Path | None, rules_file: Path | None, *, as_json: bool, **past: Unpack[_PastFlags]
    ) -> None:
        """Judge the calls of past sessions by changed rules: which questions vanish, what is refused.

        Without a file: by the settings as they are now. Runs nothing.
        """
        if settings is not None and rules_file is not None:
            raise click.UsageError("Give --settings or --rules-file, not both.")
        code = commands().replay(PastOptions(**past), settings, rules_file, as_json=as_json)
        sys.exit(code)

    return replay_command


def _suggest_command(commands: Callable[[], PermissionCommands]) -> click.Command:
    @click.command("suggest")
    @click.option(
        "--apply",
        "destination",
        type=click.Choice(["local", "project", "user"]),
        help="Write them: for you in this project, for everyone in it, or for you everywhere.",
    )
    @_of_the_past
    def suggest_command(
        destination: FileDestination | None, *, as_json: bool, **past: Unpack[_PastFlags]
    ) -> None:
        """Propose the smallest rules that cover what you have approved, and nothing you refused."""
        sys.exit(commands().suggest(PastOptions(**past), destination, as_json=as_json))

    return suggest_command


def _object(text: str) -> dict[str, object]:
    try:
        value: object = json.loads(text)
    except ValueError as error:
        raise click.UsageError(f"INPUT-JSON is not valid JSON: {error}.") from error
    if not isinstance(value, dict):
        raise click.UsageError('INPUT-JSON must be an object, such as \'{"command": "ls"}\'.')
    return cast("dict[str, object]", value)
