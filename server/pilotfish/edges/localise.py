"""The server's texts in the language of whoever reads them.

Owns: where texts for people stand in what goes out, and putting the editor's language there.
Does not own: the texts (they are English where they are made, in logs, in transcripts and for the
model), the translations (``chinese``).

Imported before anything heavy: keep to the standard library.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast

from pilotfish.edges import notice
from pilotfish.edges.chinese import CATALOGUE

Path = tuple[str, ...]

ALL = "*"
"""Every entry of a list."""

_QUESTION: tuple[Path, ...] = (
    ("options", ALL, "name"),
    ("_meta", "pilotfish", "suggestions", ALL, "label"),
)
_REASON: Path = ("_meta", "pilotfish", "reason")
_DECIDED: Path = ("_meta", "pilotfish", "decision", "reason")
_SAID: Path = ("update", "content", "text")
_OPTIONS: tuple[Path, ...] = (
    ("configOptions", ALL, "name"),
    *(("configOptions", ALL, "options", ALL, key) for key in ("name", "description")),
)
_MODES: tuple[Path, ...] = tuple(("availableModes", ALL, key) for key in ("name", "description"))
_UPDATE: tuple[Path, ...] = (
    *(("update", *path) for path in _OPTIONS),
    ("_meta", "pilotfish", "note"),
)
_COMMANDS: tuple[Path, ...] = (
    ("availableCommands", ALL, "description"),
    ("availableCommands", ALL, "input", "hint"),
)
_FAILURE: tuple[Path, ...] = tuple(
    ("_meta", "pilotfish", key, "message") for key in ("turn", "retry")
)

_ENDS: tuple[Path, ...] = tuple(("_meta", "pilotfish", key, "outcome") for key in ("task", "agent"))
"""How a command in the background or an agent ended."""

_ROWS: tuple[Path, ...] = (("agents", ALL), ("foreground", ALL), ("withWork", ALL))
"""Agents as lists show them."""
_TITLED: tuple[Path, ...] = (
    *((*row, "activityTool", "activity") for row in (*_ROWS, ("row",))),
    ("decisions", ALL, "tool", "title"),
)
"""Where titles of calls stand beside the name of their tool, outside of updates."""
_AGENT_ERRORS: tuple[Path, ...] = tuple((*row, "error") for row in (*_ROWS, ("row",)))

PLACES: dict[str, tuple[Path, ...]] = {
    "session/request_permission": _QUESTION,
    "session/update": _UPDATE,
    "_pilotfish/provider": _OPTIONS,
    "window/showMessage": (),
    "_pilotfish/agents/changed": (),
}
"""Where the parameters of a message hold texts for people, by its method."""

ANSWERS: tuple[Path, ...] = (
    *(("modes", *path) for path in _MODES),
    *_OPTIONS,
    *(("updates", ALL, *path) for path in _UPDATE),
    *(("questions", ALL, "request", *path) for path in _QUESTION),
    *(("authMethods", ALL, key) for key in ("name", "description")),
    *(
        ("capabilities", "experimental", "pilotfish", "modes", ALL, key)
        for key in ("name", "description")
    ),
)
"""Where an answer may hold them: the beginning of a session, a snapshot, the inbox, ``initialize``."""

_OF_TOPICS: dict[str, dict[str, tuple[Path, ...]]] = {
    "session/request_permission": {"why": (_REASON,)},
    "session/update": {
        "errors": (*_FAILURE, *_ENDS),
        "why": (_DECIDED,),
        "commands": tuple(("update", *path) for path in _COMMANDS),
    },
    "window/showMessage": {"requests": (("message",),)},
    "_pilotfish/provider": {"errors": (("problem",),), "doctor": (("description",),)},
    "_pilotfish/agents/changed": {"errors": _AGENT_ERRORS},
}
"""The same for texts that are not of the common topic."""

_ANSWERS_OF_TOPICS: dict[str, tuple[Path, ...]] = {
    "commands": _COMMANDS,
    "errors": (*(("updates", ALL, *path) for path in (*_FAILURE, *_ENDS)), *_AGENT_ERRORS),
    "doctor": tuple(("checks", ALL, key) for key in ("value", "problem")),
    "why": (
        ("updates", ALL, *_DECIDED),
        ("questions", ALL, "request", *_REASON),
        ("reason",),
        ("trace", ALL, "detail"),
        ("decisions", ALL, "reason"),
        ("groups", ALL, "because"),
    ),
    "settings": (("problems", ALL, "message"),),
    "definitions": (("problems", ALL, "text"),),
    "requests": (("refused", ALL, "reason"), ("files", ALL, "reason"), ("note",)),
}

_FURTHER: dict[str, tuple[str, ...]] = {
    "common": (),
    "commands": ("definitions", "definition parts"),
    "errors": ("common",),
    "requests": (
        *("files", "validation", "errors", "why", "reason parts", "definitions", "settings"),
        "common",
    ),
    "definitions": ("definition parts", "settings", "requests", "files", "validation"),
    "doctor": (
        *("errors", "settings", "definitions", "definition parts", "requests", "files"),
        *("validation", "common"),
    ),
    "demo": (),
    "index": (),
    "files": (),
    "settings": ("keys", "validation", "files"),
    "validation": (),
    "keys": (),
    "reason parts": (),
    "definition parts": (),
    "why": ("reason parts", "settings", "common"),
}
"""The topics that a text of a topic is looked for in as well; titles stand alone."""


def places_of(method: str | None) -> set[Path]:
    """Return where a message of the server holds texts that are translated; None: any answer."""
    common = ANSWERS if method is None else PLACES.get(method, ())
    of_topics = _ANSWERS_OF_TOPICS if method is None else _OF_TOPICS.get(method, {})
    titled = {(*path, title) for *path, _, title in _TITLED}
    return {*common, *(path for paths in of_topics.values() for path in paths), *titled}


MAX_TEXT_CHARS = 4000
"""Longer ones are not ours as a whole; looking for patterns in them would take long."""

_SENTENCE_END = re.compile(r"(?<=[.!?]) ")
_ONE_SENTENCE = r"((?:(?![.!?] [A-Z]| \(\d{3}\)[.:]).)+?)"
"""Up to the next sentence, or the status in front of what a server has said: both are texts of their own."""
_FIELD = re.compile(r"[a-z]\w*(?:\.\w+)+: ")
"""The field of a request in front of what is wrong with it, as ``updates.0.rules.0``."""
_PLAIN_FIELD = re.compile(r"[a-z]\w*: ")
"""One that is no part of another."""
_BETWEEN_PROBLEMS = "; "
"""Where several fields of a request are wrong."""
_FILE = re.compile(r"(?:/|[A-Za-z]:\\).+?(?::\d+)?: ")
"""The same for a file and its line."""

_HOLE = re.compile(r"\{(\d+)(\*?)\}")


_STOPS = ".。？！"  # noqa: RUF001 - full-width marks are Chinese punctuation
"""Where one stands at its end, a sentence is complete."""


class Translate(Protocol):
    """Returns a text in the reader's language."""

    def __call__(self, text: str, topic: str = "common") -> str:
        """Translate a text of a topic of the catalogue."""
        ...


