"""The language that the built-in demo speaks.

Owns: that it is the editor's, and Chinese with whoever writes Chinese.
Does not own: the texts (``llm.providers.demo``), the translations (``chinese``).
"""

import re
from functools import cache

from pilotfish.llm.demo_voice import Say, Voice

_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def demo_voice(locale: object) -> Voice:
    """Return the voice for a client.

    Args:
        locale: Its language, as the client names it.
    """

    @cache
    def voice(*, is_chinese: bool) -> Say:
        # Only the demo needs the catalogue, which takes a while to load.
        from pilotfish.edges.localise import translator  # noqa: PLC0415

        translate = translator("zh" if is_chinese else locale)
        return lambda text: translate(text, "demo")

    return lambda prompt: voice(is_chinese=_CHINESE.search(prompt) is not None)
