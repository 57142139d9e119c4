"""Every field that says something, of every message and answer, is translated or somebody else's."""

from collections.abc import Iterator
from fnmatch import fnmatch
from typing import Any, get_args, get_origin

from pilotfish.edges.localise import ALL, Path, places_of
from pilotfish.wire.methods import METHODS
from pydantic import BaseModel

SAYING = frozenset(
    [
        "activity",
        "because",
        "description",
        "detail",
        "error",
        "hint",
        "label",
        "message",
        "note",
        "problem",
        "reason",
        "text",
        "title",
        "value",
    ]
)
"""Names of fields that may be read by people, in whichever message or answer."""

SAID_BY_OTHERS = {
    "agents/* *.description": "the model or the user, who start agents and define their types",
    "agents/view row.description": "the model",
    "agents/view snapshot.queue.*.text": "the user",
    "agents/view snapshot.title": "the model",
    "aside/text text": "the model",
    "code/prompt problem": "translated where it is made, in edges.lsp",
    "code/related text": "a file",
    "commit/message message": "the model",
    "edits/checkpoints turns.*.title": "the user: how a prompt begins",
    "edits/compare files.*.text": "a file",
    "inbox/list stored.*.title": "a call of a session that is not open, mostly a command",
    "mentions/complete items.*.detail": "the project: a folder or a signature",
    "mentions/complete items.*.label": "the project: a file or a name",
    "permissions/list folders.*.text": "a settings file",
    "processes/list processes.*.label": "a command",
    "session/aside text": "the model",
    "session/output text": "a tool",
    "session/queue items.*.text": "the user",
    "session/snapshot queue.*.text": "the user",
    "session/snapshot title": "the model or the user, who name a session",
    "sessions/search found.*.title": "the model or the user, who name a session",
    "tasks/output text": "a command",
}
"""Who says it instead of us, by method and path; a star stands for anything."""


def texts_within(model: type[BaseModel], outer: tuple[type, ...] = ()) -> Iterator[Path]:
    """Yield where a message or an answer holds texts, in the names of the wire."""
    for name, field in model.model_fields.items():
        for rest in _texts_of_type(field.annotation, (*outer, model)):
            yield (field.alias or name, *rest)


def _texts_of_type(kind: Any, outer: tuple[type, ...]) -> Iterator[Path]:
    if kind is str:
        yield ()
    elif isinstance(kind, type) and issubclass(kind, BaseModel):
        if kind not in outer:
            yield from texts_within(kind, outer)
    else:
        step = (ALL,) if get_origin(kind) in (list, tuple, dict) else ()
        for inner in get_args(kind):
            yield from ((*step, *rest) for rest in _texts_of_type(inner, outer))


def spoken(model: type[BaseModel], name: str) -> set[str]:
    """Return what a message or an answer says to people, as method and path."""
    short = name.removeprefix("_pilotfish/")
    return {f"{short} {'.'.join(path)}" for path in texts_within(model) if path[-1] in SAYING}


def test_every_field_that_says_something_is_translated_or_somebody_elses() -> None:
    left: set[str] = set()
    for method in METHODS:
        to_us = method.direction == "client_to_server"
        model = method.result if to_us else method.params
        if model is None or (not to_us and method.kind == "request"):
            continue
        told = places_of(None if to_us else method.name)
        short = method.name.removeprefix("_pilotfish/")
        left |= spoken(model, method.name) - {f"{short} {'.'.join(path)}" for path in told}
    assert [one for one in left if not any(fnmatch(one, other) for other in SAID_BY_OTHERS)] == []
    assert [other for other in SAID_BY_OTHERS if not any(fnmatch(one, other) for one in left)] == []