def english(text: str, topic: str = "common") -> str:  # noqa: ARG001 - one shape for all languages
    """Return a text as it was written."""
    return text


def language_of(environment: Mapping[str, str]) -> str | None:
    """Return the language of the process's messages, as its environment names it."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    return next((environment[name] for name in names if environment.get(name)), None)


def translator(locale: object) -> Translate:
    """Return what translates texts; one that is not in the catalogue stays as it is.

    Args:
        locale: As the editor names it, such as ``zh-cn``; anything else counts as English.
    """
    if not isinstance(locale, str) or not locale.lower().startswith("zh"):
        return english
    return _Chinese().translate


def localise(message: dict[str, Any], translate: Translate) -> dict[str, Any]:
    """Return a message that goes out with its texts for people translated; it is left as it was."""
    if translate is english:
        return message
    method = message.get("method")
    if isinstance(method, str) and method in PLACES:
        params = _at(message.get("params"), PLACES[method], translate)
        params = _by_topic(params, _OF_TOPICS.get(method, {}), translate)
        return {**message, "params": _by_tool(_titled(params, translate), translate)}
    if "result" in message:
        result = _at(message["result"], ANSWERS, translate)
        result = _by_topic(result, _ANSWERS_OF_TOPICS, translate)
        return {**message, "result": _by_tool(_all_titled(result, translate), translate)}
    if "error" in message:
        return {
            **message,
            "error": _at(message["error"], (("message",),), translate, topic="requests"),
        }
    return message


def _at(value: Any, paths: Sequence[Path], translate: Translate, *, topic: str = "common") -> Any:
    for path in paths:
        value = _replaced(value, path, translate, topic)
    return value


def _by_topic(value: Any, places: Mapping[str, Sequence[Path]], translate: Translate) -> Any:
    for topic, paths in places.items():
        value = _at(value, paths, translate, topic=topic)
    return value


def _replaced(value: Any, path: Path, translate: Translate, topic: str) -> Any:
    """Return a value with the text at a path translated; only what lies on the way to it is copied.

    What holds nothing there is returned as it is: a snapshot holds thousands of updates, and few have a
    text of ours.
    """
    if not path:
        return translate(value, topic) if isinstance(value, str) else value
    step, rest = path[0], path[1:]
    if step == ALL:
        if not isinstance(value, list):
            return value
        return [_replaced(item, rest, translate, topic) for item in cast("list[Any]", value)]
    section = _object(value)
    if step not in section:
        return value
    found = _replaced(section[step], rest, translate, topic)
    return value if found is section[step] else {**section, step: found}


def _titled(params: Any, translate: Translate) -> Any:
    """Return the parameters of an update or a question with the title of the call translated.

    What a title is made of depends on the tool: a command or a path is no text of ours. The same holds
    for what is said in the conversation, but for the answers of Pilotfish itself.
    """
    meta = _object(_object(_object(params).get("_meta")).get("pilotfish"))
    said = _object(_object(params).get("update")).get("sessionUpdate")
    if said == "agent_message_chunk" and isinstance(meta.get("command"), str):
        return _replaced(params, _SAID, translate, "commands")
    if said == "agent_message_chunk" and meta.get("kind") == notice.KIND:
        return _replaced(params, _SAID, _NoticeWords(translate), "requests")
    tool = meta.get("toolName")
    if not isinstance(tool, str):
        return params
    for section in ("update", "toolCall"):
        params = _replaced(params, (section, "title"), translate, f"title {tool}")
    return params


class _NoticeWords:
    """Translates what Pilotfish itself says in a conversation."""

    def __init__(self, translate: Translate) -> None:
        self._translate = translate

    def __call__(self, text: str, topic: str = "common") -> str:
        return f"{notice.BEGIN}{self._translate(notice.words_of(text), topic)}{notice.END}"


def _all_titled(result: Any, translate: Translate) -> Any:
    """Return an answer with the titles of the calls in a snapshot, or in the inbox, translated."""
    found = _object(result)
    updates, questions = found.get("updates"), found.get("questions")
    if isinstance(updates, list):
        titled = [_titled(one, translate) for one in cast("list[Any]", updates)]
        found = {**found, "updates": titled}
    if isinstance(questions, list):
        asked = [
            {**_object(one), "request": _titled(_object(one).get("request"), translate)}
            if "request" in _object(one)
            else one
            for one in cast("list[Any]", questions)
        ]
        found = {**found, "questions": asked}
    return found or result


def _by_tool(value: Any, translate: Translate) -> Any:
    """Return lists of calls with their titles translated: what agents do, what was decided on."""
    for *path, tool, title in _TITLED:
        value = _each(value, tuple(path), tool, title, translate)
    return value


def _each(value: Any, path: Path, tool: str, title: str, translate: Translate) -> Any:
    if path and path[0] == ALL:
        if not isinstance(value, list):
            return value
        rows = cast("list[Any]", value)
        return [_each(one, path[1:], tool, title, translate) for one in rows]
    section = _object(value)
    if path:
        if path[0] not in section:
            return value
        return section | {path[0]: _each(section[path[0]], path[1:], tool, title, translate)}
    name = section.get(tool)
    return _replaced(value, (title,), translate, f"title {name}") if name else value


def _object(value: Any) -> dict[str, Any]:
    """Return a JSON object, or an empty one for anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


