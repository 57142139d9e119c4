"""``pilotfish trust``: the command and its options.

Owns: that a person is asked, on a terminal that no agent has started.
Does not own: the list (``app.trust``), that an agent's command of this kind asks (``permissions``).

Neither is a wall: a program that hides what it starts can do all that its user can.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import click

from pilotfish.edges.headless.text_option import Text
from pilotfish.util.visible import visible

SetTrust = Callable[[Path, bool], int]
"""Puts a folder on the list of trusted ones, or takes it off; returns an exit code."""


def trust_command(set_trust: SetTrust, is_agents: Callable[[], bool]) -> click.Command:
    """Return the command; ``is_agents`` tells whether an agent has started this process."""

    @click.command("trust")
    @click.argument("folder", type=Text(), default=".")
    @click.option("--forget", is_flag=True, help="Do not trust it any longer.")
    def command(folder: str, *, forget: bool) -> None:
        """Vouch for FOLDER (default: this one), outside VS Code.

        Its language servers may then be started, and what its own settings allow counts. VS Code asks
        by itself, with Workspace Trust.
        """
        if not forget:
            _ask(Path(folder), is_agents)
        # A folder that is gone can be forgotten, too.
        sys.exit(set_trust(Path(folder).resolve(), not forget))

    return command


def _ask(folder: Path, is_agents: Callable[[], bool]) -> None:
    if not folder.is_dir():
        raise click.BadParameter(
            f"there is no folder {visible(str(folder))}.", param_hint="'[FOLDER]'"
        )
    if is_agents():
        raise click.ClickException(
            "An agent started this. Only a person can vouch for a folder, on a terminal of their own."
        )
    if not sys.stdin.isatty():
        raise click.ClickException("This is asked on a terminal only.")
    click.confirm(f"Do you trust what is in {visible(str(folder.resolve()))}?", abort=True)
