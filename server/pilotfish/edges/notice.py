"""A line of the conversation in which Pilotfish itself says something: what every client of ACP shows.

Imported before anything heavy: keep to the standard library.
"""

from typing import Any

BEGIN = "\n\n[Pilotfish] "
"""A paragraph of its own, also where the model was cut short."""

END = "\n\n"

KIND = "notice"
"""What ``_meta.pilotfish.kind`` says of it."""


def notice(session_id: str, text: str) -> dict[str, Any]:
    """Return the parameters of the update that says a text."""
    return {
        "sessionId": session_id,
        "update": {
            "sessionUpdate": "agent_message_chunk",
            "content": {"type": "text", "text": f"{BEGIN}{text}{END}"},
        },
        "_meta": {"pilotfish": {"kind": KIND}},
    }


def words_of(said: str) -> str:
    """Return what such a line says."""
    return said.removeprefix(BEGIN).removesuffix(END)
