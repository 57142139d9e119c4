"""Pictures made small enough for the model.

Owns: the ladder of design 06 §4.1: as it is, then smaller, then coarser, until it fits the budget.
Blocking; call in a thread. Pillow is imported on first use.
"""

import base64
import io
from typing import TYPE_CHECKING

from pilotfish.core.errors import WorkspaceError
from pilotfish.core.messages import ImageBlock
from pilotfish.util.image_type import ImageType, image_type
from pilotfish.util.records import dataclass

if TYPE_CHECKING:
    from PIL.Image import Image

MAX_TOKENS = 25_000
"""Most tokens that one picture may cost."""

_TOKENS_PER_CHAR = 0.125
"""Tokens that a character of base64 is estimated at (design 06 §4.1)."""

MAX_READ_CHARS = int(MAX_TOKENS / _TOKENS_PER_CHAR)
"""Most base64 of a picture that the model asked to see."""

MAX_ATTACHED_CHARS = 4_000_000
"""Most base64 of a picture that the user attached: APIs take 5 MB, and the user chose it."""

MAX_EDGE = 1568
"""Longest edge in pixels; models shrink larger pictures to this themselves."""

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Largest picture file that is opened."""

_MAX_PIXELS = 64_000_000
"""Most pixels that are decoded, 256 MB of memory: a small file can claim to hold billions."""

_LADDER = ((MAX_EDGE, 80), (MAX_EDGE, 60), (MAX_EDGE, 40), (1024, 50), (800, 30), (400, 20))
"""Longest edge and JPEG quality of each try; the last one always fits."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Picture:
    """A picture for the model."""

    block: ImageBlock
    note: str
    """What was done to it; empty when it is as it was."""


def token_estimate(data: bytes) -> int:
    """Return the tokens that a picture is estimated at."""
    return int(_base64_chars(data) * _TOKENS_PER_CHAR)


def fit_picture(data: bytes, name: str, max_chars: int = MAX_READ_CHARS) -> Picture:
    """Return a picture within the budget.

    Args:
        data: The picture.
        name: What errors call it.
        max_chars: Most base64 characters that it may have.

    Raises:
        WorkspaceError: It is no picture, is damaged, or has too many pixels to decode.
    """
    kind = image_type(data)
    if kind is None:
        raise WorkspaceError(f"{name} is named like an image but holds none that can be shown.")
    # Loading it takes a while, and most sessions see no picture.
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data)) as image:
            size = image.size
            if max(size) <= MAX_EDGE and _base64_chars(data) <= max_chars:
                # A torn one is refused by the model's server, with the whole conversation.
                image.load()
                return Picture(block=_block(kind, data), note="")
            # A JPEG can be decoded at a fraction of its size.
            image.draft("RGB", (MAX_EDGE, MAX_EDGE))
            if image.width * image.height > _MAX_PIXELS:
                raise WorkspaceError(
                    f"{name} has {size[0]:,} × {size[1]:,} pixels, more than can be shown.",
                    hint="Make a smaller copy with Bash and read that.",
                )
            return _shrunk(image, size, max_chars)
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError) as error:
        raise WorkspaceError(f"{name} cannot be shown: {error}.") from error
    except SyntaxError as error:  # Pillow's word for a damaged PNG
        raise WorkspaceError(f"{name} is damaged: {error}.") from error


def _base64_chars(data: bytes) -> int:
    return (len(data) + 2) // 3 * 4


def _shrunk(image: "Image", size: tuple[int, int], max_chars: int) -> Picture:
    kind: ImageType = "image/png"
    data = b""
    if image.format == "PNG":
        data = _saved(image, MAX_EDGE)
    if not data or _base64_chars(data) > max_chars:
        kind = "image/jpeg"
        for edge, quality in _LADDER:
            data = _saved(image, edge, quality)
            if _base64_chars(data) <= max_chars:
                break
    note = f"The picture has {size[0]} × {size[1]} pixels and was made smaller to be shown."
    return Picture(block=_block(kind, data), note=note)


def _saved(image: "Image", edge: int, quality: int | None = None) -> bytes:
    """Return the picture within a square; as JPEG when a quality is given, else as PNG."""
    copy = image.copy()
    if quality is not None:
        copy = _without_transparency(copy)
    elif copy.mode not in {"RGB", "RGBA", "L", "LA", "1"}:
        copy = copy.convert("RGBA")
    copy.thumbnail((edge, edge))
    out = io.BytesIO()
    if quality is None:
        copy.save(out, "PNG", optimize=True)
    else:
        copy.save(out, "JPEG", quality=quality)
    return out.getvalue()


def _without_transparency(image: "Image") -> "Image":
    if image.mode in {"RGB", "L"}:
        return image
    from PIL import Image

    layer = image.convert("RGBA")
    white = Image.new("RGBA", layer.size, "white")
    return Image.alpha_composite(white, layer).convert("RGB")


def _block(kind: ImageType, data: bytes) -> ImageBlock:
    return ImageBlock(media_type=kind, data=base64.b64encode(data).decode("ascii"))
