"""The texts before and after each write of a session.

Owns: the content-addressed store and the list of checkpoints, both in the session's folder.
Does not own: writing files back (``workspace.edit_pipeline``), choosing what to rewind (session).
See also: design 06 §6.

Layout: ``blobs/<hash>`` holds a content once, however often it occurs; ``checkpoints.jsonl`` has one
line per write, in order, and a ``void`` line for a write that was announced and did not happen. The
content before of a path's oldest checkpoint in a turn is what rewinding to before that turn needs;
before and after of each one are what review and blame need.
"""

import asyncio
import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias, cast

from pilotfish.core.ids import (
    AgentId,
    CheckpointId,
    SessionId,
    ToolUseId,
    TurnId,
    new_checkpoint_id,
)
from pilotfish.ports.clock import ClockPort

MAX_TURNS = 100
"""Turns whose checkpoints are kept (design 06 §6); the oldest turn goes first."""

_LIST_NAME = "checkpoints.jsonl"


@dataclass(frozen=True, kw_only=True, slots=True)
class WriteOrigin:
    """Who writes: session, turn, agent and call."""

    session_id: SessionId
    turn_id: TurnId
    agent_id: AgentId
    tool_use_id: ToolUseId


@dataclass(frozen=True, kw_only=True, slots=True)
class Checkpoint:
    """One write."""

    id: CheckpointId
    origin: WriteOrigin
    path: Path
    """The real file."""
    before: str | None
    """Hash of the bytes before; None when the file did not exist."""
    after: str | None
    """Hash of the bytes that were written; None when the file was deleted."""
    mode: int | None
    """Permission bits before; None when the file did not exist."""
    time_ms: int
    """Wall clock."""


_Line: TypeAlias = dict[str, Any]


class FileHistory:
    """A session's file history. Nothing is on disk before the first write."""

    def __init__(self, folder: Path, clock: ClockPort) -> None:
        self._folder = folder
        self._clock = clock
        self._checkpoints: dict[CheckpointId, Checkpoint] | None = None
        self._lock = asyncio.Lock()

    async def add(
        self,
        origin: WriteOrigin,
        path: Path,
        *,
        before: bytes | None,
        after: bytes | None,
        mode: int | None,
    ) -> Checkpoint:
        """Keep both contents of a write that is about to happen.

        Raises:
            OSError: The history cannot be written; the caller must not write the file then.
        """
        async with self._lock:
            checkpoints = await self._loaded()
            checkpoint = Checkpoint(
                id=new_checkpoint_id(),
                origin=origin,
                path=path,
                before=None if before is None else hash_bytes(before),
                after=None if after is None else hash_bytes(after),
                mode=mode,
                time_ms=self._clock.now_ms(),
            )
            contents = [content for content in (before, after) if content is not None]
            await asyncio.to_thread(self._store, checkpoint, contents)
            checkpoints[checkpoint.id] = checkpoint
            await self._prune(checkpoints)
            return checkpoint

    async def void(self, checkpoint: Checkpoint) -> None:
        """Take back a checkpoint whose write did not happen."""
        async with self._lock:
            (await self._loaded()).pop(checkpoint.id, None)
            await asyncio.to_thread(self._append, {"void": checkpoint.id})

    async def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Return the writes of the session, oldest first."""
        async with self._lock:
            return tuple((await self._loaded()).values())

    async def get(self, checkpoint_id: CheckpointId) -> Checkpoint | None:
        """Return one checkpoint; None when it is unknown or was dropped."""
        async with self._lock:
            return (await self._loaded()).get(checkpoint_id)

    async def content(self, content_hash: str) -> bytes:
        """Return a stored content.

        Raises:
            OSError: It is not in the store.
        """
        return await asyncio.to_thread((self._folder / "blobs" / content_hash).read_bytes)

    async def _loaded(self) -> dict[CheckpointId, Checkpoint]:
        if self._checkpoints is None:
            self._checkpoints = await asyncio.to_thread(_load_list, self._folder / _LIST_NAME)
        return self._checkpoints

    def _store(self, checkpoint: Checkpoint, contents: Iterable[bytes]) -> None:
        blobs = self._folder / "blobs"
        blobs.mkdir(parents=True, exist_ok=True, mode=0o700)
        for content in contents:
            blob = blobs / hash_bytes(content)
            if not blob.exists():
                temporary = blob.with_suffix(f".{checkpoint.id}")
                temporary.write_bytes(content)
                temporary.replace(blob)
        self._append(_to_line(checkpoint))

    def _append(self, line: _Line) -> None:
        path = self._folder / _LIST_NAME
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "r+b", buffering=0) as file:
            # A line that a crash tore must not swallow this one.
            size = file.seek(0, os.SEEK_END)
            torn = b""
            if size:
                file.seek(size - 1)
                torn = b"" if file.read(1) == b"\n" else b"\n"
            file.write(torn + json.dumps(line).encode() + b"\n")

    async def _prune(self, checkpoints: dict[CheckpointId, Checkpoint]) -> None:
        turns = list(dict.fromkeys(each.origin.turn_id for each in checkpoints.values()))
        if len(turns) <= MAX_TURNS:
            return
        kept_turns = set(turns[-MAX_TURNS:])
        for each in [one for one in checkpoints.values() if one.origin.turn_id not in kept_turns]:
            del checkpoints[each.id]
        await asyncio.to_thread(_rewrite, self._folder, tuple(checkpoints.values()))


def hash_bytes(content: bytes) -> str:
    """Return the name under which a content is stored."""
    return hashlib.blake2b(content, digest_size=20).hexdigest()


def _rewrite(folder: Path, checkpoints: tuple[Checkpoint, ...]) -> None:
    """Write the list anew and remove contents that nothing names any more."""
    lines = [json.dumps(_to_line(each)) for each in checkpoints]
    temporary = folder / (_LIST_NAME + ".tmp")
    temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
    temporary.replace(folder / _LIST_NAME)
    named = {each.before for each in checkpoints} | {each.after for each in checkpoints}
    for blob in (folder / "blobs").iterdir():
        if blob.name not in named:
            blob.unlink(missing_ok=True)


def _to_line(checkpoint: Checkpoint) -> _Line:
    return {**asdict(checkpoint), "path": os.fsdecode(checkpoint.path)}


def _load_list(path: Path) -> dict[CheckpointId, Checkpoint]:
    checkpoints: dict[CheckpointId, Checkpoint] = {}
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return checkpoints
    for line in text.split("\n"):
        try:
            loaded: object = json.loads(line)
            if not isinstance(loaded, dict):
                continue
            fields = cast("_Line", loaded)
            if "void" in fields:
                checkpoints.pop(CheckpointId(str(fields["void"])), None)
                continue
            checkpoint = _from_line(fields)
        except (ValueError, KeyError, TypeError):
            continue  # torn by a crash, or not ours: the others still count
        checkpoints[checkpoint.id] = checkpoint
    return checkpoints


def _from_line(fields: _Line) -> Checkpoint:
    rest = {key: value for key, value in fields.items() if key not in {"origin", "path"}}
    return Checkpoint(**rest, origin=WriteOrigin(**fields["origin"]), path=Path(fields["path"]))