class _Chinese:
    """Looks texts up: whole, by their pattern, line by line, and sentence by sentence."""

    def __init__(self) -> None:
        self._patterns: dict[str, list[tuple[re.Pattern[str], str]]] = {}

    def translate(self, text: str, topic: str = "common") -> str:
        if len(text) > MAX_TEXT_CHARS:
            return text
        whole = self._known(text, topic)
        if whole is not None:
            return whole
        lines = text.split("\n")
        if len(lines) > 1:
            return "\n".join(self.translate(line, topic) for line in lines)
        sentences = _SENTENCE_END.split(text)
        found = [self._one(sentence, topic) for sentence in sentences]
        if None in found:
            # A hole may hold what somebody else said, in sentences of their own.
            whole = self._one(text, topic)
        return whole or " ".join(
            said if one is None else one for one, said in zip(found, sentences, strict=True)
        )

    def _one(self, text: str, topic: str) -> str | None:
        """Return the translation of a sentence, which may be made of a clause of the catalogue."""
        field = _FIELD.match(text)
        if field is not None:
            return field[0] + self.translate(text[field.end() :], topic)
        clause = text[:1].lower() + text[1:-1] if text.endswith(".") else ""
        local = self._either(text, clause, topic)
        if local is not None:
            return f"{local}。" if clause and local[-1:] not in _STOPS else local
        problems = text.split(_BETWEEN_PROBLEMS)
        if len(problems) > 1:
            return _BETWEEN_PROBLEMS.join(self.translate(one, topic) for one in problems)
        place = _FILE.match(text) or _PLAIN_FIELD.match(text)
        return place and place[0] + self.translate(text[place.end() :], topic)

    def _part(self, text: str, topic: str) -> str:
        """Return what stands in a text translated; a sentence may be used as a clause."""
        local = self._either(text, f"{text[:1].upper()}{text[1:]}.", topic)
        local = local or self.translate(text, topic)
        return local if text.endswith(".") else local.removesuffix("。")

    def _either(self, text: str, other: str, topic: str) -> str | None:
        """Return the translation of a text, else of another form of it; the surest one counts."""
        local = self._known(text, topic) or self._known(other, topic)
        for each in _topics(topic):
            local = local or self._matched(text, topic, each) or self._matched(other, topic, each)
        return local

    def _matched(self, text: str, topic: str, among: str) -> str | None:
        """Return the translation of a text with holes, if one of the texts ``among`` fits."""
        for pattern, local in self._holed(among):
            match = pattern.fullmatch(text)
            if match is not None:
                return self._filled(local, match.groups(), topic)
        return None

    def _known(self, text: str, topic: str) -> str | None:
        """Return the translation of a text without holes."""
        found = (CATALOGUE.get(each, {}).get(text) for each in _topics(topic))
        return next((local for local in found if local is not None), None)

    def _filled(self, local: str, parts: Sequence[str], topic: str) -> str:
        def put(hole: re.Match[str]) -> str:
            part = parts[int(hole[1])]
            return self._part(part, topic) if hole[2] else part

        return _HOLE.sub(put, local)

    def _holed(self, topic: str) -> list[tuple[re.Pattern[str], str]]:
        """Return the patterns of a topic, those that say most about what they match first."""
        if topic not in self._patterns:
            texts = CATALOGUE.get(topic, {})
            holed = sorted(
                (text for text in texts if _HOLE.search(text)), key=_certainty, reverse=True
            )
            self._patterns[topic] = [(_pattern(text), texts[text]) for text in holed]
        return self._patterns[topic]


def _topics(topic: str) -> tuple[str, ...]:
    return topic, *_FURTHER.get(topic, ())


def _certainty(text: str) -> tuple[int, int]:
    """Return how much of a text is fixed: at its beginning, and in all."""
    holes = list(_HOLE.finditer(text))
    return holes[0].start(), len(_HOLE.sub("", text))


def _pattern(text: str) -> re.Pattern[str]:
    """Return what matches a text with anything in its holes, which stand in order.

    What is not translated itself ends before the next sentence, which is looked up for itself.
    """
    found: list[str] = []
    end = 0
    for hole in _HOLE.finditer(text):
        found += (re.escape(text[end : hole.start()]), "(.+?)" if hole[2] else _ONE_SENTENCE)
        end = hole.end()
    return re.compile("".join(found) + re.escape(text[end:]), re.DOTALL)
