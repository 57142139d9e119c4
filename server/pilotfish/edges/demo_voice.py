"""The language that the built-in demo speaks.

Owns: that it is the editor's, and Chinese with whoever writes Chinese.
Does not own: the texts (``llm.providers.demo``), the translations (``chinese``).
"""

import re

from pilotfish.edges.localise import translator
from pilotfish.llm.demo_voice import Say, Voice

_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def demo_voice(locale: object) -> Voice:
    """Return the voice for a client.

    Args:
        locale: Its language, as the client names it.
    """
    usual, chinese = translator(locale), translator("zh")

    def choose(prompt: str) -> Say:
        translate = chinese if _CHINESE.search(prompt) else usual
        return lambda text: translate(text, "demo")

    return choose
