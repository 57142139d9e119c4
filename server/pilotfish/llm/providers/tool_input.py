"""The input of a tool call, as models stream it.

Owns: turning its text into an object, or saying to the model what is wrong with it. Pure.
"""

from typing import cast

from pilotfish.core.jsontypes import JsonObject
from pilotfish.llm.providers.texts import clean, clean_json
from pilotfish.util import strict_json

MAX_INPUT_EXCERPT_CHARS = 200
"""How much of an unreadable tool input is shown to the model."""


def parse_tool_input(text: str) -> tuple[JsonObject, str | None]:
    """Return the input and no problem, or nothing and the problem. No text means no arguments."""
    if not text.strip():
        return {}, None
    text = clean(text)
    try:
        value: object = strict_json.loads(text)
        if "\\ud" in text.lower():  # the only way in for half a character
            value = clean_json(cast(JsonObject, value))
    except (ValueError, RecursionError) as error:
        return {}, f"The input is not valid JSON ({error}). It began: {_excerpt(text)}"
    if isinstance(value, str):  # some servers encode it twice
        inner, problem = parse_tool_input(value)
        if problem is None:
            return inner, None
    if not isinstance(value, dict):
        return {}, f"The input must be a JSON object. It was: {_excerpt(text)}"
    return cast(JsonObject, value), None


def _excerpt(text: str) -> str:
    cut = text[:MAX_INPUT_EXCERPT_CHARS]
    return cut if len(cut) == len(text) else cut + "…"
