"""Texts as servers accept them.

Owns: what stands where nothing can stand, and removing what no request can carry. Pure.
"""

from pilotfish.core.jsontypes import JsonValue

NO_TEXT = "(no text)"
"""Stands for a message of which nothing can be sent; servers take no empty ones."""

NO_OUTPUT = "(no output)"
"""Stands for a tool result without content."""

IMAGE_LEFT_OUT = "(An image stood here; this model cannot see images.)"

DOCUMENT_LEFT_OUT = "(The document {name} stood here; this model cannot read documents.)"


def clean(text: str) -> str:
    """Replace lone surrogates by U+FFFD: no UTF-8 body, file or path can carry them."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def clean_json(value: JsonValue) -> JsonValue:
    """Clean every text in a JSON value."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [clean_json(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): clean_json(item) for key, item in value.items()}
    return value
