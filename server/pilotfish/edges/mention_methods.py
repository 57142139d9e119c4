"""The method behind mentions in a prompt.

Owns: decoding, one call into the session layer, the answer.
Does not own: what may be meant (``session.mention_desk``).
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pilotfish.codeintel.servers.shapes import to_uri
from pilotfish.core.errors import InvalidField
from pilotfish.edges.channel import Handler
from pilotfish.session.manager import SessionManager
from pilotfish.session.mention_desk import Candidate, MentionQuery
from pilotfish.session.rules_desk import Place
from pilotfish.session.session import Session
from pilotfish.wire import mentions as wire
from pilotfish.wire import methods


class MentionMethods:
    """Serves one client."""

    def __init__(
        self,
        manager: SessionManager,
        session: Callable[[str], Session],
        lately: Callable[[], Sequence[Path]],
    ) -> None:
        """Serve a client.

        Args:
            manager: The sessions.
            session: Returns an open session.
            lately: Returns the files that the user has looked at, the latest first.
        """
        self._manager = manager
        self._session = session
        self._lately = lately

    def handlers(self) -> Mapping[str, Handler]:
        """Return the table of methods."""
        return {
            methods.MENTIONS_COMPLETE.name: Handler(
                params=wire.MentionsCompleteParams, call=self._complete
            )
        }

    async def _complete(self, params: wire.MentionsCompleteParams) -> wire.MentionsCompleteResponse:
        query = MentionQuery(
            place=self._place(params),
            text=params.query.strip(),
            limit=params.limit,
            lately=self._lately(),
        )
        found = await self._manager.mentions.complete(query)
        return wire.MentionsCompleteResponse(items=[_item(one) for one in found])

    def _place(self, params: wire.MentionsCompleteParams) -> Place:
        if params.session_id is not None:
            session = self._session(params.session_id)
            return Place(root=session.data.cwd, session=session)
        if params.cwd is None:
            return Place(root=self._manager.desk.default_root)
        root = Path(params.cwd)
        if not root.is_absolute():
            raise InvalidField("cwd", "it must be an absolute path.")
        return Place(root=root)


def _item(one: Candidate) -> wire.MentionItem:
    lines = "" if one.lines is None else f"#L{one.lines[0]}-L{one.lines[1]}"
    slash = "/" if one.kind == "folder" else ""
    return wire.MentionItem(
        kind=one.kind,
        label=one.label,
        detail=one.detail,
        uri=f"{to_uri(one.path)}{slash}{lines}",
        symbol_kind=one.symbol_kind,
    )
