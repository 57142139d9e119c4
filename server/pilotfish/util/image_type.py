"""What kind of image some bytes are.

Owns: telling by the first bytes: names and labels lie, and models check.
"""

from typing import Literal

ImageType = Literal["image/png", "image/jpeg", "image/gif", "image/webp"]
"""The kinds that models take."""


def image_type(data: bytes) -> ImageType | None:
    """Return the kind of an image; None for anything else."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return None
