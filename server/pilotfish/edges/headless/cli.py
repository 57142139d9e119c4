"""``pilotfish`` on the command line.

Owns: commands and options. ``serve`` and ``acp`` are dispatched before this is imported, since an
editor waits for them; they are declared here for ``--help``.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict, Unpack

import click

from pilotfish import __version__
from pilotfish.edges.headless.definitions_cli import DefinitionLists, definition_groups
from pilotfish.edges.headless.mode_option import ModeType
from pilotfish.edges.headless.options import (
    CHOOSE,
    EXIT_USAGE,
    OutputFormat,
    ReplayOptions,
    RunOptions,
)
from pilotfish.edges.headless.permissions_cli import CommandsFor, permissions_group
from pilotfish.edges.headless.sessions_cli import SessionCommands, sessions_group
from pilotfish.edges.headless.settings_cli import settings_group
from pilotfish.edges.headless.text_option import Amount, NewFolder, Text

RunPrompt = Callable[[RunOptions], int]
"""Runs a prompt to its exit code; given by the composition root."""


def build_cli(
    run_prompt: RunPrompt,
    sessions: SessionCommands,
    permissions: CommandsFor,
    definitions: DefinitionLists,
    doctor: Callable[[bool, bool], int],
    replay: Callable[[ReplayOptions], int],
) -> click.Group:
    """Return the command line, with what its commands do."""

    @click.group(context_settings={"help_option_names": ["-h", "--help"]})
    @click.version_option(__version__, prog_name="pilotfish")
    def cli() -> None:
        """Pilotfish, a coding agent that lives inside a language server."""
        try:
            Path.cwd()
        except FileNotFoundError:
            raise click.ClickException(
                "The folder that you are in is gone. Change to one that is there (cd)."
            ) from None

    @cli.command()
    @click.option("--testing", is_flag=True, help="Offer the testing methods.")
    @click.option(
        "--record", type=NewFolder(), metavar="DIR", help="Record sessions into a folder."
    )
    def serve(testing: bool, record: str | None) -> None:  # noqa: FBT001 - a flag's shape in click
        """Serve an editor over LSP on standard input and output."""
        raise click.UsageError(f"serve cannot be started so ({testing=}, {record=})")

    @cli.command()
    @click.option(
        "--record", type=NewFolder(), metavar="DIR", help="Record sessions into a folder."
    )
    def acp(record: str | None) -> None:
        """Serve an editor over the Agent Client Protocol on standard input and output."""
        raise click.UsageError(f"acp cannot be started so ({record=})")

    cli.add_command(_run_command(run_prompt))
    cli.add_command(sessions_group(sessions, Path.cwd))
    cli.add_command(permissions_group(lambda: permissions(Path.cwd())))
    for group in definition_groups(definitions, Path.cwd):
        cli.add_command(group)
    cli.add_command(settings_group())

    @cli.command("doctor")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    @click.option("--connect", is_flag=True, help="Ask the model for a word, too.")
    def doctor_command(as_json: bool, connect: bool) -> None:  # noqa: FBT001
        """Check what Pilotfish needs and say what is missing."""
        sys.exit(doctor(as_json, connect))

    cli.add_command(_replay_command(replay))
    _ = serve, acp, doctor_command
    return cli


def _replay_command(replay: Callable[[ReplayOptions], int]) -> click.Command:
    @click.command("replay")
    @click.argument("folder", type=click.Path(exists=True, path_type=Path))
    @click.option(
        "--rules-file",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="A settings file whose rules stand in the place of the recorded ones.",
    )
    @click.option(
        "--current-rules", is_flag=True, help="Judge by the rules in force in this folder."
    )
    def replay_command(folder: Path, rules_file: Path | None, *, current_rules: bool) -> None:
        """Play recordings again, without a model and without effects; exit 1 if anything differs.

        FOLDER may be one recording. Permission decisions are made again, by the rules that held then
        unless an option says otherwise, and each that differs is named.
        """
        if rules_file is not None and current_rules:
            raise click.UsageError("Give --rules-file or --current-rules, not both.")
        options = ReplayOptions(
            folder=folder,
            cwd=Path.cwd(),
            rules_file=rules_file,
            current_rules=current_rules,
        )
        sys.exit(replay(options))

    return replay_command


def _earlier_session_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that name a session to go on with."""
    resume = click.option(
        "--resume",
        type=Text(),
        metavar="[ID]",
        is_flag=False,
        flag_value=CHOOSE,
        help="Go on with a session, or a transcript (.jsonl); without an ID, at the end of the line, "
        "choose from a list.",
    )
    latest = click.option(
        "--continue", "resume_latest", is_flag=True, help="Go on with the latest session."
    )
    return resume(latest(command))


