"""The life of a session's files, read from its history.

Owns: a file's writes as steps, what came from outside between them included; which of them the user
has agreed to; cached reviews.
Does not own: what hunks are (``workspace.review``), acting on them (``session.edit_review``).
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pilotfish.core.errors import WorkspaceError
from pilotfish.core.events import DecisionMade
from pilotfish.core.ids import AgentId, CheckpointId, ToolUseId
from pilotfish.workspace.edit_pipeline import EditPipeline
from pilotfish.workspace.history import Checkpoint, FileHistory, ReviewMark
from pilotfish.workspace.review import FileReview, LineOrigins, Step, review
from pilotfish.workspace.text_file import decode

THE_USER = AgentId("user")
"""Stands for the user in the origin of a write: a rejected hunk, a rewind."""

MAX_CACHED_FILES = 200
"""Reviews that are kept; the rest is worked out again when it is asked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FileLife:
    """A file of the session, now and how it came about."""

    path: Path
    checkpoints: tuple[Checkpoint, ...]
    found: FileReview
    origins: LineOrigins


@dataclass(frozen=True, kw_only=True, slots=True)
class _Seen:
    """A review mark with its texts."""

    after: CheckpointId | None
    baseline: str | None
    current: str | None


class FileSteps:
    """Reads the history of one session."""

    def __init__(
        self,
        history: FileHistory,
        edits: EditPipeline,
        decision_of: Callable[[ToolUseId], DecisionMade | None],
    ) -> None:
        self._history = history
        self._edits = edits
        self._decision_of = decision_of
        self._cache: dict[Path, tuple[object, FileLife]] = {}

    async def paths(self) -> tuple[Path, ...]:
        """Return the files that the session has written, the oldest first."""
        return tuple(dict.fromkeys(each.path for each in await self._history.checkpoints()))

    async def life_of(self, path: Path) -> FileLife:
        """Return how a file came about and what of it waits for review.

        Raises:
            WorkspaceError: The file cannot be read as text now, or its history is damaged.
        """
        checkpoints = tuple(each for each in await self._history.checkpoints() if each.path == path)
        mark = await self._history.mark_of(path)
        current = (await self._edits.load(path)).text
        key = (tuple(each.id for each in checkpoints), mark, current)
        cached = self._cache.pop(path, None)
        if cached is None or cached[0] != key:
            cached = key, await self._build(path, checkpoints, mark, current)
        self._cache[path] = cached
        while len(self._cache) > MAX_CACHED_FILES:
            del self._cache[next(iter(self._cache))]
        return cached[1]

    async def text(self, path: Path, content_hash: str | None) -> str | None:
        """Return a kept content as text.

        Raises:
            WorkspaceError: It is not there any more.
        """
        if content_hash is None:
            return None
        try:
            data = await self._history.content(content_hash)
        except OSError as error:
            raise WorkspaceError(
                f"An earlier text of {path} is missing from the file history ({error.strerror})."
            ) from error
        return decode(data, path.name)[0]

    def waits(self, checkpoint: Checkpoint) -> bool:
        """Tell whether nobody agreed to a write before it was made."""
        if checkpoint.origin.agent_id == THE_USER:
            return False
        decision = self._decision_of(checkpoint.origin.tool_use_id)
        return decision is None or decision.phase != "user"

    async def _build(
        self,
        path: Path,
        checkpoints: Sequence[Checkpoint],
        mark: ReviewMark | None,
        current: str | None,
    ) -> FileLife:
        texts = {
            content: await self.text(path, content)
            for content in {each for one in checkpoints for each in (one.before, one.after)}
        }
        seen = await self._seen(mark, checkpoints)
        return await asyncio.to_thread(self._fold, path, checkpoints, texts, current, seen)

    async def _seen(
        self, mark: ReviewMark | None, checkpoints: Sequence[Checkpoint]
    ) -> _Seen | None:
        if mark is None or mark.after not in {each.id for each in checkpoints}:
            return None
        return _Seen(
            after=mark.after,
            baseline=await self.text(mark.path, mark.baseline),
            current=await self.text(mark.path, mark.current),
        )

    def _fold(
        self,
        path: Path,
        checkpoints: Sequence[Checkpoint],
        texts: dict[str | None, str | None],
        current: str | None,
        seen: _Seen | None,
    ) -> FileLife:
        first = texts[checkpoints[0].before] if checkpoints else current
        origins = LineOrigins.of(first)
        text = first
        steps: list[Step] = []
        baseline = first if seen is None else seen.baseline
        for each in checkpoints:
            own = [
                Step(before=text, after=texts[each.before]),
                Step(
                    before=texts[each.before],
                    after=texts[each.after],
                    checkpoint_id=each.id,
                    to_review=self.waits(each),
                ),
            ]
            own = [step for step in own if step.before != step.after]
            for step in own:
                origins.apply(step)
            text = texts[each.after]
            steps += own
            if seen is not None and each.id == seen.after:
                # What was there when the user looked is settled, outside changes included.
                steps = [] if seen.current == text else [Step(before=seen.current, after=text)]
        last = Step(before=text, after=current)
        origins.apply(last)
        found = review(baseline, [*steps, last], current, origins)
        return FileLife(path=path, checkpoints=tuple(checkpoints), found=found, origins=origins)
