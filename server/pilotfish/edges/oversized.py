"""Messages of a client that are too large to be taken.

Owns: the limit, which is the same on every channel, what the beginning of such a message tells, and
what is said of it.
Does not own: skipping the rest (each channel in its own framing).
See also: design 04 §9, JIRA-001.

Imported before anything heavy: keep to the standard library.
"""

import json
import re

from pilotfish.util.records import dataclass

MAX_MESSAGE_BYTES = 10 * 1024 * 1024
"""Larger messages are answered with an error (design §3)."""

HEAD_BYTES = 4096
"""How much of an oversized message is looked at to find out what it was."""

_ID = re.compile(rb'"id"\s*:\s*(\d+|"(?:[^"\\]|\\.)*")')
_METHOD = re.compile(rb'"method"\s*:\s*"([^"\\]*)"')
_SESSION = re.compile(rb'"sessionId"\s*:\s*"([\w.:-]{1,100})"')


@dataclass(frozen=True, kw_only=True, slots=True)
class Oversized:
    """A message that was too large; its body was skipped."""

    size_bytes: int
    id: int | str | None
    """None for notifications, and where the id was not near the beginning."""
    method: str
    session_id: str = ""
    """The session that it was for; empty where it was not near the beginning."""

    @property
    def refusal(self) -> str:
        """What its sender is told."""
        if not self.method:
            return f"A message has {self.size_bytes:,} bytes; the limit is {MAX_MESSAGE_BYTES:,}."
        return f"{self.method} has {self.size_bytes:,} bytes; the limit is {MAX_MESSAGE_BYTES:,}."

    @property
    def report(self) -> str:
        """What the log tells."""
        return f"session {self.session_id or 'unknown'}: {self.refusal}"


def oversized(head: bytes, size_bytes: int) -> Oversized:
    """Return what the beginning of an oversized message tells.

    Args:
        head: Its first bytes; no more than ``HEAD_BYTES`` are looked at.
        size_bytes: How large it was.
    """
    head = head[:HEAD_BYTES]
    found, method, session = (each.search(head) for each in (_ID, _METHOD, _SESSION))
    return Oversized(
        size_bytes=size_bytes,
        id=_id_of(found.group(1)) if found else None,
        method=method.group(1).decode("utf-8", "replace") if method else "",
        session_id=session.group(1).decode("ascii", "replace") if session else "",
    )


def _id_of(text: bytes) -> int | str | None:
    """Read an id; None for what is no JSON after all, such as a text with a wrong escape."""
    try:
        found: int | str = json.loads(text)
    except ValueError:
        return None
    return found