class _RunFlags(TypedDict):
    """What click hands over of the options of ``run``, but for the first two."""

    permission_mode: str | None
    allowed_tools: tuple[str, ...]
    disallowed_tools: tuple[str, ...]
    add_dir: tuple[str, ...]
    model: str | None
    max_turns: int | None
    max_budget_usd: float | None
    resume: str | None
    resume_latest: bool
    append_system_prompt: str | None
    record: str | None
    settings: str | None
    cwd: str


def _run_command(run_prompt: RunPrompt) -> click.Command:
    @click.command("run")
    @click.argument("prompt", required=False)
    @click.option(
        "--output-format",
        "output",
        type=click.Choice(["text", "json", "stream-json"]),
        default="text",
        help="What is printed: the answer, one JSON object, or one a line as things happen.",
    )
    @click.option(
        "--permission-mode",
        type=ModeType(),
        help="Default: as the settings say.",
    )
    @click.option(
        "--allowed-tools", multiple=True, type=Text(), help='Rules to allow, e.g. "Bash(npm test)".'
    )
    @click.option("--disallowed-tools", multiple=True, type=Text(), help="Rules to deny.")
    @click.option(
        "--add-dir",
        multiple=True,
        type=click.Path(exists=True, file_okay=False),
        help="Another folder that counts as part of the workspace.",
    )
    @click.option("--model", type=Text(), help="Model id or alias.")
    @click.option("--max-turns", type=click.IntRange(min=1), help="Most model calls of the turn.")
    @click.option(
        "--max-budget-usd",
        type=Amount(),
        help="The turn ends once it has cost more.",
    )
    @_earlier_session_options
    @click.option("--append-system-prompt", metavar="TEXT", help="Added to the system prompt.")
    @click.option("--record", type=NewFolder(), help="Folder for a recording.")
    @click.option(
        "--settings", type=click.Path(exists=True, dir_okay=False), help="One more settings file."
    )
    @click.option(
        "--cwd",
        type=click.Path(exists=True, file_okay=False),
        default=".",
        help="The folder to work in; default: this one.",
    )
    def run(prompt: str | None, output: OutputFormat, **flags: Unpack[_RunFlags]) -> None:
        """Run one PROMPT (or standard input) to its end.

        On a terminal it asks; elsewhere, what would need asking is denied. Exit code: 0 done,
        1 failed, 2 usage, 3 something needed was denied, 130 interrupted.
        """
        text = prompt if prompt is not None else _read_stdin()
        if not text.strip():
            raise click.UsageError("There is no prompt: give one as an argument or on stdin.")
        sys.exit(run_prompt(_to_options(text, output, flags)))

    return run


def _to_options(prompt: str, output: OutputFormat, flags: _RunFlags) -> RunOptions:
    settings, record = flags["settings"], flags["record"]
    return RunOptions(
        prompt=prompt,
        output=output,
        cwd=Path(flags["cwd"]).resolve(),
        permission_mode=flags["permission_mode"],
        allowed_tools=flags["allowed_tools"],
        disallowed_tools=flags["disallowed_tools"],
        extra_roots=tuple(Path(each).resolve() for each in flags["add_dir"]),
        model=flags["model"],
        max_turns=flags["max_turns"],
        max_budget_usd=flags["max_budget_usd"],
        resume=flags["resume"],
        resume_latest=flags["resume_latest"],
        append_system_prompt=flags["append_system_prompt"],
        record=None if record is None else Path(record).resolve(),
        settings=None if settings is None else Path(settings).resolve(),
    )


def _read_stdin() -> str:
    if sys.stdin.isatty():
        click.echo("There is no prompt. Give one as an argument, or pipe it in.", err=True)
        sys.exit(EXIT_USAGE)
    return sys.stdin.read()
