"""``_pilotfish/session/aside``: a question beside the conversation.

Owns: decoding, streaming the answer in bundles, the response.
Does not own: asking (``session.aside``).
"""

import asyncio
from collections.abc import Callable, Mapping

from pilotfish.edges.channel import Handler, LatePeer
from pilotfish.edges.update_stream import BUNDLE_S
from pilotfish.session.aside import ask_aside
from pilotfish.session.session import Session
from pilotfish.wire import aside as wire
from pilotfish.wire import methods


class AsideMethods:
    """Serves one client."""

    def __init__(self, session: Callable[[str], Session], peer: LatePeer) -> None:
        self._session = session
        self._peer = peer

    def handlers(self) -> Mapping[str, Handler]:
        """Return the table of methods."""
        return {methods.ASIDE.name: Handler(params=wire.AsideParams, call=self._aside)}

    async def _aside(self, params: wire.AsideParams) -> wire.AsideResponse:
        session = self._session(params.session_id)
        stream = _AnswerStream(params, self._peer)
        try:
            answer = await ask_aside(session.workbench.forks, params.text, stream.add)
        finally:
            stream.close()
        return wire.AsideResponse(text=answer.text, model=answer.model, cost_usd=answer.cost_usd)


class _AnswerStream:
    """Sends one answer as it streams, in bundles."""

    def __init__(self, params: wire.AsideParams, peer: LatePeer) -> None:
        self._params = params
        self._peer = peer
        self._offset: int = 0
        self._text = ""
        self._timer: asyncio.TimerHandle | None = None

    def add(self, offset: int, text: str) -> None:
        """Take a piece."""
        if self._text and offset == self._offset + len(self._text):
            self._text += text
            return
        self._flush()
        self._offset, self._text = offset, text
        self._timer = asyncio.get_running_loop().call_later(BUNDLE_S, self._flush)

    def close(self) -> None:
        """Send nothing more: the response says it all."""
        if self._timer is not None:
            self._timer.cancel()

    def _flush(self) -> None:
        self.close()
        text, self._text = self._text, ""
        if not text:
            return
        piece = wire.AsideTextParams(
            session_id=self._params.session_id,
            aside_id=self._params.aside_id,
            offset=self._offset,
            text=text,
        )
        self._peer.notify(methods.ASIDE_TEXT.name, piece.model_dump(mode="json", by_alias=True))
