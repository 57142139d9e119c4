"""``pilotfish settings``: what there is to set.

Owns: the commands. Does not own: the schema (``config.json_schema``).
"""

import json

import click

from pilotfish.config.json_schema import settings_schema


def settings_group() -> click.Group:
    """Return the group with its commands."""

    @click.group("settings")
    def group() -> None:
        """See what settings files may hold."""

    @group.command("schema")
    def schema_command() -> None:
        """Print the JSON schema of settings files, for editors that check JSON by one."""
        click.echo(json.dumps(settings_schema(), indent=2, ensure_ascii=False))

    _ = schema_command
    return group
