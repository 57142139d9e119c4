"""``pilotfish sessions``: what is kept of past sessions."""

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Coroutine
from datetime import UTC, datetime
from pathlib import Path

from pilotfish.app.secrets import redactor_of
from pilotfish.config.home import state_folder
from pilotfish.core.errors import PilotfishError
from pilotfish.core.ids import SessionId, new_session_id
from pilotfish.edges.headless.options import EXIT_DONE, EXIT_FAILED
from pilotfish.edges.headless.printers import TextPrinter
from pilotfish.edges.headless.sessions_cli import ExportFormat
from pilotfish.session.session_document import document_of
from pilotfish.session.session_list import SessionSummary
from pilotfish.session.transcript_reader import Reading, read_records
from pilotfish.session.transcript_store import TranscriptStore
from pilotfish.util.clock import SystemClock
from pilotfish.util.visible import visible


class StoredSessions:
    """Implements ``edges.headless.sessions_cli.SessionCommands``."""

    def __init__(self) -> None:
        self._store = TranscriptStore(state_folder(os.environ))

    def list(self, cwd: Path | None, *, as_json: bool) -> int:
        """Print the sessions of a folder, or of all, the latest first."""
        found = asyncio.run(self._store.list_sessions(cwd))
        if not found:
            sys.stderr.write("No sessions yet.\n")
        for summary in found:
            _print(_as_json(summary) if as_json else _as_line(summary, everywhere=cwd is None))
        return EXIT_DONE

    def search(self, query: str, cwd: Path | None) -> int:
        """Print the sessions that say some words, the latest first."""
        result = asyncio.run(self._store.search(query, cwd))
        for one in result.found:
            _print(_as_line(one.summary, everywhere=cwd is None))
            if one.snippet:
                _print(f"    {one.snippet}")
        if not result.complete:
            sys.stderr.write("There may be more: the search was ended early.\n")
        return EXIT_DONE if result.found else EXIT_FAILED

    def show(self, session_id: str) -> int:
        """Print a session for people."""
        path = self._find(session_id)
        if path is None:
            return _missing(session_id)
        printer = TextPrinter(sys.stdout, sys.stderr, replay=True)
        reading = Reading()
        for record in read_records(path, reading):
            printer.hear(record)
        if reading.problem():
            sys.stderr.write(f"Warning: {reading.problem()}\n")
        return EXIT_DONE

    def export(self, session_id: str, export_format: ExportFormat) -> int:
        """Print a session's transcript as it is, or as a document without secrets."""
        path = self._find(session_id)
        if path is None:
            return _missing(session_id)
        if export_format == "jsonl":
            with path.open("rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer)
            return EXIT_DONE
        for piece in document_of(path, redactor_of(os.environ)):
            sys.stdout.write(piece)
        return EXIT_DONE

    def rename(self, session_id: str, title: str) -> int:
        """Give a session a name."""
        name = " ".join(title.split())
        if not name:
            sys.stderr.write("The name is empty.\n")
            return EXIT_FAILED
        now_ms = SystemClock().now_ms()
        return _run(self._store.rename(SessionId(session_id), name, now_ms))

    def fork(self, session_id: str) -> int:
        """Copy a session and print the copy's id."""
        copy_id = new_session_id()
        code = _run(self._store.fork(SessionId(session_id), copy_id))
        if code == EXIT_DONE:
            _print(copy_id)
        return code

    def delete(self, session_id: str) -> int:
        """Delete a session with all that is kept of it."""
        if self._find(session_id) is None:
            return _missing(session_id)
        return _run(self._store.delete(SessionId(session_id)))

    def _find(self, session_id: str) -> Path | None:
        return asyncio.run(self._store.find(SessionId(session_id)))


def _run(work: Coroutine[object, object, object]) -> int:
    try:
        asyncio.run(work)
    except PilotfishError as error:
        sys.stderr.write(f"{visible(str(error))}\n")
        return EXIT_FAILED
    return EXIT_DONE


def _as_line(summary: SessionSummary, *, everywhere: bool) -> str:
    when = datetime.fromtimestamp(summary.updated_ms / 1000, UTC).astimezone()
    folder = f"  {summary.cwd}" if everywhere else ""
    return f"{summary.session_id}  {when:%Y-%m-%d %H:%M}  {summary.title}{folder}"


def _as_json(summary: SessionSummary) -> str:
    when = datetime.fromtimestamp(summary.updated_ms / 1000, UTC)
    return json.dumps(
        {
            "session_id": summary.session_id,
            "cwd": summary.cwd,
            "title": summary.title,
            "updated_at": when.isoformat(),
            "size_bytes": summary.size_bytes,
        }
    )


def _print(line: str) -> None:
    sys.stdout.write(visible(line).replace("\n", " ") + "\n")


def _missing(session_id: str) -> int:
    sys.stderr.write(f"There is no session {session_id}. List them: pilotfish sessions list\n")
    return EXIT_FAILED
