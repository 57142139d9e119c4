"""The texts before and after each write of a session.

Owns: the content-addressed store and the list of checkpoints, both in the session's folder.
Does not own: writing files back (``workspace.edit_pipeline``), choosing what to rewind (session).
See also: design 06 §6.

Layout: ``blobs/<hash>`` holds a content once, however often it occurs; ``checkpoints.jsonl`` has one
line per write, in order, a ``void`` line for a write that was announced and did not happen, and a
``reviewed`` line whenever a person has looked at a file's changes. The content before of a path's oldest checkpoint in a turn is what rewinding to before that turn needs;
before and after of each one are what review and blame need.
"""

import asyncio
import json
import logging
import os
import shutil
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import asdict, field
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
from pilotfish.util.records import dataclass
from pilotfish.util.whole_file import append_whole, replace_file
from pilotfish.workspace.encoded import Content, hash_content, write_content

logger = logging.getLogger(__name__)

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


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewMark:
    """How far a person has looked at the changes of a file."""

    path: Path
    baseline: str | None
    """Hash of the file without what still waited then; None when that is "no file"."""
    current: str | None
    """Hash of the file as it was then."""
    after: CheckpointId | None
    """The file's last write before; None when that is not known any more."""


@dataclass(kw_only=True)
class _State:
    """What the list says."""

    checkpoints: dict[CheckpointId, Checkpoint] = field(
        default_factory=dict[CheckpointId, Checkpoint]
    )
    marks: dict[Path, ReviewMark] = field(default_factory=dict[Path, ReviewMark])


_Line: TypeAlias = dict[str, Any]


class FileHistory:
    """A session's file history. Nothing is on disk before the first write."""

    def __init__(self, folder: Path, clock: ClockPort) -> None:
        self._folder = folder
        self._clock = clock
        self._state: _State | None = None
        self._lock = asyncio.Lock()

    async def add(
        self,
        origin: WriteOrigin,
        path: Path,
        *,
        before: Content | None,
        after: Content | None,
        mode: int | None,
    ) -> Checkpoint:
        """Keep both contents of a write that is about to happen.

        Raises:
            OSError: The history cannot be written; the caller must not write the file then.
        """
        async with self._lock:
            state = await self._loaded()
            before_hash, after_hash = await asyncio.to_thread(_hashes, before, after)
            checkpoint = Checkpoint(
                id=new_checkpoint_id(),
                origin=origin,
                path=path,
                before=before_hash,
                after=after_hash,
                mode=mode,
                time_ms=self._clock.now_ms(),
            )
            contents = {before_hash: before, after_hash: after}
            await asyncio.to_thread(self._store, contents, _to_line(checkpoint))
            state.checkpoints[checkpoint.id] = checkpoint
            await self._prune(state)
            return checkpoint

    async def void(self, checkpoint: Checkpoint) -> None:
        """Take back a checkpoint whose write did not happen; never fails.

        Whoever calls it has a failure to tell of already, which this one must not hide.
        """
        async with self._lock:
            (await self._loaded()).checkpoints.pop(checkpoint.id, None)
            try:
                await asyncio.to_thread(self._append, {"void": checkpoint.id})
            except OSError as error:
                logger.warning("%s stays in the file history: %s", checkpoint.path, error)

    async def checkpoints(self) -> tuple[Checkpoint, ...]:
        """Return the writes of the session, oldest first."""
        async with self._lock:
            return tuple((await self._loaded()).checkpoints.values())

    async def get(self, checkpoint_id: CheckpointId) -> Checkpoint | None:
        """Return one checkpoint; None when it is unknown or was dropped."""
        async with self._lock:
            return (await self._loaded()).checkpoints.get(checkpoint_id)

    async def mark_reviewed(
        self, path: Path, *, baseline: Content | None, current: Content | None
    ) -> None:
        """Keep what a person has looked at: the file now, and the same without what still waits.

        Raises:
            OSError: The history cannot be written.
        """
        async with self._lock:
            state = await self._loaded()
            written = [each.id for each in state.checkpoints.values() if each.path == path]
            baseline_hash, current_hash = await asyncio.to_thread(_hashes, baseline, current)
            mark = ReviewMark(
                path=path,
                baseline=baseline_hash,
                current=current_hash,
                after=written[-1] if written else None,
            )
            contents = {baseline_hash: baseline, current_hash: current}
            await asyncio.to_thread(self._store, contents, _mark_to_line(mark))
            state.marks[path] = mark

    async def mark_of(self, path: Path) -> ReviewMark | None:
        """Return how far a file has been looked at; None when it never was."""
        async with self._lock:
            return (await self._loaded()).marks.get(path)

    async def content(self, content_hash: str) -> bytes:
        """Return a stored content.

        Raises:
            OSError: It is not in the store.
        """
        return await asyncio.to_thread((self._folder / "blobs" / content_hash).read_bytes)

    async def _loaded(self) -> _State:
        if self._state is None:
            self._state = await asyncio.to_thread(_load_list, self._folder / _LIST_NAME)
        return self._state

    def _store(self, contents: Mapping[str | None, Content | None], line: _Line) -> None:
        blobs = self._folder / "blobs"
        blobs.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name, content in contents.items():
            if name is None or content is None or (blob := blobs / name).exists():
                continue
            temporary = blob.with_suffix(f".{new_checkpoint_id()}")
            try:
                with temporary.open("wb") as file:
                    write_content(file, content)
                temporary.replace(blob)
            except OSError:
                with suppress(OSError):
                    temporary.unlink()
                raise
        self._append(line)

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
            append_whole(file, torn + json.dumps(line).encode() + b"\n")

    async def _prune(self, state: _State) -> None:
        checkpoints = state.checkpoints
        turns = list(dict.fromkeys(each.origin.turn_id for each in checkpoints.values()))
        if len(turns) <= MAX_TURNS:
            return
        kept_turns = set(turns[-MAX_TURNS:])
        for each in [one for one in checkpoints.values() if one.origin.turn_id not in kept_turns]:
            del checkpoints[each.id]
        left = {each.path for each in checkpoints.values()}
        for path in [path for path in state.marks if path not in left]:
            del state.marks[path]
        try:
            await asyncio.to_thread(_rewrite, self._folder, state)
        except OSError as error:  # what is too old goes the next time
            logger.warning("the file history %s is not shortened: %s", self._folder, error)


