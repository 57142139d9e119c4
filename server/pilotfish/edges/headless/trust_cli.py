"""``pilotfish trust``: the command and its options.

Owns: that a person is asked; the command must not be a way around the questions of an agent.
Does not own: the list (``app.trust``).
"""

import sys
from collections.abc import Callable
from pathlib import Path

import click

SetTrust = Callable[[Path, bool], int]
"""Puts a folder on the list of trusted ones, or takes it off; returns an exit code."""


def trust_command(set_trust: SetTrust) -> click.Command:
    """Return the command."""

    @click.command("trust")
    @click.argument(
        "folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default="."
    )
    @click.option("--forget", is_flag=True, help="Do not trust it any longer.")
    def command(folder: Path, *, forget: bool) -> None:
        """Vouch for FOLDER (default: this one), outside VS Code.

        Its language servers may then be started, and what its own settings allow counts. VS Code asks
        by itself, with Workspace Trust.
        """
        place = folder.resolve()
        if not forget:
            if not sys.stdin.isatty():
                raise click.ClickException("This is asked on a terminal only.")
            click.confirm(f"Do you trust what is in {place}?", abort=True)
        sys.exit(set_trust(place, not forget))

    return command
