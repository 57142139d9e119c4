"""Checking images.

Owns: source kinds, media types, base64, size. Does not own: where images may stand (``blocks``).
"""

import binascii

from tools.fake_model.jsontypes import JsonObject
from tools.fake_model.validation.problem import InvalidRequestError, need_object, need_text

MEDIA_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")

_MAGIC = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"GIF8", "image/gif"),
)


def check_image(block: JsonObject, path: str, max_bytes: int) -> None:
    """Check an ``image`` block.

    Raises:
        InvalidRequestError: The source is malformed, of an unsupported type, too large, or its
            bytes are recognisably of another type than it says.
    """
    source_path = f"{path}.source"
    source = need_object(block.get("source"), source_path)
    match source.get("type"):
        case "base64":
            _check_base64(source, source_path, max_bytes)
        case "url":
            url = need_text(source, "url", source_path)
            if not url.startswith(("http://", "https://")):
                raise InvalidRequestError(f"{source_path}.url", "must be an http or https address")
        case "file":
            need_text(source, "file_id", source_path)
        case _:
            raise InvalidRequestError(f"{source_path}.type", "must be base64, url or file")


def _check_base64(source: JsonObject, path: str, max_bytes: int) -> None:
    media_type = need_text(source, "media_type", path)
    if media_type not in MEDIA_TYPES:
        raise InvalidRequestError(f"{path}.media_type", f"must be one of {', '.join(MEDIA_TYPES)}")
    try:
        data = binascii.a2b_base64(need_text(source, "data", path), strict_mode=True)
    except ValueError as error:
        raise InvalidRequestError(f"{path}.data", f"not valid base64: {error}") from error
    if len(data) > max_bytes:
        text = f"the image is too large: {len(data)} bytes > {max_bytes} maximum"
        raise InvalidRequestError(f"{path}.data", text)
    found = _media_type_of(data)
    if found is not None and found != media_type:
        raise InvalidRequestError(f"{path}.data", f"the bytes are {found}, not {media_type}")


def _media_type_of(data: bytes) -> str | None:
    """The type the first bytes tell, None if they tell nothing."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((name for magic, name in _MAGIC if data.startswith(magic)), None)