def copy_history(source: Path, target: Path, turns: Collection[TurnId]) -> None:
    """Give a copy of a session the file history of its turns. Blocking.

    The contents are shared where the file system has hard links: nothing ever changes one.

    Raises:
        OSError: A file cannot be read or written.
    """
    state = _load_list(source / _LIST_NAME)
    kept = {key: each for key, each in state.checkpoints.items() if each.origin.turn_id in turns}
    if not kept:
        return
    paths = {each.path for each in kept.values()}
    marks = {path: mark for path, mark in state.marks.items() if path in paths}
    blobs = target / "blobs"
    blobs.mkdir(parents=True, exist_ok=True, mode=0o700)
    for blob in (source / "blobs").iterdir():
        try:
            os.link(blob, blobs / blob.name)
        except OSError:
            shutil.copyfile(blob, blobs / blob.name)
    _rewrite(target, _State(checkpoints=kept, marks=marks))


def _hashes(*contents: Content | None) -> list[str | None]:
    return [None if content is None else hash_content(content) for content in contents]


def _rewrite(folder: Path, state: _State) -> None:
    """Write the list anew and remove contents that nothing names any more."""
    checkpoints, marks = tuple(state.checkpoints.values()), tuple(state.marks.values())
    lines = [json.dumps(_to_line(each)) for each in checkpoints]
    lines += [json.dumps(_mark_to_line(each)) for each in marks]
    replace_file(folder / _LIST_NAME, ("\n".join(lines) + "\n").encode())
    named = {each.before for each in checkpoints} | {each.after for each in checkpoints}
    named |= {each.baseline for each in marks} | {each.current for each in marks}
    for blob in (folder / "blobs").iterdir():
        if blob.name not in named:
            blob.unlink(missing_ok=True)


def _to_line(checkpoint: Checkpoint) -> _Line:
    return {**asdict(checkpoint), "path": os.fsdecode(checkpoint.path)}


def _mark_to_line(mark: ReviewMark) -> _Line:
    return {"reviewed": {**asdict(mark), "path": os.fsdecode(mark.path)}}


def _load_list(path: Path) -> _State:
    state = _State()
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return state
    for line in text.split("\n"):
        try:
            loaded: object = json.loads(line)
            if not isinstance(loaded, dict):
                continue
            _take_line(state, cast("_Line", loaded))
        except (ValueError, KeyError, TypeError):
            continue  # torn by a crash, or not ours: the others still count
    return state


def _take_line(state: _State, fields: _Line) -> None:
    if "void" in fields:
        state.checkpoints.pop(CheckpointId(str(fields["void"])), None)
    elif "reviewed" in fields:
        reviewed = cast("_Line", fields["reviewed"])
        mark = ReviewMark(
            path=Path(reviewed["path"]),
            baseline=reviewed["baseline"],
            current=reviewed["current"],
            after=reviewed["after"],
        )
        state.marks[mark.path] = mark
    else:
        checkpoint = _from_line(fields)
        state.checkpoints[checkpoint.id] = checkpoint


def _from_line(fields: _Line) -> Checkpoint:
    rest = {key: value for key, value in fields.items() if key not in {"origin", "path"}}
    return Checkpoint(**rest, origin=WriteOrigin(**fields["origin"]), path=Path(fields["path"]))
