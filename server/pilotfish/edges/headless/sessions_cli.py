"""``pilotfish sessions``: the commands and their options.

Owns: the group's shape. Does not own: what the commands do (``app.sessions``).
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol

import click

from pilotfish.edges.headless.text_option import Text

ExportFormat = Literal["jsonl", "markdown"]


class SessionCommands(Protocol):
    """What the commands do; each returns an exit code. A folder of None means all folders."""

    def list(self, cwd: Path | None, *, as_json: bool) -> int:
        """Print the sessions, the latest first."""
        ...

    def search(self, query: str, cwd: Path | None) -> int:
        """Print the sessions that say some words."""
        ...

    def show(self, session_id: str) -> int:
        """Print a session for people."""
        ...

    def export(self, session_id: str, export_format: ExportFormat) -> int:
        """Print a session's transcript as it is, or as a redacted document."""
        ...

    def rename(self, session_id: str, title: str) -> int:
        """Give a session a name."""
        ...

    def fork(self, session_id: str) -> int:
        """Copy a session and print the copy's id."""
        ...

    def delete(self, session_id: str) -> int:
        """Delete a session with all that is kept of it."""
        ...


def sessions_group(sessions: SessionCommands, present_folder: Callable[[], Path]) -> click.Group:
    """Return the group with its commands, which are about the present folder unless told otherwise."""

    @click.group("sessions")
    def group() -> None:
        """List, search, show, export, rename, copy and delete sessions."""

    everywhere = click.option("--all", "everywhere", is_flag=True, help="Of all folders.")

    @group.command("list")
    @everywhere
    @click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
    def list_command(everywhere: bool, as_json: bool) -> None:  # noqa: FBT001
        """List the sessions of this folder, the latest first."""
        sys.exit(sessions.list(None if everywhere else present_folder(), as_json=as_json))

    @group.command("search")
    @click.argument("query", type=Text())
    @everywhere
    def search_command(query: str, everywhere: bool) -> None:  # noqa: FBT001
        """List the sessions whose title, prompts or replies hold QUERY."""
        sys.exit(sessions.search(query, None if everywhere else present_folder()))

    @group.command("show")
    @click.argument("session_id", type=Text())
    def show_command(session_id: str) -> None:
        """Print a session as text."""
        sys.exit(sessions.show(session_id))

    @group.command("export")
    @click.argument("session_id", type=Text())
    @click.option(
        "--format",
        "export_format",
        type=click.Choice(["jsonl", "markdown"]),
        default="jsonl",
        help="The transcript as it is, one JSON object a line; or a document without secrets.",
    )
    def export_command(session_id: str, export_format: ExportFormat) -> None:
        """Print a session, to be kept in a file."""
        sys.exit(sessions.export(session_id, export_format))

    _ = list_command, search_command, show_command, export_command
    _add_changes(group, sessions)
    return group


def _add_changes(group: click.Group, sessions: SessionCommands) -> None:
    """Add the commands that change something."""

    @group.command("rename")
    @click.argument("session_id", type=Text())
    @click.argument("title", type=Text())
    def rename_command(session_id: str, title: str) -> None:
        """Give a session a name."""
        sys.exit(sessions.rename(session_id, title))

    @group.command("fork")
    @click.argument("session_id", type=Text())
    def fork_command(session_id: str) -> None:
        """Copy a session and print the copy's id."""
        sys.exit(sessions.fork(session_id))

    @group.command("delete")
    @click.argument("session_id", type=Text())
    def delete_command(session_id: str) -> None:
        """Delete a session with all that is kept of it."""
        sys.exit(sessions.delete(session_id))

    _ = rename_command, fork_command, delete_command
