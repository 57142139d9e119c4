"""The methods behind the rules panel.

Owns: decoding, one call into the rules desk, the answer; telling a client that rules have changed.
Does not own: rules (``session.rules_desk``).
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import assert_never

from pilotfish.core.errors import InvalidField
from pilotfish.core.ids import SessionId
from pilotfish.core.permission import Behavior, PermissionRule
from pilotfish.core.permission_updates import (
    DirectoriesUpdate,
    ModeUpdate,
    PermissionUpdate,
    RulesUpdate,
)
from pilotfish.edges.channel import Handler
from pilotfish.edges.peer import Peer
from pilotfish.permissions.edited_rule import written_rule
from pilotfish.permissions.overview import ListedRule, RuleOverview, TrustedFolder
from pilotfish.session.manager import SessionManager
from pilotfish.session.past_ground import PastWindow, TriedRules
from pilotfish.session.rules_desk import Place
from pilotfish.session.session import Session
from pilotfish.session.state import MAX_AUDIT_LINES
from pilotfish.wire import methods
from pilotfish.wire import permissions as wire


class PermissionMethods:
    """Serves one client."""

    def __init__(
        self, manager: SessionManager, session: Callable[[str], Session], peer: Peer
    ) -> None:
        self._manager = manager
        self._session = session
        self._peer = peer

    def handlers(self) -> Mapping[str, Handler]:
        """Return the table of methods."""
        return {
            methods.PERMISSIONS_LIST.name: Handler(
                params=wire.PermissionsListParams, call=self._list
            ),
            methods.PERMISSIONS_UPDATE.name: Handler(
                params=wire.PermissionsUpdateParams, call=self._update
            ),
            methods.PERMISSIONS_EXPLAIN.name: Handler(
                params=wire.PermissionsExplainParams, call=self._explain
            ),
            methods.PERMISSIONS_DECISIONS.name: Handler(
                params=wire.PermissionsDecisionsParams, call=self._decisions
            ),
            methods.PERMISSIONS_REPLAY.name: Handler(
                params=wire.PermissionsReplayParams, call=self._replay
            ),
            methods.PERMISSIONS_SUGGEST.name: Handler(
                params=wire.PermissionsSuggestParams, call=self._suggest
            ),
        }

    def follow(self) -> None:
        """Tell the client of changed rules, for as long as the engine lives."""
        self._manager.desk.news.listen(self._changed)

    async def _list(self, params: wire.PermissionsListParams) -> wire.PermissionsListResponse:
        place = self._place(params.session_id, params.cwd)
        return _overview(await self._manager.desk.listing(place))

    async def _update(self, params: wire.PermissionsUpdateParams) -> wire.PermissionsUpdateResponse:
        place = self._place(params.session_id, params.cwd)
        changed = False
        for index, entry in enumerate(params.updates):
            try:
                update = _to_update(entry)
                if params.dry_run:
                    await self._manager.desk.check(place, update)
                else:
                    changed |= await self._manager.desk.update(place, update)
            except InvalidField as error:
                if error.field == "sessionId":
                    raise
                raise InvalidField(f"updates.{index}.{error.field}", error.problem) from error
        return wire.PermissionsUpdateResponse(changed=changed)

    async def _explain(
        self, params: wire.PermissionsExplainParams
    ) -> wire.PermissionsExplainResponse:
        place = self._place(params.session_id, params.cwd)
        decision = await self._manager.desk.explain(place, params.tool, params.input)
        return wire.PermissionsExplainResponse(
            behavior=decision.behavior,
            phase=decision.phase,
            reason=decision.reason,
            rule=None if decision.rule is None else decision.rule.text(),
            suggestions=[one.rule.text() for one in decision.suggestions if one.rule is not None],
            trace=[
                wire.TraceEntry(phase=step.phase, outcome=step.outcome, detail=step.detail)
                for step in decision.trace
            ],
        )

    async def _decisions(
        self, params: wire.PermissionsDecisionsParams
    ) -> wire.PermissionsDecisionsResponse:
        sessions = (
            [self._session(params.session_id)]
            if params.session_id is not None
            else self._manager.open_sessions()
        )
        found = [
            wire.DecisionEntry(
                session_id=session.id,
                tool_call_id=line.decision.tool_use_id,
                tool=line.decision.tool,
                title=line.title,
                behavior=line.decision.behavior,
                phase=line.decision.phase,
                reason=line.decision.reason,
                rule=None if line.decision.rule is None else line.decision.rule.text(),
                time_ms=line.time_ms,
                waited_ms=line.decision.waited_ms,
            )
            for session in sessions
            for line in reversed(session.data.decisions)
        ]
        found.sort(key=lambda entry: -entry.time_ms)
        return wire.PermissionsDecisionsResponse(decisions=found[:MAX_AUDIT_LINES])

    async def _replay(self, params: wire.PermissionsReplayParams) -> wire.PermissionsReplayResponse:
        window = self._window(params.session_id, params.cwd, params.since_ms)
        tried = TriedRules(added=_tried(params.rules), alone=params.alone)
        report = await self._manager.desk.replay(window, tried)
        return wire.PermissionsReplayResponse(
            calls=report.calls,
            sessions=report.sessions,
            prompts=report.prompts,
            prompts_now=report.prompts_now,
            truncated=report.truncated,
            groups=[
                wire.ReplayGroupEntry(
                    difference=group.difference,
                    tool=group.tool,
                    kind=group.kind,
                    because=group.because,
                    count=group.count,
                    examples=group.examples,
                )
                for group in report.groups
            ],
        )

    async def _suggest(
        self, params: wire.PermissionsSuggestParams
    ) -> wire.PermissionsSuggestResponse:
        window = self._window(params.session_id, params.cwd, params.since_ms)
        proposals = await self._manager.desk.propose(window)
        return wire.PermissionsSuggestResponse(
            proposals=[
                wire.ProposalEntry(
                    rule=one.rule.text(), approvals=one.approvals, examples=one.examples
                )
                for one in proposals
            ]
        )

    def _changed(self, session_id: SessionId | None) -> None:
        params = wire.PermissionsChangedParams(session_id=session_id)
        self._peer.notify(methods.PERMISSIONS_CHANGED.name, params.model_dump(by_alias=True))

    def _place(self, session_id: str | None, cwd: str | None) -> Place:
        if session_id is not None:
            session = self._session(session_id)
            return Place(root=session.data.cwd, session=session)
        return Place(root=self._folder(cwd))

    def _window(self, session_id: str | None, cwd: str | None, since_ms: int) -> PastWindow:
        session = None if session_id is None else SessionId(session_id)
        return PastWindow(folder=self._folder(cwd), session_id=session, since_ms=since_ms)

    def _folder(self, cwd: str | None) -> Path | None:
        if cwd is None:
            return self._manager.desk.default_root
        folder = Path(cwd)
        if not folder.is_absolute():
            raise InvalidField("cwd", f"{cwd!r} is not an absolute path.")
        return folder


def _overview(found: RuleOverview) -> wire.PermissionsListResponse:
    return wire.PermissionsListResponse(
        mode=found.mode,
        trusted=found.trusted,
        rules=[_rule(one) for one in found.rules],
        folders=[_trusted_folder(one) for one in found.folders],
        problems=[
            wire.ProblemEntry(
                path=str(problem.file or ""),
                line=problem.line or 0,
                message=problem.text,
                kind=problem.kind,
            )
            for problem in found.problems
        ],
    )


def _rule(one: ListedRule) -> wire.RuleEntry:
    return wire.RuleEntry(
        rule=one.text,
        behavior=one.behavior,
        source=one.rule.source,
        path=str(one.file or ""),
        line=one.line or 0,
        destination=one.destination,
        counts=one.counts,
    )


def _trusted_folder(one: TrustedFolder) -> wire.FolderEntry:
    return wire.FolderEntry(
        path=str(one.path),
        text=one.text,
        source=one.source,
        file=str(one.file or ""),
        destination=one.destination,
        counts=one.counts,
    )


def _to_update(entry: wire.UpdateEntry) -> PermissionUpdate:
    match entry:
        case wire.RulesUpdateEntry():
            return RulesUpdate(
                kind=entry.kind,
                destination=entry.destination,
                behavior=entry.behavior,
                rules=tuple(entry.rules),
            )
        case wire.ModeUpdateEntry():
            return ModeUpdate(kind=entry.kind, destination=entry.destination, mode=entry.mode)
        case wire.DirectoriesUpdateEntry():
            return DirectoriesUpdate(
                kind=entry.kind,
                destination=entry.destination,
                directories=tuple(entry.directories),
            )
        case _:
            assert_never(entry)


def _tried(rules: wire.TriedRulesEntry) -> tuple[PermissionRule, ...]:
    lists: tuple[tuple[Behavior, list[str]], ...] = (
        ("allow", rules.allow),
        ("ask", rules.ask),
        ("deny", rules.deny),
    )
    found: list[PermissionRule] = []
    for behavior, texts in lists:
        for index, text in enumerate(texts):
            written = written_rule(text, behavior, "userSettings")
            if written.rule is None:
                raise InvalidField(f"rules.{behavior}.{index}", f"{written.problem}.")
            found.append(written.rule)
    return tuple(found)
