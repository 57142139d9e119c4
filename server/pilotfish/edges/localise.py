"""The server's texts in the language of whoever reads them.

Owns: where texts for people stand in what goes out, and putting the editor's language there.
Does not own: the texts (they are English where they are made, in logs, in transcripts and for the
model), the translations (``chinese``).

Imported before anything heavy: keep to the standard library.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, cast

from pilotfish.edges.chinese import CHINESE

Path = tuple[str, ...]

ALL = "*"
"""Every entry of a list."""

_QUESTION: tuple[Path, ...] = (
    ("options", ALL, "name"),
    ("_meta", "pilotfish", "reason"),
    ("_meta", "pilotfish", "suggestions", ALL, "label"),
)
_OPTIONS: tuple[Path, ...] = (("configOptions", ALL, "name"),)
_MODES: tuple[Path, ...] = tuple(("availableModes", ALL, key) for key in ("name", "description"))
_UPDATE: tuple[Path, ...] = (
    *(("update", *path) for path in _OPTIONS),
    ("_meta", "pilotfish", "turn", "message"),
    ("_meta", "pilotfish", "retry", "message"),
    ("_meta", "pilotfish", "decision", "reason"),
    ("_meta", "pilotfish", "note"),
)

PLACES: dict[str, tuple[Path, ...]] = {
    "session/request_permission": _QUESTION,
    "session/update": _UPDATE,
    "_pilotfish/provider": _OPTIONS,
}
"""Where the parameters of a message hold texts for people, by its method."""

ANSWERS: tuple[Path, ...] = (
    *(("modes", *path) for path in _MODES),
    *_OPTIONS,
    *(("updates", ALL, *path) for path in _UPDATE),
    *(("questions", ALL, "request", *path) for path in _QUESTION),
    *(
        ("capabilities", "experimental", "pilotfish", "modes", ALL, key)
        for key in ("name", "description")
    ),
)
"""Where an answer may hold them: the beginning of a session, a snapshot, the inbox, ``initialize``."""

Translate = Callable[[str], str]
"""Returns a text in the reader's language."""

_SENTENCE_END = re.compile(r"(?<=[.!?]) ")
_HOLE = re.compile(r"\{\d+\}")


def translator(locale: object) -> Translate:
    """Return what translates texts; one that is not in the catalogue stays as it is.

    Args:
        locale: As the editor names it, such as ``zh-cn``; anything else counts as English.
    """
    if not isinstance(locale, str) or not locale.lower().startswith("zh"):
        return str
    return _Chinese().translate


def localise(message: dict[str, Any], translate: Translate) -> dict[str, Any]:
    """Return a message that goes out with its texts for people translated; it is left as it was."""
    if translate is str:
        return message
    method = message.get("method")
    if isinstance(method, str) and method in PLACES:
        return {**message, "params": _at(message.get("params"), PLACES[method], translate)}
    if "result" in message:
        return {**message, "result": _at(message["result"], ANSWERS, translate)}
    if "error" in message:
        return {**message, "error": _at(message["error"], (("message",),), translate)}
    return message


def _at(value: Any, paths: Sequence[Path], translate: Translate) -> Any:
    for path in paths:
        value = _replaced(value, path, translate)
    return value


def _replaced(value: Any, path: Path, translate: Translate) -> Any:
    """Return a value with the text at a path translated; only what lies on the path is copied."""
    if not path:
        return translate(value) if isinstance(value, str) else value
    step, rest = path[0], path[1:]
    if step == ALL:
        if not isinstance(value, list):
            return value
        return [_replaced(item, rest, translate) for item in cast("list[Any]", value)]
    section = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if step not in section:
        return cast("Any", value)
    return {**section, step: _replaced(section[step], rest, translate)}


class _Chinese:
    """Looks texts up: whole, by their pattern, and sentence by sentence."""

    def __init__(self) -> None:
        holed = sorted((text for text in CHINESE if _HOLE.search(text)), key=len, reverse=True)
        self._patterns = [(_pattern(text), CHINESE[text]) for text in holed]

    def translate(self, text: str) -> str:
        whole = self._one(text)
        if whole is not None:
            return whole
        sentences = _SENTENCE_END.split(text)
        if len(sentences) == 1:
            return text
        found = [self._one(sentence) for sentence in sentences]
        if all(one is None for one in found):
            return text
        return " ".join(one or said for one, said in zip(found, sentences, strict=True))

    def _one(self, text: str) -> str | None:
        if text in CHINESE:
            return CHINESE[text]
        for pattern, local in self._patterns:
            match = pattern.fullmatch(text)
            if match is not None:
                parts = [self._one(part) or part for part in match.groups()]
                return local.format(*parts)
        return None


def _pattern(text: str) -> re.Pattern[str]:
    """Return what matches a text with anything in its holes, which stand in order."""
    fixed = [re.escape(part) for part in _HOLE.split(text)]
    return re.compile("(.+?)".join(fixed), re.DOTALL)
