"""``pilotfish agents``: the commands and their options.

Owns: the group's shape. Does not own: what the commands do (``app.agents``).
"""

import sys
from collections.abc import Callable
from pathlib import Path

import click

ListAgents = Callable[[Path, bool], int]
"""Prints the kinds of agents of a folder, as JSON or not; returns an exit code."""


def agents_group(list_agents: ListAgents, present_folder: Callable[[], Path]) -> click.Group:
    """Return the group with its commands, which are about the present folder."""

    @click.group("agents")
    def group() -> None:
        """See which agents may be started, and what is wrong with their files."""

    @group.command("list")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    def list_command(as_json: bool) -> None:  # noqa: FBT001 - a flag's shape in click
        """List the kinds of agents of this folder. Exit code 1: a file cannot be used."""
        sys.exit(list_agents(present_folder(), as_json))

    _ = list_command
    return group
