"""``pilotfish run`` and the other commands of the shell.

What only one of the other commands, or few runs, need is imported there: ``run`` starts without it.
"""

import asyncio
import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pilotfish.app.engine import EngineOptions, build_engine
from pilotfish.app.environment import take_environment
from pilotfish.app.sessions import StoredSessions
from pilotfish.core.errors import PilotfishError
from pilotfish.edges.headless.cli import build_cli
from pilotfish.edges.headless.definitions_cli import DefinitionLists
from pilotfish.edges.headless.options import (
    EXIT_FAILED,
    EXIT_INTERRUPTED,
    ReplayOptions,
    RunOptions,
)
from pilotfish.edges.headless.printers import Printer, TextPrinter
from pilotfish.edges.headless.run import Run
from pilotfish.edges.headless.trust_cli import trust_command
from pilotfish.util.visible import visible

if TYPE_CHECKING:
    from pilotfish.app.permissions import PermissionTools
    from pilotfish.edges.headless.terminal import TerminalAsker


def main_command() -> None:
    """Run the command line; exits."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal in another encoding, or a file name that is no text, must not end a run.
        cast("TextIOWrapper", stream).reconfigure(errors="backslashreplace")
    cli = build_cli(
        run_prompt,
        StoredSessions(),
        _permission_commands,
        DefinitionLists(_list_agents, _list_skills),
        _doctor,
        _replay,
    )
    cli.add_command(trust_command(_set_trust, _is_agents))
    cli()


def _list_agents(cwd: Path, as_json: bool) -> int:  # noqa: FBT001 - a flag's shape in click
    from pilotfish.app.agents import list_agents  # noqa: PLC0415 - see above

    return list_agents(cwd, os.environ, as_json=as_json)


def _list_skills(cwd: Path, as_json: bool) -> int:  # noqa: FBT001 - a flag's shape in click
    from pilotfish.app.skills import list_skills  # noqa: PLC0415 - see above

    return list_skills(cwd, os.environ, as_json=as_json)


def _doctor(as_json: bool, connect: bool) -> int:  # noqa: FBT001 - a flag's shape in click
    from pilotfish.app.doctor import doctor  # noqa: PLC0415 - see above

    return doctor(as_json, connect)


def _replay(options: ReplayOptions) -> int:
    from pilotfish.app.replay import replay_folder  # noqa: PLC0415 - see above

    return replay_folder(options, os.environ)


def _is_agents() -> bool:
    from pilotfish.workspace.marks import MARK_NAME  # noqa: PLC0415 - see above

    return MARK_NAME in os.environ


def _set_trust(folder: Path, trusted: bool) -> int:  # noqa: FBT001 - as the command has it
    from pilotfish.app.trust import set_trust  # noqa: PLC0415 - see above

    return set_trust(folder, os.environ, trusted=trusted)


def _permission_commands(cwd: Path) -> "PermissionTools":
    from pilotfish.app.permissions import PermissionTools  # noqa: PLC0415 - see above

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
    try:
        await equipper.load_model()
        printer, asker = _printer_for(options), _asker_for(options)
        return await Run(manager, options, printer, asker).execute()
    finally:
        await manager.suspend_all()


def _printer_for(options: RunOptions) -> Printer:
    if options.output == "text":
        return TextPrinter(sys.stdout, sys.stderr, options.cwd)
    from pilotfish.edges.headless.json_printers import (  # noqa: PLC0415 - see above
        JsonPrinter,
        StreamJsonPrinter,
    )

    return JsonPrinter(sys.stdout) if options.output == "json" else StreamJsonPrinter(sys.stdout)


def _asker_for(options: RunOptions) -> "TerminalAsker | None":
    """Return who asks the user; None where nobody sits there."""
    if not (sys.stdin.isatty() and sys.stdout.isatty() and options.output == "text"):
        return None
    from pilotfish.edges.headless.terminal import TerminalAsker  # noqa: PLC0415 - see above

    return TerminalAsker(sys.stdin, sys.stdout, options.cwd)
