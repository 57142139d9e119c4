"""Filling ``{{name}}`` in scripted content.

Owns: the syntax and where it applies. Does not own: the values (``facts``, scenario variables).
"""

import re
from collections.abc import Callable
from dataclasses import replace

from pydantic import JsonValue

from tools.fake_model.blocks import Item, RawBlock, Text, Thinking, ToolUse

_NAME = re.compile(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}")

Lookup = Callable[[str], JsonValue]
"""Gives the value of a name; raises ``KeyError`` for unknown ones, which stay as they are."""


def fill_text(text: str, lookup: Lookup) -> str:
    """Replace every known ``{{name}}`` in ``text``."""
    if "{{" not in text:
        return text

    def value(match: re.Match[str]) -> str:
        try:
            return str(lookup(match[1]))
        except KeyError:
            return match[0]

    return _NAME.sub(value, text)


def fill_json(value: JsonValue, lookup: Lookup) -> JsonValue:
    """Replace names in every string of ``value``, but not in keys.

    A string that is nothing but one ``{{name}}`` becomes the value itself, a number for instance.
    """
    if isinstance(value, str):
        whole = _NAME.fullmatch(value)
        if whole is not None:
            try:
                return lookup(whole[1])
            except KeyError:
                return value
        return fill_text(value, lookup)
    if isinstance(value, list):
        return [fill_json(item, lookup) for item in value]
    if isinstance(value, dict):
        return {key: fill_json(item, lookup) for key, item in value.items()}
    return value


def fill_item(item: Item, lookup: Lookup) -> Item:
    """Fill the text and tool input of an item; opaque data and raw events stay as they are."""
    match item:
        case Text():
            return replace(item, text=fill_text(item.text, lookup))
        case Thinking():
            return replace(item, thinking=fill_text(item.thinking, lookup))
        case ToolUse():
            return replace(
                item,
                input={key: fill_json(value, lookup) for key, value in item.input.items()},
                id=None if item.id is None else fill_text(item.id, lookup),
                raw_json=None if item.raw_json is None else fill_text(item.raw_json, lookup),
            )
        case RawBlock():
            block = {key: fill_json(value, lookup) for key, value in item.block.items()}
            return replace(item, block=block)
        case _:
            return item
