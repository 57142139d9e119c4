"""``pilotfish sessions``: what is kept of past sessions."""

import asyncio
import os
import shutil
import sys
from datetime import UTC, datetime
from pathlib import Path

from pilotfish.config.home import state_folder
from pilotfish.core.ids import SessionId
from pilotfish.edges.headless.cli import SessionCommands
from pilotfish.edges.headless.options import EXIT_DONE, EXIT_FAILED
from pilotfish.edges.headless.printers import TextPrinter
from pilotfish.session.transcript_reader import read_records
from pilotfish.session.transcript_store import TranscriptStore
from pilotfish.util.visible import visible


def list_sessions(cwd: Path | None) -> int:
    """Print the sessions of a folder, or of all, the latest first; returns the exit code."""
    found = asyncio.run(_store().list_sessions(cwd))
    if not found:
        sys.stderr.write("No sessions yet.\n")
    for summary in found:
        when = datetime.fromtimestamp(summary.updated_ms / 1000, UTC).astimezone()
        folder = "" if cwd is not None else f"  {summary.cwd}"
        line = f"{summary.session_id}  {when:%Y-%m-%d %H:%M}  {summary.title}{folder}"
        sys.stdout.write(visible(line).replace("\n", " ") + "\n")
    return EXIT_DONE


def show_session(session_id: str) -> int:
    """Print a session for people; returns the exit code."""
    return asyncio.run(_show(SessionId(session_id)))


def export_session(session_id: str) -> int:
    """Copy a session's transcript to standard output; returns the exit code."""
    path = asyncio.run(_store().find(SessionId(session_id)))
    if path is None:
        return _missing(session_id)
    with path.open("rb") as file:
        shutil.copyfileobj(file, sys.stdout.buffer)
    return EXIT_DONE


async def _show(session_id: SessionId) -> int:
    store = _store()
    path = await store.find(session_id)
    if path is None:
        return _missing(session_id)
    printer = TextPrinter(sys.stdout, sys.stderr, replay=True)
    for record in read_records(path):
        printer.hear(record)
    return EXIT_DONE


def _store() -> TranscriptStore:
    return TranscriptStore(state_folder(os.environ))


def _missing(session_id: str) -> int:
    sys.stderr.write(f"There is no session {session_id}. List them: pilotfish sessions list\n")
    return EXIT_FAILED


SESSION_COMMANDS = SessionCommands(list=list_sessions, show=show_session, export=export_session)
