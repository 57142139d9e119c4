"""Prompt content from the wire.

Owns: ACP content blocks as our own blocks, with limits.
"""

from base64 import b64decode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import unquote

from pilotfish.core.errors import SessionError
from pilotfish.core.messages import ImageBlock, TextBlock
from pilotfish.util.image_type import ImageType, image_type

MAX_IMAGE_BASE64_CHARS = 7_000_000
"""About 5 MB of image, the Messages API's limit for one."""

MAX_EMBEDDED_CHARS = 400_000
"""Longest embedded resource in characters; more would not fit any model's window beside the rest."""

_IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptParts:
    """A prompt taken apart."""

    content: list[TextBlock | ImageBlock]
    """What the user said, as views show it."""
    context: list[str]
    """Embedded resources in full; for the model alone."""


def parts_from_acp(prompt: Iterable[Mapping[str, Any]]) -> PromptParts:
    """Convert a prompt's content blocks.

    Raises:
        SessionError: A block is of a kind or size that cannot be used; names the block.
    """
    blocks: list[TextBlock | ImageBlock] = []
    context: list[str] = []
    for index, block in enumerate(prompt):
        match block.get("type"):
            case "text":
                blocks.append(TextBlock(text=_clean(str(block.get("text", "")))))
            case "image":
                blocks.append(_image(index, block))
            case "resource_link":
                blocks.append(TextBlock(text=f"@{block.get('uri', '')}"))
            case "resource":
                name, text = _resource(index, block)
                blocks.append(TextBlock(text=f"@{name}"))
                context.append(text)
            case kind:
                raise SessionError(f"prompt[{index}]: content of type {kind!r} cannot be used.")
    return PromptParts(content=blocks, context=context)


def _clean(text: str) -> str:
    """Replace lone surrogates, which JSON can carry and no request to a model can."""
    return text.encode("utf-8", "replace").decode()


def _image(index: int, block: Mapping[str, Any]) -> ImageBlock:
    media_type = str(block.get("mimeType", ""))
    data = str(block.get("data", ""))
    if media_type not in _IMAGE_TYPES:
        raise SessionError(
            f"prompt[{index}]: images of type {media_type!r} cannot be used.",
            hint=f"Use one of {', '.join(_IMAGE_TYPES)}.",
        )
    if len(data) > MAX_IMAGE_BASE64_CHARS:
        raise SessionError(f"prompt[{index}]: the image is larger than 5 MB.")
    found = _type_of(data)
    if found is None:
        # It would be in the conversation for good, and every request with it would be refused.
        raise SessionError(f"prompt[{index}]: the data is no image that can be used.")
    return ImageBlock(media_type=found, data=data)


def _type_of(data: str) -> ImageType | None:
    try:
        return image_type(b64decode(data, validate=True))
    except ValueError:
        return None


def _resource(index: int, block: Mapping[str, Any]) -> tuple[str, str]:
    """Return a resource's short name, and its text with where it comes from."""
    resource = cast("Mapping[str, Any]", block.get("resource") or {})
    text = resource.get("text")
    if not isinstance(text, str):
        raise SessionError(f"prompt[{index}]: only text resources can be embedded.")
    if len(text) > MAX_EMBEDDED_CHARS:
        raise SessionError(
            f"prompt[{index}]: the embedded resource has {len(text):,} characters, "
            f"more than {MAX_EMBEDDED_CHARS:,}.",
            hint="Mention the file instead; the agent reads what it needs.",
        )
    uri = str(resource.get("uri", ""))
    name = unquote(uri.rsplit("/", 1)[-1]) or uri
    return name, f"The user attached {uri}:\n```\n{_clean(text)}\n```"
