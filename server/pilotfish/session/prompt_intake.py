"""What the user attaches, made into what the model takes.

Owns: how many pictures and documents a prompt may hold, refusing what the model cannot take, making
pictures small enough, counting the pages of documents; and saying so.
Does not own: reading the client's blocks (``edges.content``), what mentions come to
(``session.prompt_mentions``), what a whole request may hold (``engine.media``).
"""

import asyncio
from base64 import b64decode
from collections.abc import Awaitable, Callable, Sequence

from pilotfish.core.errors import SessionError, WorkspaceError
from pilotfish.core.events import PromptSubmitted
from pilotfish.core.ids import new_message_id
from pilotfish.core.mentions import Mention
from pilotfish.core.messages import DocumentBlock, ImageBlock, TextBlock
from pilotfish.engine.conversation import as_reminder
from pilotfish.llm.catalog import ModelFacts
from pilotfish.ports.processes import ProcessPort
from pilotfish.util.records import dataclass
from pilotfish.workspace.pdf import count_pages
from pilotfish.workspace.pictures import MAX_ATTACHED_CHARS, fit_picture

MAX_PICTURES = 20
"""Most pictures of one prompt; with more, APIs set other limits for each."""

MAX_DOCUMENTS = 5
"""Most documents of one prompt."""

MAX_PAGES = 100
"""Most pages of one document, which APIs take; each costs a few thousand tokens."""


LONG_WORDS = 1_000_000
"""Characters; reading so many has taken its time, and so will what becomes of them: others have the event
loop in between."""


ReadMentions = Callable[[Sequence[Mention]], Awaitable[list[str]]]
"""Returns what the model is told of what a prompt points at; raises ``SessionError`` to refuse."""


async def name_only(mentions: Sequence[Mention]) -> list[str]:
    """Stand in where nothing that is mentioned is read."""
    return [f"@{one.name} stands for {one.uri}." for one in mentions if not one.embedded]


@dataclass(frozen=True, kw_only=True, slots=True)
class Taken:
    """A prompt as the model takes it."""

    content: tuple[TextBlock | ImageBlock, ...]
    notes: tuple[str, ...]
    """What it is told of what the prompt points at."""
    documents: tuple[DocumentBlock, ...] = ()
    mentions: tuple[Mention, ...] = ()

    def submitted(self, context: Sequence[str]) -> PromptSubmitted:
        """Return the event of its being sent.

        Args:
            context: What the editor adds.
        """
        notes = (TextBlock(text=as_reminder(note)) for note in (*context, *self.notes))
        return PromptSubmitted(
            message_id=new_message_id(),
            content=self.content,
            context=(*notes, *self.documents),
            mentions=self.mentions,
        )


class PromptIntake:
    """Looks at what comes with prompts, in the order in which they came."""

    def __init__(
        self,
        processes: ProcessPort,
        facts: Callable[[], ModelFacts],
        warn: Callable[[str], None],
        read_mentions: ReadMentions = name_only,
    ) -> None:
        """Prepare.

        Args:
            processes: Where documents are looked at.
            facts: What the present model can do.
            warn: Tells the user something.
            read_mentions: Reads what prompts point at.
        """
        self._processes = processes
        self._facts = facts
        self._warn = warn
        self._read_mentions = read_mentions
        self._turnstile = asyncio.Lock()

    async def take(
        self,
        content: Sequence[TextBlock | ImageBlock],
        documents: Sequence[DocumentBlock],
        mentions: Sequence[Mention] = (),
    ) -> Taken:
        """Return a prompt as the model takes it. Words alone cost nothing here.

        Raises:
            SessionError: Something cannot be taken; says what and what to do.
        """
        async with self._turnstile:
            if sum(len(one.text) for one in content if isinstance(one, TextBlock)) > LONG_WORDS:
                await asyncio.sleep(0)
            pictures = sum(isinstance(block, ImageBlock) for block in content)
            if pictures:
                self._check_pictures(pictures)
            if documents:
                await self._check_documents(documents)
            notes = await self._read_mentions(mentions) if mentions else ()
            fitted = await self._fitted(content) if pictures else tuple(content)
            return Taken(
                content=fitted,
                notes=tuple(notes),
                documents=tuple(documents),
                mentions=tuple(mentions),
            )

    def _check_pictures(self, count: int) -> None:
        facts = self._facts()
        if not facts.images:
            raise SessionError(
                f"{facts.model} cannot see pictures.", hint=_other_model(facts.model, "images")
            )
        if count > MAX_PICTURES:
            raise SessionError(
                f"The prompt holds {count} pictures; {MAX_PICTURES} is the limit.",
                hint="Send them in several prompts, or mention the files.",
            )

    async def _check_documents(self, documents: Sequence[DocumentBlock]) -> None:
        facts = self._facts()
        if not facts.documents:
            raise SessionError(
                f"{facts.model} cannot read PDF documents, so {documents[0].name} was not sent.",
                hint="Mention the file in the project instead: the agent reads its text. Or: "
                + _other_model(facts.model, "documents"),
            )
        if len(documents) > MAX_DOCUMENTS:
            raise SessionError(
                f"The prompt holds {len(documents)} documents; {MAX_DOCUMENTS} is the limit.",
                hint="Send them in several prompts, or mention the files.",
            )
        for document in documents:
            await self._check_pages(document)

    async def _check_pages(self, document: DocumentBlock) -> None:
        try:
            pages = await count_pages(self._processes, b64decode(document.data), document.name)
        except WorkspaceError as error:
            raise SessionError(error.message, hint="Attach a PDF that can be opened.") from error
        if pages > MAX_PAGES:
            raise SessionError(
                f"{document.name} has {pages} pages; {MAX_PAGES} is the limit of an attachment.",
                hint="Attach a part of it, or mention the file: the agent reads the pages it needs.",
            )

    async def _fitted(
        self, content: Sequence[TextBlock | ImageBlock]
    ) -> tuple[TextBlock | ImageBlock, ...]:
        fitted: list[TextBlock | ImageBlock] = []
        notes: list[str] = []
        for number, block in enumerate(content, start=1):
            if isinstance(block, TextBlock):
                fitted.append(block)
                continue
            name = f"Picture {sum(isinstance(one, ImageBlock) for one in content[:number])}"
            try:
                picture = await asyncio.to_thread(
                    fit_picture, b64decode(block.data), name, MAX_ATTACHED_CHARS
                )
            except WorkspaceError as error:
                raise SessionError(error.message, hint="Attach another one.") from error
            fitted.append(picture.block)
            if picture.note:
                notes.append(f"{name}: {picture.note}")
        if notes:
            self._warn("\n".join(notes))
        return tuple(fitted)


def _other_model(model: str, ability: str) -> str:
    return (
        f"Choose a model that can; if this one can, set model.capabilities to "
        f'{{"{model}": {{"{ability}": true}}}}.'
    )
