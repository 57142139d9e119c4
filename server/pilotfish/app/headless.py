"""``pilotfish run`` and the other commands of the shell."""

import asyncio
import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import cast

from pilotfish.app.agents import list_agents
from pilotfish.app.doctor import doctor
from pilotfish.app.engine import EngineOptions, build_engine
from pilotfish.app.environment import take_environment
from pilotfish.app.permissions import PermissionTools
from pilotfish.app.replay import replay_folder
from pilotfish.app.sessions import StoredSessions
from pilotfish.core.errors import PilotfishError
from pilotfish.edges.headless.cli import build_cli
from pilotfish.edges.headless.options import EXIT_FAILED, EXIT_INTERRUPTED, RunOptions
from pilotfish.edges.headless.printers import choose_printer
from pilotfish.edges.headless.run import Run
from pilotfish.edges.headless.terminal import TerminalAsker
from pilotfish.util.visible import visible


def main_command() -> None:
    """Run the command line; exits."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal in another encoding, or a file name that is no text, must not end a run.
        cast("TextIOWrapper", stream).reconfigure(errors="backslashreplace")
    build_cli(
        run_prompt, StoredSessions(), _permission_commands, _list_agents, doctor, replay_folder
    )()


def _list_agents(cwd: Path, as_json: bool) -> int:  # noqa: FBT001 - a flag's shape in click
    return list_agents(cwd, os.environ, as_json=as_json)


def _permission_commands(cwd: Path) -> PermissionTools:
    return PermissionTools(cwd, os.environ)


def run_prompt(options: RunOptions) -> int:
    """Run a prompt to its exit code."""
    try:
        code = asyncio.run(_run(options))
    except PilotfishError as error:
        sys.stderr.write(f"{visible(str(error))}\n")
        code = EXIT_FAILED
    except BrokenPipeError:
        code = EXIT_FAILED
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    for stream in (sys.stdout, sys.stderr):
        with suppress(BrokenPipeError):
            stream.flush()
    # Leaving the interpreter takes a third of a second with the SDK loaded, and everything is closed.
    os._exit(code)


async def _run(options: RunOptions) -> int:
    manager, equipper = build_engine(
        EngineOptions(
            environment=take_environment(), settings_file=options.settings, record=options.record
        )
    )
    equipper.warm_up()
    interactive = sys.stdin.isatty() and sys.stdout.isatty() and options.output == "text"
    asker = TerminalAsker(sys.stdin, sys.stdout) if interactive else None
    try:
        return await Run(manager, options, choose_printer(options.output), asker).execute()
    finally:
        await manager.suspend_all()
