"""The life of a session's files, read from its history.

Owns: a file's writes as steps, what came from outside between them included; which of them the user
has agreed to; cached reviews.
Does not own: what hunks are (``workspace.review``), acting on them (``session.edit_review``).
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import field
from pathlib import Path

from pilotfish.core.errors import WorkspaceError
from pilotfish.core.events import DecisionMade
from pilotfish.core.ids import AgentId, CheckpointId, ToolUseId
from pilotfish.ports.planning import PlanPort
from pilotfish.util.records import dataclass
from pilotfish.workspace.edit_pipeline import EditPipeline
from pilotfish.workspace.history import Checkpoint, FileHistory, ReviewMark
from pilotfish.workspace.review import FileFold, FileReview, LineOrigins
from pilotfish.workspace.text_file import decode

THE_USER = AgentId("user")
"""Stands for the user in the origin of a write: a rejected hunk, a rewind."""

MAX_CACHED_BYTES = 32_000_000
"""How much is kept of files that were worked out; the rest is worked out again when asked for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FileLife:
    """A file of the session, now and how it came about."""

    path: Path
    checkpoints: tuple[Checkpoint, ...]
    found: FileReview
    origins: LineOrigins


@dataclass(kw_only=True)
class _Known:
    """A file as far as it is folded; goes on from there when more happens."""

    fold: FileFold
    checkpoints: list[CheckpointId] = field(default_factory=list[CheckpointId])
    mark: ReviewMark | None = None
    life: FileLife | None = None
    """The last answer."""

    def leads_to(self, checkpoints: Sequence[Checkpoint], mark: ReviewMark | None) -> bool:
        """Whether what is asked for is this and what followed."""
        ids = [each.id for each in checkpoints]
        later = mark is None or mark == self.mark or mark.after not in self.checkpoints[:-1]
        return ids[: len(self.checkpoints)] == self.checkpoints and later

    @property
    def weight(self) -> int:
        """Roughly how many bytes it takes."""
        found = self.life.found if self.life is not None else None
        text = "" if found is None else (found.current or "")
        return 1_000 + 20 * text.count("\n") + 4 * len(text)


class FileSteps:
    """Reads the history of one session."""

    def __init__(
        self,
        history: FileHistory,
        edits: EditPipeline,
        decision_of: Callable[[ToolUseId], DecisionMade | None],
        plan: PlanPort,
    ) -> None:
        """Read the history of a session.

        Args:
            history: Its writes.
            edits: Where files are loaded.
            decision_of: Returns why a call was allowed.
            plan: The session's plan, which has a review of its own.
        """
        self._plan = plan
        self._history = history
        self._edits = edits
        self._decision_of = decision_of
        self._known: dict[Path, _Known] = {}
        self._lock = asyncio.Lock()

    async def paths(self) -> tuple[Path, ...]:
        """Return the files that the session has written, the oldest first."""
        return tuple(dict.fromkeys(each.path for each in await self._history.checkpoints()))

    async def life_of(self, path: Path) -> FileLife:
        """Return how a file came about and what of it waits for review.

        Raises:
            WorkspaceError: The file cannot be read as text now, or its history is damaged.
        """
        async with self._lock:
            own = tuple(each for each in await self._history.checkpoints() if each.path == path)
            mark = await self._history.mark_of(path)
            current = (await self._edits.load_as_is(path)).text
            known = self._known.pop(path, None)
            if known is None or not known.leads_to(own, mark):
                known = _Known(fold=FileFold(await self.text(path, own[0].before)))
            await self._go_on(known, own, mark)
            if known.life is None or known.life.found.current != current:
                found, origins = await asyncio.to_thread(known.fold.now, current)
                known.life = FileLife(path=path, checkpoints=own, found=found, origins=origins)
            self._keep(path, known)
            return known.life

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

    def is_plan(self, path: Path) -> bool:
        """Tell whether a file is the session's plan."""
        return path.name == self._plan.file.name and path == self._plan.file.resolve()

    def waits(self, checkpoint: Checkpoint) -> bool:
        """Tell whether nobody agreed to a write before it was made."""
        if checkpoint.origin.agent_id == THE_USER or self.is_plan(checkpoint.path):
            return False
        decision = self._decision_of(checkpoint.origin.tool_use_id)
        return decision is None or decision.phase != "user"

    async def _go_on(
        self, known: _Known, checkpoints: Sequence[Checkpoint], mark: ReviewMark | None
    ) -> None:
        """Fold what is not folded yet."""
        if mark is not None and mark != known.mark and mark.after in known.checkpoints[-1:]:
            await self._look_at(known, mark)
        for each in checkpoints[len(known.checkpoints) :]:
            before = await self.text(each.path, each.before)
            after = await self.text(each.path, each.after)
            await asyncio.to_thread(
                known.fold.change,
                before,
                after,
                checkpoint_id=each.id,
                to_review=self.waits(each),
            )
            known.checkpoints.append(each.id)
            known.life = None
            if mark is not None and mark.after == each.id:
                await self._look_at(known, mark)

    async def _look_at(self, known: _Known, mark: ReviewMark) -> None:
        baseline = await self.text(mark.path, mark.baseline)
        current = await self.text(mark.path, mark.current)
        await asyncio.to_thread(known.fold.looked_at, baseline, current)
        known.mark, known.life = mark, None

    def _keep(self, path: Path, known: _Known) -> None:
        """Remember the file; those asked for longest ago are forgotten when it gets too much."""
        self._known[path] = known
        weights = {each: one.weight for each, one in self._known.items()}
        total = sum(weights.values())
        for each in list(self._known)[:-1]:
            if total <= MAX_CACHED_BYTES:
                break
            total -= weights[each]
            del self._known[each]
