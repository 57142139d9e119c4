"""Prompt content from the wire.

Owns: ACP content blocks as our own blocks, with limits; what a prompt points at, back again.
"""

from base64 import b64decode
from collections.abc import Iterable, Mapping
from typing import Any, cast
from urllib.parse import unquote

from pilotfish.core.errors import SessionError
from pilotfish.core.mentions import Mention
from pilotfish.core.messages import DocumentBlock, ImageBlock, TextBlock
from pilotfish.util.fenced import fenced
from pilotfish.util.image_type import image_type
from pilotfish.util.records import dataclass

MAX_ATTACHED_BASE64_CHARS = 9_500_000
"""About 7 MB of picture or document; a message of the client can hold little more."""

MAX_EMBEDDED_CHARS = 400_000
"""Longest embedded resource in characters; more would not fit any model's window beside the rest."""

MAX_BLOCKS = 1_000
"""Content blocks of one prompt; reading a hundred thousand would hold up everybody for seconds."""

MAX_MENTIONS = 50
"""Things that one prompt may point at."""

_PDF_MARK = b"%PDF-"
"""What a PDF document begins with."""

_IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptParts:
    """A prompt taken apart."""

    content: list[TextBlock | ImageBlock]
    """What the user said, as views show it."""
    context: list[str]
    """Embedded texts in full; for the model alone."""
    documents: list[DocumentBlock]
    """Embedded documents; for the model alone."""
    mentions: list[Mention]
    """What it points at."""


def parts_from_acp(prompt: Iterable[Mapping[str, Any]]) -> PromptParts:
    """Convert a prompt's content blocks.

    Raises:
        SessionError: A block is of a kind or size that cannot be used; names the block.
    """
    blocks = list(prompt)
    words = "\n".join(str(block.get("text", "")) for block in blocks if block.get("type") == "text")
    parts = PromptParts(content=[], context=[], documents=[], mentions=[])
    for index, block in enumerate(blocks):
        match block.get("type"):
            case "text":
                parts.content.append(TextBlock(text=_clean(str(block.get("text", "")))))
            case "image":
                parts.content.append(_image(index, block))
            case "resource_link":
                uri = _clean(str(block.get("uri", "")))
                given = _clean(str(block.get("name") or ""))
                _mention(Mention(uri=uri, name=_plain(given or _name_of(uri))), words, parts)
            case "resource":
                _embed(index, cast("Mapping[str, Any]", block.get("resource") or {}), words, parts)
            case kind:
                raise SessionError(f"prompt[{index}]: content of type {kind!r} cannot be used.")
    if len(parts.mentions) > MAX_MENTIONS:
        raise SessionError(
            f"The prompt points at {len(parts.mentions)} things; {MAX_MENTIONS} is the limit.",
            hint="Mention a folder instead; the agent reads what it needs.",
        )
    return parts


def mention_to_acp(mention: Mention) -> dict[str, Any]:
    """Return what a prompt points at as the protocol has it."""
    return {"type": "resource_link", "uri": mention.uri, "name": mention.name}


def _mention(mention: Mention, words: str, parts: PromptParts) -> None:
    """Add what a prompt points at; the model reads its name where it stands among the words."""
    parts.mentions.append(mention)
    if f"@{mention.name}" not in words:
        parts.content.append(TextBlock(text=f"@{mention.name}"))


def _plain(name: str) -> str:
    """Return a name as words that no reader takes for a Markdown link, on one line."""
    return " ".join(name.split()).replace("](", "] (")


def _clean(text: str) -> str:
    """Replace lone surrogates, which JSON can carry and no request to a model can."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def _image(index: int, block: Mapping[str, Any]) -> ImageBlock:
    media_type = str(block.get("mimeType", ""))
    data = str(block.get("data", ""))
    if media_type not in _IMAGE_TYPES:
        raise SessionError(
            f"prompt[{index}]: images of type {media_type!r} cannot be used.",
            hint=f"Use one of {', '.join(_IMAGE_TYPES)}.",
        )
    found = image_type(_decoded(index, data))
    if found is None:
        # It would be in the conversation for good, and every request with it would be refused.
        raise SessionError(f"prompt[{index}]: the data is no image that can be used.")
    return ImageBlock(media_type=found, data=data)


def _name_of(uri: str) -> str:
    return unquote(uri.rstrip("/").rsplit("/", 1)[-1]) or uri


def _embed(index: int, resource: Mapping[str, Any], words: str, parts: PromptParts) -> None:
    """Add an embedded resource: its name for everybody, what it holds for the model."""
    uri = _clean(str(resource.get("uri", "")))
    name = _plain(_given_name(resource) or _name_of(uri))
    _mention(Mention(uri=uri, name=name, embedded=True), words, parts)
    # The words may call it otherwise than its address does: what is selected, say.
    called = f"@{name} is {uri}" if f"@{name}" in words else f"The user attached {uri}"
    text = resource.get("text")
    if isinstance(text, str):
        parts.context.append(_quoted(index, called, _clean(text)))
        return
    blob = str(resource.get("blob") or "")
    data = _decoded(index, blob)
    picture = image_type(data)
    if picture is not None:
        parts.content.append(ImageBlock(media_type=picture, data=blob))
    elif data.startswith(_PDF_MARK):
        parts.documents.append(DocumentBlock(name=name, data=blob))
    else:
        parts.context.append(_quoted(index, called, _as_text(index, name, data)))


def _given_name(resource: Mapping[str, Any]) -> str:
    """Return how the prompt calls an embedded resource; empty when the client does not say."""
    meta = resource.get("_meta")
    ours = cast("Mapping[str, Any]", meta).get("pilotfish") if isinstance(meta, dict) else None
    name = cast("Mapping[str, Any]", ours).get("name") if isinstance(ours, dict) else None
    return _clean(name) if isinstance(name, str) else ""


def _quoted(index: int, called: str, text: str) -> str:
    if len(text) > MAX_EMBEDDED_CHARS:
        raise SessionError(
            f"prompt[{index}]: the embedded resource has {len(text):,} characters, "
            f"more than {MAX_EMBEDDED_CHARS:,}.",
            hint="Mention the file instead; the agent reads what it needs.",
        )
    return f"{called}:\n{fenced(text)}"


def _as_text(index: int, name: str, data: bytes) -> str:
    """Return the text that a blob holds."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if not text or "\0" in text:
        raise SessionError(
            f"prompt[{index}]: {name or 'the embedded resource'} ({len(data):,} bytes) is no text, "
            "no picture and no PDF document, so no model can read it.",
            hint="Mention the file instead; the agent can look at it with its tools.",
        )
    return text


def _decoded(index: int, data: str) -> bytes:
    if len(data) > MAX_ATTACHED_BASE64_CHARS:
        size, limit = len(data) * 3 // 4, MAX_ATTACHED_BASE64_CHARS * 3 // 4
        raise SessionError(
            f"prompt[{index}]: the attachment has {size:,} bytes, more than {limit:,}.",
            hint="Attach a smaller one, or mention the file; the agent reads what it needs.",
        )
    try:
        return b64decode(data, validate=True)
    except ValueError:
        raise SessionError(
            f"prompt[{index}]: the data is no image or document in base64."
        ) from None
