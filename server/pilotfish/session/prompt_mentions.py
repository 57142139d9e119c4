"""What a prompt points at, as the model is told it.

Owns: reading files, lines, folders and changes that are mentioned, how much of each is told, refusing
what a rule hides.
Does not own: the rules (``permissions``), what the client embeds itself (``edges.content``).

A mention is the user's wish that the model sees something. It loosens no rule: what is denied is
refused, and of what would be asked about only the name is told, so that reading it asks.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from pathlib import Path

from pilotfish.codeintel.servers.shapes import from_uri
from pilotfish.core.errors import PilotfishError, SessionError, WorkspaceError
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.mentions import CHANGES_URI, Mention
from pilotfish.core.permission import PermissionDecision
from pilotfish.session.git_changes import GitChanges
from pilotfish.session.services import Services
from pilotfish.tooling.context import ToolContext
from pilotfish.util.fenced import fenced
from pilotfish.util.records import dataclass
from pilotfish.workspace.search import FileQuery
from pilotfish.workspace.text_file import NotTextError, head_of_text

MAX_CHARS = 40_000
"""Text of one mention that is told; about 10,000 tokens."""

MAX_TOTAL_CHARS = 160_000
"""Text of all mentions of a prompt; of those beyond it, the names are told."""

MAX_READ_BYTES = 4_000_000
"""How far into a file lines are looked for. The index holds no larger files."""

MAX_LISTED = 200
"""Files of a folder that are named."""

_LINES = re.compile(r"L(\d{1,9})(?:-L?(\d{1,9}))?")

Judge = Callable[[str, JsonObject], Awaitable[PermissionDecision]]
"""Returns what would be decided about a call."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Place:
    """What a URI of a file says."""

    path: Path
    lines: tuple[int, int] | None
    """First and last line, from 1; None for all."""


class MentionReader:
    """Reads what the prompts of one session point at."""

    def __init__(
        self, context: Callable[[], ToolContext], judge: Judge, services: Services
    ) -> None:
        """Set it up.

        Args:
            context: Returns the session's folders, editor and search.
            judge: Says whether a file may be read, or a folder be listed.
            services: What all sessions share; among it git.
        """
        self._context = context
        self._judge = judge
        self.changes = GitChanges(
            services.git, lambda paths: context().hidden_files(paths), services.redactor
        )
        """Reads what is not committed."""

    async def read(self, mentions: Sequence[Mention]) -> list[str]:
        """Return a note for each mention that the client has not embedded.

        Raises:
            SessionError: A rule hides one of them; names it and the way out.
        """
        notes: list[str] = []
        room = MAX_TOTAL_CHARS
        for mention in dict.fromkeys(mentions):
            if mention.embedded:
                continue
            note = await self._note(mention, min(room, MAX_CHARS))
            room = max(0, room - len(note))
            notes.append(note)
        return notes

    async def _note(self, mention: Mention, room: int) -> str:
        if mention.uri == CHANGES_URI:
            return await self._uncommitted(mention, room)
        place = _place_of(mention.uri)
        if place is None:
            return f"@{mention.name} stands for {mention.uri}."
        if await asyncio.to_thread(place.path.is_dir):
            return await self._folder(mention, place.path)
        return await self._file(mention, place, room)

    async def _uncommitted(self, mention: Mention, room: int) -> str:
        try:
            text = await self.changes.uncommitted(self._context().cwd, room)
        except PilotfishError as error:
            raise SessionError(
                f"@{mention.name} cannot be read: {error.message}",
                hint=error.hint or "Remove it from the message.",
            ) from error
        if not text:
            return f"@{mention.name}: everything is committed."
        return f"@{mention.name}: what is not committed.\n{fenced(text[:room])}"

    async def _folder(self, mention: Mention, folder: Path) -> str:
        told = f"@{mention.name} is the folder {folder}"
        if not await self._may("Glob", {"pattern": "**/*", "path": str(folder)}, mention, folder):
            return f"{told}."
        context = self._context()
        try:
            found = await context.search.files(FileQuery(folder=folder, respect_ignore=True))
        except WorkspaceError as error:
            return f"{told}. It cannot be listed: {error.message}"
        hidden = await asyncio.to_thread(context.hidden_files, found.files)
        names = sorted(
            path.relative_to(folder).as_posix() for path in found.files if path not in hidden
        )
        if not names:
            return f"{told}. It holds no files that count."
        more = len(names) - MAX_LISTED
        end = f"\n({more:,} more; Glob finds them)" if more > 0 else ""
        listed = "\n".join(names[:MAX_LISTED])
        return f"{told}. Files below it, without ignored ones:\n{fenced(listed)}{end}"

    async def _file(self, mention: Mention, place: _Place, room: int) -> str:
        path = place.path
        told = f"@{mention.name} is {path}"
        if not await self._may("Read", {"file_path": str(path)}, mention, path) or not room:
            return f"{told}."
        opened = self._context().editor.document(path)
        try:
            text, whole = (
                (opened.text, True)
                if opened is not None
                else await asyncio.to_thread(head_of_text, path, MAX_READ_BYTES)
            )
        except FileNotFoundError:
            return f"{told}. There is no such file any more."
        except NotTextError:
            return f"{told}. It is no text; Read may be able to show it."
        except WorkspaceError as error:
            return f"{told}. {error.message}"
        return _quoted(told, text, place.lines, room, is_whole=whole)

    async def _may(self, tool: str, given: JsonObject, mention: Mention, path: Path) -> bool:
        """Tell whether something may be read without a question.

        Raises:
            SessionError: It is denied.
        """
        decision = await self._judge(tool, given)
        hidden = await asyncio.to_thread(self._context().hidden_files, [path])
        if decision.behavior == "deny" or hidden:
            reason = decision.reason if decision.behavior == "deny" else "A deny rule hides it."
            raise SessionError(
                f"@{mention.name} was not sent: {path} may not be read. {reason}",
                hint="Remove it from the message, or change the rule.",
            )
        return decision.behavior == "allow"


def _place_of(uri: str) -> _Place | None:
    """Return what a URI of a file says; None for any other."""
    path = from_uri(uri)
    if path is None:
        return None
    found = _LINES.fullmatch(uri.partition("#")[2])
    if found is None:
        return _Place(path=path, lines=None)
    first = max(1, int(found[1]))
    return _Place(path=path, lines=(first, max(first, int(found[2] or first))))


def _quoted(
    told: str, text: str, lines: tuple[int, int] | None, room: int, *, is_whole: bool
) -> str:
    """Return lines of a text, as many as there is room for, and which they are."""
    first, last = lines or (1, None)
    wanted = "".join(islice(text.splitlines(keepends=True), first - 1, last))
    if not wanted.strip():
        where = f" has nothing in lines {first} to {last}" if lines else " is empty"
        return f"{told}, which{where}."
    shown = wanted[:room]
    if len(shown) < len(wanted) and "\n" in shown:
        shown = shown[: shown.rfind("\n") + 1]
    end = first + max(shown.count("\n") - shown.endswith("\n"), 0)
    if len(shown) == len(wanted) and lines is None and is_whole:
        return f"{told}:\n{fenced(shown)}"
    cut = len(shown) < len(wanted) or (lines is None and not is_whole)
    rest = "\nOnly the beginning is shown here; Read has the rest." if cut else ""
    return f"{told}, lines {first} to {end}:\n{fenced(shown)}{rest}"
