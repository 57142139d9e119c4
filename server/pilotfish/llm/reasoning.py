"""Reasoning that carries no vendor's signature.

Owns: how a thinking block says that a chat completions server sent it: the name of the field it came in
stands in the place of the signature. Such servers want it back under that name; the Messages API would
refuse it.
"""

from typing import Final

REASONING_FIELDS: Final = ("reasoning_content", "reasoning")
"""Names that servers use, the more common one first (DeepSeek, vLLM, llama.cpp; OpenRouter, Ollama)."""


def reasoning_field_of(signature: str) -> str | None:
    """Return the field that a thinking block came in; None for a vendor's own signature."""
    return signature if signature in REASONING_FIELDS else None
