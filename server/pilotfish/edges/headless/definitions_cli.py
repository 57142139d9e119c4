"""``pilotfish agents`` and ``pilotfish skills``: the commands and their options.

Owns: the groups' shape. Does not own: what the commands do (``app.agents``, ``app.skills``).
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import click

ListDefinitions = Callable[[Path, bool], int]
"""Prints what is defined for a folder, as JSON or not; returns an exit code."""


class DefinitionLists(NamedTuple):
    """What prints each kind of definitions."""

    agents: ListDefinitions
    skills: ListDefinitions


def definition_groups(
    lists: DefinitionLists, present_folder: Callable[[], Path]
) -> Iterator[click.Group]:
    """Yield the groups with their commands, which are about the present folder."""
    yield _group(
        "agents",
        "See which agents may be started, and what is wrong with their files.",
        lists.agents,
        present_folder,
    )
    yield _group(
        "skills",
        "See which skills there are, and what is wrong with their files.",
        lists.skills,
        present_folder,
    )


def _group(
    name: str, text: str, list_all: ListDefinitions, present_folder: Callable[[], Path]
) -> click.Group:
    group = click.Group(name, help=text)

    @group.command(
        "list", help=f"List the {name} of this folder. Exit code 1: a file cannot be used."
    )
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    def list_command(as_json: bool) -> None:  # noqa: FBT001 - a flag's shape in click
        sys.exit(list_all(present_folder(), as_json))

    _ = list_command
    return group
