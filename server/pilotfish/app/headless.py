"""``pilotfish run`` and the other commands of the shell."""

import asyncio
import os
import sys

from pilotfish.app.doctor import doctor
from pilotfish.app.engine import EngineOptions, build_engine
from pilotfish.app.sessions import SESSION_COMMANDS
from pilotfish.core.errors import PilotfishError
from pilotfish.edges.headless.cli import build_cli
from pilotfish.edges.headless.options import EXIT_FAILED, EXIT_INTERRUPTED, RunOptions
from pilotfish.edges.headless.printers import choose_printer
from pilotfish.edges.headless.run import Run
from pilotfish.edges.headless.terminal import TerminalAsker


def main_command() -> None:
    """Run the command line; exits."""
    build_cli(run_prompt, SESSION_COMMANDS, doctor)()


def run_prompt(options: RunOptions) -> int:
    """Run a prompt to its exit code."""
    try:
        code = asyncio.run(_run(options))
    except PilotfishError as error:
        sys.stderr.write(f"{error}\n")
        code = EXIT_FAILED
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    sys.stdout.flush()
    sys.stderr.flush()
    # Leaving the interpreter takes a third of a second with the SDK loaded, and everything is closed.
    os._exit(code)


async def _run(options: RunOptions) -> int:
    manager, equipper = build_engine(
        EngineOptions(environment=dict(os.environ), settings_file=options.settings)
    )
    equipper.warm_up()
    interactive = sys.stdin.isatty() and sys.stdout.isatty() and options.output == "text"
    asker = TerminalAsker(sys.stdin, sys.stdout) if interactive else None
    try:
        return await Run(manager, options, choose_printer(options.output), asker).execute()
    finally:
        await manager.suspend_all()
