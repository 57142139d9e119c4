"""The ``_pilotfish/edits/*`` methods.

Owns: decoding, the calls into a session's review, the answers.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pilotfish.core.errors import SessionError
from pilotfish.core.ids import ToolUseId, TurnId
from pilotfish.edges.channel import Handler
from pilotfish.session.edit_review import Blame, EditReview, Taken
from pilotfish.session.file_steps import FileLife
from pilotfish.session.session import Session
from pilotfish.session.undo_plan import PlannedFile
from pilotfish.wire import edits as wire
from pilotfish.wire import methods

SHELL_NOTE = "What commands changed on the disk is not part of this."
"""Told whenever files are put back (design 06 §6)."""


class EditsMethods:
    """Serves one client."""

    def __init__(self, session: Callable[[str], Session]) -> None:
        self._session = session

    def handlers(self) -> Mapping[str, Handler]:
        """Return the table of methods."""
        return {
            methods.EDITS_CHANGES.name: Handler(params=wire.EditsChangesParams, call=self._changes),
            methods.EDITS_ACCEPT.name: Handler(params=wire.EditsChooseParams, call=self._accept),
            methods.EDITS_REJECT.name: Handler(params=wire.EditsChooseParams, call=self._reject),
            methods.EDITS_CHECKPOINTS.name: Handler(
                params=wire.EditsCheckpointsParams, call=self._checkpoints
            ),
            methods.EDITS_COMPARE.name: Handler(params=wire.EditsCompareParams, call=self._compare),
            methods.EDITS_REWIND.name: Handler(params=wire.EditsRewindParams, call=self._rewind),
            methods.EDITS_BLAME.name: Handler(params=wire.EditsBlameParams, call=self._blame),
        }

    async def _changes(self, params: wire.EditsChangesParams) -> wire.EditsChangesResponse:
        lives = await self._review(params.session_id).waiting(_path(params.path))
        return wire.EditsChangesResponse(
            files=[_changes_of(life, texts=params.texts) for life in lives]
        )

    async def _accept(self, params: wire.EditsChooseParams) -> wire.EditsTakenResponse:
        path, hunks = _choice(params)
        return _taken(await self._review(params.session_id).accept(path, hunks))

    async def _reject(self, params: wire.EditsChooseParams) -> wire.EditsTakenResponse:
        path, hunks = _choice(params)
        return _taken(await self._review(params.session_id).reject(path, hunks))

    async def _checkpoints(
        self, params: wire.EditsCheckpointsParams
    ) -> wire.EditsCheckpointsResponse:
        turns = await self._review(params.session_id).turns()
        return wire.EditsCheckpointsResponse(
            turns=[
                wire.TurnEntry(
                    turn_id=turn.turn_id,
                    message_id=turn.message_id,
                    title=turn.title,
                    time_ms=turn.time_ms,
                    paths=list(dict.fromkeys(str(each.path) for each in checkpoints)),
                )
                for turn, checkpoints in turns
            ]
        )

    async def _compare(self, params: wire.EditsCompareParams) -> wire.EditsCompareResponse:
        files = await self._review(params.session_id).earlier(
            TurnId(params.turn_id), _path(params.path), texts=params.texts
        )
        return wire.EditsCompareResponse(
            files=[
                wire.EarlierFile(
                    path=str(each.path), existed=each.existed, exists=each.exists, text=each.text
                )
                for each in files
            ]
        )

    async def _rewind(self, params: wire.EditsRewindParams) -> wire.EditsRewindResponse:
        review = self._review(params.session_id)
        planned = await _plan(review, params)
        taken, prompt = Taken(), ""
        if not params.dry_run:
            forgets = params.turn_id is not None and params.what != "files"
            taken = await review.carry_out(planned, force=params.force, tell=not forgets)
            if params.turn_id is not None and forgets:
                prompt = review.rewind_conversation(TurnId(params.turn_id)).title
        return wire.EditsRewindResponse(
            files=[_planned(each) for each in planned],
            changed=[str(path) for path in taken.changed],
            refused=_refused(taken),
            prompt=prompt,
            note=SHELL_NOTE if planned else "",
        )

    async def _blame(self, params: wire.EditsBlameParams) -> wire.EditsBlameResponse:
        session = self._session(params.session_id)
        runs = await session.workbench.review.blame(_absolute(params.path))
        numbers = {turn.turn_id: at for at, turn in enumerate(session.data.turns, start=1)}
        return wire.EditsBlameResponse(
            runs=[
                _blame_entry(run, numbers)
                for run in runs
                if params.line is None or run.start <= params.line < run.end
            ]
        )

    def _review(self, session_id: str) -> EditReview:
        return self._session(session_id).workbench.review


async def _plan(review: EditReview, params: wire.EditsRewindParams) -> Sequence[PlannedFile]:
    given = [params.turn_id, params.undo_turn_id, params.undo_tool_call_id]
    if sum(each is not None for each in given) != 1:
        raise SessionError("turnId, undoTurnId, undoToolCallId: give exactly one of them.")
    if params.turn_id is not None:
        planned = await review.plan_rewind(TurnId(params.turn_id))
        return () if params.what == "conversation" else planned
    if params.undo_turn_id is not None:
        return await review.plan_undo(turn=TurnId(params.undo_turn_id))
    return await review.plan_undo(call=ToolUseId(params.undo_tool_call_id or ""))


def _choice(params: wire.EditsChooseParams) -> tuple[Path | None, list[str] | None]:
    if params.hunk_ids is not None and params.path is None:
        raise SessionError("path: hunks belong to a file, and none was named.")
    return _path(params.path), params.hunk_ids


def _path(path: str | None) -> Path | None:
    return None if path is None else _absolute(path)


def _absolute(path: str) -> Path:
    found = Path(path)
    if not found.is_absolute():
        raise SessionError(f"path: {path!r} is not an absolute path.")
    return found


def _changes_of(life: FileLife, *, texts: bool) -> wire.FileChanges:
    found = life.found
    calls = {each.id: each.origin.tool_use_id for each in life.checkpoints}
    return wire.FileChanges(
        path=str(life.path),
        status=_status(life),
        hunks=[
            wire.HunkEntry(
                id=hunk.id,
                old_start=hunk.old_start,
                old_lines=list(hunk.old_lines),
                new_start=hunk.new_start,
                new_lines=list(hunk.new_lines),
                tool_call_ids=[calls[each] for each in hunk.checkpoints],
            )
            for hunk in found.hunks
        ],
        added_lines=sum(len(hunk.new_lines) for hunk in found.hunks),
        removed_lines=sum(len(hunk.old_lines) for hunk in found.hunks),
        baseline=found.baseline if texts else None,
        current=found.current if texts else None,
    )


def _status(life: FileLife) -> Literal["created", "modified", "settled"]:
    found = life.found
    if found.is_settled:
        return "settled"
    return "created" if found.baseline is None else "modified"


def _taken(taken: Taken) -> wire.EditsTakenResponse:
    return wire.EditsTakenResponse(
        changed=[str(path) for path in taken.changed], refused=_refused(taken)
    )


def _refused(taken: Taken) -> list[wire.RefusedFile]:
    return [wire.RefusedFile(path=str(path), reason=reason) for path, reason in taken.refused]


def _planned(planned: PlannedFile) -> wire.RewindFile:
    return wire.RewindFile(
        path=str(planned.path),
        action=planned.action,
        added_lines=planned.added,
        removed_lines=planned.removed,
        reason=planned.reason,
    )


def _blame_entry(run: Blame, numbers: Mapping[TurnId, int]) -> wire.BlameEntry:
    origin = run.checkpoint.origin
    return wire.BlameEntry(
        start=run.start,
        end=run.end,
        turn_id=origin.turn_id,
        turn_number=numbers.get(origin.turn_id),
        prompt=run.turn.title if run.turn is not None else "",
        agent_id=origin.agent_id,
        tool_call_id=origin.tool_use_id,
        time_ms=run.checkpoint.time_ms,
        approval=run.decision.reason if run.decision is not None else "",
        waits=run.waits,
    )
