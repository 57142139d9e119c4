"""The language that the demo speaks.

Owns: what a voice is. Does not own: languages (``edges.demo_voice``).
"""

from collections.abc import Callable
from typing import TypeAlias

Say: TypeAlias = Callable[[str], str]
"""Returns an English text in the language of whoever reads it."""

Voice: TypeAlias = Callable[[str], Say]
"""Chooses the language by the prompt."""


def english(text: str) -> str:
    """Return a text as it was written."""
    return text


def always_english(_prompt: str) -> Say:
    """Speak English whatever is asked."""
    return english
