"""Prompt content from the wire.

Owns: ACP content blocks as our own blocks, with limits.
"""

from collections.abc import Iterable, Mapping
from typing import Any, cast

from pilotfish.core.errors import SessionError
from pilotfish.core.messages import ImageBlock, TextBlock

MAX_IMAGE_BASE64_CHARS = 7_000_000
"""About 5 MB of image, the Messages API's limit for one."""

MAX_EMBEDDED_CHARS = 400_000
"""Longest embedded resource in characters; more would not fit any model's window beside the rest."""

_IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def blocks_from_acp(prompt: Iterable[Mapping[str, Any]]) -> list[TextBlock | ImageBlock]:
    """Convert a prompt's content blocks.

    Raises:
        SessionError: A block is of a kind or size that cannot be used; names the block.
    """
    blocks: list[TextBlock | ImageBlock] = []
    for index, block in enumerate(prompt):
        match block.get("type"):
            case "text":
                blocks.append(TextBlock(text=_clean(str(block.get("text", "")))))
            case "image":
                blocks.append(_image(index, block))
            case "resource_link":
                blocks.append(TextBlock(text=f"@{block.get('uri', '')}"))
            case "resource":
                blocks.append(_resource(index, block))
            case kind:
                raise SessionError(f"prompt[{index}]: content of type {kind!r} cannot be used.")
    return blocks


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
    return ImageBlock(media_type=media_type, data=data)


def _resource(index: int, block: Mapping[str, Any]) -> TextBlock:
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
    return TextBlock(
        text=f'<resource uri="{resource.get("uri", "")}">\n{_clean(text)}\n</resource>'
    )
