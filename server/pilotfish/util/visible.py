"""Text that shows what it holds.

Owns: which characters make a text look other than it is, and their visible form. Pure.

A terminal obeys control characters, and every view obeys those that turn the direction of writing or
take no room. Where text of a model, a repository or a command is shown to a person who decides by it,
such characters are shown as escapes.
"""

import re

_HIDDEN = (
    "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f"  # control characters, except tab and line feed
    "\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f"  # marks and blanks without width
    "\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb"  # line ends, directions, invisible signs
    "\\u115f\\u1160\\u3164\\uffa0"  # letters that are drawn as nothing
    "\\ud800-\\udfff"  # half characters: undecodable bytes of file names
    "\\U000e0000-\\U000e0fff"  # tags, an invisible copy of ASCII; variation selectors
)
"""The joiners U+200C and U+200D are not in it: emoji and several scripts need them."""

_HIDDEN_CHARACTER = re.compile(f"[{_HIDDEN}]")


def hidden_characters(text: str) -> tuple[str, ...]:
    """Return the names (``U+202E``) of the characters that would not show, each once."""
    return tuple(dict.fromkeys(f"U+{ord(one):04X}" for one in _HIDDEN_CHARACTER.findall(text)))


def visible(text: str) -> str:
    """Return the text with hidden characters as escapes; tabs and line feeds stay."""
    return _HIDDEN_CHARACTER.sub(lambda match: _escape(match.group()), text)


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
