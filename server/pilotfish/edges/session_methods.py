"""ACP's session methods.

Owns: decoding with the protocol's own models, one call into the session layer, the answer.
Does not own: ``initialize`` (each edge has its own), what sessions do.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from acp import schema

from pilotfish.config.modes import read_mode
from pilotfish.config.schema import SettingsProblem
from pilotfish.core.errors import InvalidField, ModelNeeded, SessionError, UnknownSession
from pilotfish.core.events import EventRecord
from pilotfish.core.ids import MessageId, SessionId
from pilotfish.core.permission import PermissionMode
from pilotfish.core.reasons import to_stop_reason
from pilotfish.edges.attachment import WARNING, Attachment, collect_history
from pilotfish.edges.channel import Handler, pilotfish_meta
from pilotfish.edges.config_options import EFFORT_OPTION, MODEL_OPTION, to_config_options
from pilotfish.edges.content import MAX_BLOCKS, parts_from_acp
from pilotfish.edges.modes import MODES
from pilotfish.edges.peer import Peer
from pilotfish.edges.sessions_methods import iso_time
from pilotfish.session.factory import NewSession
from pilotfish.session.left_sessions import LeftSessions
from pilotfish.session.manager import SessionManager
from pilotfish.session.session import Session
from pilotfish.util.keyed_locks import KeyedLocks
from pilotfish.wire.session import CloseMeta, ForkMeta, NewSessionMeta

EXTRA_FOLDERS = "additionalDirectories"
"""The field of ACP that names them."""

MAX_TOLD_PROBLEMS = 5
"""Problems of settings that one message names."""


class SessionMethods:
    """Serves one client."""

    def __init__(
        self,
        manager: SessionManager,
        peer: Peer,
        *,
        can_answer: bool,
        can_fill_forms: Callable[[], bool],
        extended: bool,
        context: Callable[[], list[str]],
    ) -> None:
        """Serve a client.

        Args:
            manager: The sessions.
            peer: The client's end of the channel.
            can_answer: Whether the client shows permission questions.
            can_fill_forms: Returns whether it shows forms; known once it has said hello.
            extended: Whether the client knows ``_pilotfish/*``.
            context: Returns what the editor adds to a prompt.
        """
        self._manager = manager
        self._peer = peer
        self._can_answer = can_answer
        self._can_fill_forms = can_fill_forms
        self._extended = extended
        self._context = context
        self._attachments: dict[SessionId, Attachment] = {}
        self._doors = KeyedLocks[SessionId]()
        """A session is not opened while it is being closed."""
        self._left = LeftSessions(self._end_left)
        self._told: tuple[SettingsProblem, ...] = ()
        self._told_news: tuple[str, ...] = ()

    def handlers(self) -> Mapping[str, Handler]:
        """Return the table of methods."""
        return {
            "session/new": Handler(params=schema.NewSessionRequest, call=self._new),
            "session/load": Handler(params=schema.LoadSessionRequest, call=self._load),
            "session/resume": Handler(params=schema.ResumeSessionRequest, call=self._resume),
            "session/fork": Handler(params=schema.ForkSessionRequest, call=self._fork),
            "session/list": Handler(params=schema.ListSessionsRequest, call=self._list),
            "session/close": Handler(params=schema.CloseSessionRequest, call=self._close),
            "session/delete": Handler(params=schema.DeleteSessionRequest, call=self._delete),
            "session/prompt": Handler(
                params=schema.PromptRequest, call=self._prompt, longest=(("prompt", MAX_BLOCKS),)
            ),
            "session/cancel": Handler(params=schema.CancelNotification, call=self._cancel),
            "session/set_mode": Handler(params=schema.SetSessionModeRequest, call=self._set_mode),
            "session/set_config_option": Handler(
                params=schema.SetSessionConfigOptionSelectRequest, call=self._set_option
            ),
        }

    def holding(self, handlers: Mapping[str, Handler]) -> dict[str, Handler]:
        """Return a table of methods that let no session go while they are asked about it."""
        return {
            name: Handler(
                params=handler.params, call=self._holding(handler), longest=handler.longest
            )
            for name, handler in handlers.items()
        }

    def session(self, session_id: str) -> Session:
        """Return an open session.

        Raises:
            UnknownSession: It is not open here.
        """
        return self._manager.get(SessionId(session_id))

    async def close(self) -> None:
        """Let go of all sessions; they go on."""
        await self._left.close()
        for attachment in tuple(self._attachments.values()):
            await attachment.close()

    async def _new(self, params: schema.NewSessionRequest) -> dict[str, Any]:
        if not self._extended:
            await self._require_model()
        meta = pilotfish_meta(NewSessionMeta, params.field_meta)
        wanted = _wanted(params, meta)
        await asyncio.to_thread(_require_folders, wanted.extra_roots)
        session = await self._manager.create(wanted)
        offered = {choice.value for choice in session.workbench.model_options().efforts}
        if meta.effort in offered:
            session.choices.set_effort(meta.effort)
        self._attach(session).send_status()
        return {"sessionId": session.id, **self._describe(session)}

    async def _require_model(self) -> None:
        """Refuse what could not answer a single prompt: ACP editors have a dialog of their own for that."""
        problem = (await self._manager.describe_provider()).described["problem"]
        if problem:
            raise ModelNeeded(problem)

    async def _load(self, params: schema.LoadSessionRequest) -> dict[str, Any]:
        async with self._opening(params.session_id) as session_id:
            session = await self._manager.load(session_id, _wanted(params))
            history = await collect_history(session)
            await self._replay(session, history)
            self._manager.put_open_questions_again(session)
            return self._describe(session)

    async def _replay(self, session: Session, history: Sequence[EventRecord]) -> None:
        followed = session.id in self._attachments
        try:
            await self._attach(session).replay(history)
        except asyncio.CancelledError:
            if not followed:  # the client does not know the session
                await self._forget(session.id)
            raise

    async def _resume(self, params: schema.ResumeSessionRequest) -> dict[str, Any]:
        async with self._opening(params.session_id) as session_id:
            session = await self._manager.load(session_id, _wanted(params))
            self._attach(session).send_status()
            self._manager.put_open_questions_again(session)
            return self._describe(session)

    async def _fork(self, params: schema.ForkSessionRequest) -> dict[str, Any]:
        meta = pilotfish_meta(ForkMeta, params.field_meta)
        before = None if meta.before_message_id is None else MessageId(meta.before_message_id)
        session = await self._manager.fork(
            SessionId(params.session_id), _wanted(params, meta), before
        )
        self._attach(session).send_status()
        return {"sessionId": session.id, **self._describe(session)}

    async def _list(self, params: schema.ListSessionsRequest) -> dict[str, Any]:
        cwd = _absolute(params.cwd) if params.cwd else None
        return {
            "sessions": [
                {
                    "sessionId": summary.session_id,
                    "cwd": summary.cwd,
                    "title": summary.title,
                    "updatedAt": iso_time(summary.updated_ms),
                }
                for summary in await self._manager.list_sessions(cwd)
            ]
        }

    async def _close(self, params: schema.CloseSessionRequest) -> dict[str, Any]:
        if pilotfish_meta(CloseMeta, params.field_meta).when_quiet:
            # One that is still being opened is left once it is open.
            async with self._doors.hold(SessionId(params.session_id)):
                with suppress(UnknownSession):  # closed already
                    self._left.leave(self.session(params.session_id))
            return {}
        async with self._opening(params.session_id) as session_id:
            await self._end(session_id)
        return {}

    async def _end_left(self, session_id: SessionId, still_meant: Callable[[], bool]) -> None:
        async with self._doors.hold(session_id):
            if still_meant():
                self._left.take_up(session_id)
                await self._end(session_id)

    async def _end(self, session_id: SessionId) -> None:
        await self._forget(session_id)
        await self._manager.close(session_id)

    async def _delete(self, params: schema.DeleteSessionRequest) -> dict[str, Any]:
        async with self._opening(params.session_id) as session_id:
            await self._forget(session_id)
            await self._manager.delete(session_id)
        return {}

    @asynccontextmanager
    async def _opening(self, name: str) -> AsyncGenerator[SessionId]:
        """Let a session be opened or ended by one at a time; that it was left counts no more."""
        session_id = SessionId(name)
        async with self._doors.hold(session_id):
            self._left.take_up(session_id)
            yield session_id

    def _holding(self, handler: Handler) -> Callable[[Any], Awaitable[Any]]:
        async def call(params: Any) -> Any:
            name = getattr(params, "session_id", None)
            if not isinstance(name, str):
                return await handler.call(params)
            with self._left.hold(SessionId(name)):
                return await handler.call(params)

        return call

    async def _prompt(self, params: schema.PromptRequest) -> dict[str, Any]:
        session = self.session(params.session_id)
        parts = parts_from_acp(
            block.model_dump(mode="json", by_alias=True, exclude_none=True)
            for block in params.prompt
        )
        try:
            ended = await session.prompt(
                parts.content,
                [*self._context(), *parts.context],
                parts.documents,
                parts.mentions,
            )
        except asyncio.CancelledError:
            await session.cancel()
            raise
        attachment = self._attachments.get(session.id)
        if attachment is not None:
            await attachment.caught_up()  # what the turn said comes before its end
        return {"stopReason": to_stop_reason(ended.reason)}

    async def _cancel(self, params: schema.CancelNotification) -> None:
        await self.session(params.session_id).cancel()

    async def _set_mode(self, params: schema.SetSessionModeRequest) -> dict[str, Any]:
        self.session(params.session_id).choices.set_mode(_mode(params.mode_id))
        return {}

    async def _set_option(
        self, params: schema.SetSessionConfigOptionSelectRequest
    ) -> dict[str, Any]:
        session = self.session(params.session_id)
        if params.config_id == MODEL_OPTION:
            session.choices.set_model(params.value)
        elif params.config_id == EFFORT_OPTION:
            session.choices.set_effort(params.value)
        else:
            raise SessionError(f"configId: there is no option {params.config_id!r}.")
        return {"configOptions": self._describe(session)["configOptions"]}

    def _attach(self, session: Session) -> Attachment:
        known = self._attachments.get(session.id)
        if known is not None:
            return known
        attachment = Attachment(
            session,
            self._peer,
            can_answer=self._can_answer,
            can_fill_forms=self._can_fill_forms(),
            extended=self._extended,
            on_closed=lambda: self._drop(session.id),
        )
        self._attachments[session.id] = attachment
        # A client knows the session only once it has the answer to its request.
        asyncio.get_running_loop().call_soon(attachment.send_commands)
        if session.history_problem:
            attachment.say(session.history_problem)
        if self._extended:
            self._warn(session)
        return attachment

    def _warn(self, session: Session) -> None:
        """Tell the user once what is wrong with the settings, and what became of torn files.

        Broken rules protect nobody.
        """
        news = session.workbench.news()
        for text in news[len(self._told_news) :]:
            self._peer.notify("window/showMessage", {"type": WARNING, "message": text})
        self._told_news = news
        problems = session.workbench.problems()
        if not problems or problems == self._told:
            return
        self._told = problems
        lines = [
            f"{problem.file or 'settings'}:{problem.line or 1}: {problem.text}"
            for problem in problems[:MAX_TOLD_PROBLEMS]
        ]
        message = "Pilotfish settings: " + " ".join(lines)
        self._peer.notify("window/showMessage", {"type": WARNING, "message": message})

    def _drop(self, session_id: SessionId) -> None:
        self._attachments.pop(session_id, None)

    async def _forget(self, session_id: SessionId) -> None:
        attachment = self._attachments.get(session_id)
        if attachment is not None:
            await attachment.close()

    def _describe(self, session: Session) -> dict[str, Any]:
        workbench = session.workbench
        return {
            "modes": {
                "currentModeId": session.data.mode,
                "availableModes": [
                    dict(mode)
                    for mode in MODES
                    if not workbench.why_mode_unavailable(_mode(mode["id"]))
                ],
            },
            "configOptions": to_config_options(workbench.model_options()),
            "_meta": {"pilotfish": {"provider": workbench.describe_provider()}},
        }


def _wanted(
    params: schema.NewSessionRequest
    | schema.LoadSessionRequest
    | schema.ResumeSessionRequest
    | schema.ForkSessionRequest,
    given: NewSessionMeta | None = None,
) -> NewSession:
    """Return what the client asks of a session."""
    meta = given or pilotfish_meta(NewSessionMeta, params.field_meta)
    return NewSession(
        cwd=_absolute(params.cwd),
        extra_roots=tuple(
            _absolute(root, f"{EXTRA_FOLDERS}.{index}")
            for index, root in enumerate(params.additional_directories or ())
        ),
        mode=meta.permission_mode,
        model=meta.model,
        allowed_tools=tuple(meta.allowed_tools),
        disallowed_tools=tuple(meta.disallowed_tools),
        system_prompt_append=meta.system_prompt_append,
    )


def _mode(mode_id: str) -> PermissionMode:
    reading = read_mode(mode_id)
    if reading.mode is None:
        raise SessionError(f"modeId: {reading.problem}.")
    return reading.mode


def _absolute(path: str, field: str = "cwd") -> Path:
    found = Path(path)
    if not found.is_absolute():
        raise InvalidField(field, f"{path!r} is not an absolute path.")
    return found


def _require_folders(folders: Sequence[Path]) -> None:
    """Refuse folders that are not there; blocks.

    Raises:
        InvalidField: One is not there; names it.
    """
    for index, folder in enumerate(folders):
        try:
            is_folder = folder.is_dir()
        except (OSError, ValueError):  # too long a name, or a NUL in it
            is_folder = False
        if not is_folder:
            raise InvalidField(
                f"{EXTRA_FOLDERS}.{index}", f"{str(folder)[:200]!r} is not a folder."
            )
