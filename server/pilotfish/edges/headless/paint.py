"""Colours on a terminal."""

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}


def paint(text: str, style: str) -> str:
    """Colour text with the escape sequences that every terminal knows."""
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m"


def plain(text: str, _: str) -> str:
    """Leave text as it is, where there is no terminal."""
    return text
