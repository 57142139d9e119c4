"""``_pilotfish/session/queue``, ``resend`` and ``attached``.

Owns: decoding, one call into the session layer, the answer.
"""

from collections.abc import Callable, Iterable, Mapping

from pilotfish.core.errors import SessionError
from pilotfish.core.ids import MessageId
from pilotfish.core.messages import DocumentBlock, ImageBlock, TextBlock
from pilotfish.edges.channel import Handler
from pilotfish.session.prompt_queue import Outcome, WaitingPrompt, attached_to, words_of
from pilotfish.session.resend import find_prompt, resend
from pilotfish.session.session import Session
from pilotfish.wire import queue as wire

MAX_LISTED_CHARS = 4_000_000
"""Words in one list; a message has room for little more."""


class QueueMethods:
    """Serves one client."""

    def __init__(self, session: Callable[[str], Session]) -> None:
        self._session = session

    def handlers(self) -> Mapping[str, Handler]:
        """Return the table of methods."""
        return {
            wire.QUEUE.name: Handler(params=wire.QueueParams, call=self._queue),
            wire.RESEND.name: Handler(params=wire.ResendParams, call=self._resend),
            wire.ATTACHED.name: Handler(params=wire.AttachedParams, call=self._attached),
        }

    async def _queue(self, params: wire.QueueParams) -> wire.QueueResponse:
        session = self._session(params.session_id)
        if params.change == "list":
            items = entries_of(session.queue.prompts)
            return wire.QueueResponse(
                outcome="done", items=items, left_off=len(session.queue) - len(items)
            )
        if params.message_id is None:
            raise SessionError("messageId: it says which prompt is meant, and is missing.")
        outcome = await _change(session, MessageId(params.message_id), params)
        now = session.queue.find(MessageId(params.message_id)) if outcome == "changed" else None
        return wire.QueueResponse(outcome=outcome, items=[] if now is None else entries_of([now]))

    async def _resend(self, params: wire.ResendParams) -> wire.ResendResponse:
        session = self._session(params.session_id)
        sent = await resend(session, MessageId(params.message_id), params.text)
        return wire.ResendResponse(message_id=sent)

    async def _attached(self, params: wire.AttachedParams) -> wire.AttachedResponse:
        session = self._session(params.session_id)
        prompt = await find_prompt(session.log, MessageId(params.message_id))
        pictures = (block for block in prompt.content if isinstance(block, ImageBlock))
        documents = (block for block in prompt.context if isinstance(block, DocumentBlock))
        files = [
            *(
                wire.AttachedFile(name="", mime_type=picture.media_type, data=picture.data)
                for picture in pictures
            ),
            *(
                wire.AttachedFile(name=one.name, mime_type=one.media_type, data=one.data)
                for one in documents
            ),
        ]
        return wire.AttachedResponse(files=files)


def entries_of(waiting: Iterable[WaitingPrompt]) -> list[wire.QueuedPrompt]:
    """Return prompts as clients list them, as many as fit."""
    entries: list[wire.QueuedPrompt] = []
    room = MAX_LISTED_CHARS
    for one in waiting:
        content = one.prompt.content
        text = words_of(content)
        room -= len(text)
        if room < 0:
            break
        names = [
            block.text if isinstance(block, TextBlock) else "[image]"
            for block in attached_to(content)
        ]
        entries.append(
            wire.QueuedPrompt(
                message_id=one.id, text=text, attachments=names, revision=one.revision
            )
        )
    return entries


async def _change(session: Session, prompt: MessageId, params: wire.QueueParams) -> Outcome:
    match params.change:
        case "update":
            if params.text is None or params.revision is None:
                raise SessionError("text, revision: an update needs both.")
            return session.queue.revise(prompt, params.text, params.revision)
        case "remove":
            return session.queue.remove(prompt)
        case "move":
            before = None if params.before is None else MessageId(params.before)
            return session.queue.move(prompt, before)
        case _:
            return await session.send_now(prompt)
