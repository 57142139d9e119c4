"""Taking secrets out of texts that leave the machine: exports, recordings.

Owns: what looks like a secret, whoever wrote it. Knows nothing of Pilotfish.
"""

import re
from collections.abc import Iterable
from copy import copy
from pathlib import Path

HIDDEN = "[redacted]"

LEAST_SECRET_CHARS = 8
"""A known secret that is shorter would be found in ordinary words."""

_SHAPES = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\bsk-[A-Za-z0-9_-]{16,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}"
    r"|\bxox[abprs]-[A-Za-z0-9-]{10,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}"
    r"|\bnpm_[A-Za-z0-9]{30,}|\bpypi-[A-Za-z0-9_-]{30,}"
    r"|\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*"
)
_BEARER = re.compile(r"(?i)\b(bearer|basic|token)(\s+)[A-Za-z0-9._~+/=-]{16,}")
_NAMED = re.compile(
    r"(?i)([\w-]*(?:api[_-]?key|secret|passw(?:or)?d|access[_-]?token|auth[_-]?token|credential)[\w-]*"
    r"\\?[\"']?\s*[:=]\s*\\?[\"']?)([^\s\"'\\,;&]{6,})"
)
_USER_INFO = re.compile(r"(?<=://)[^/\s:@\"']*:[^/\s@\"']+@")


def holds_secret(text: str) -> bool:
    """Tell whether a text holds what has the shape of a key, or an address with a password."""
    return _SHAPES.search(text) is not None or _USER_INFO.search(text) is not None


class Redactor:
    """Takes secrets and the user's home folder out of texts."""

    def __init__(self, *, secrets: Iterable[str] = (), home: Path | None = None) -> None:
        """Name what is known to be secret.

        Args:
            secrets: Texts that must not appear, whatever they look like.
            home: The user's home folder, which becomes ``~``: its name is the user's.
        """
        self._home_as = "~"
        known = {secret for secret in secrets if len(secret) >= LEAST_SECRET_CHARS}
        self._known = sorted(known, key=len, reverse=True)
        text = str(home) if home is not None else ""
        self._home = re.compile(re.escape(text) + r"(?![\w.-])") if len(text) > 1 else None

    def naming_home(self, name: str) -> "Redactor":
        """Return one like it that calls the home folder otherwise."""
        other = copy(self)
        other._home_as = name
        return other

    def text(self, text: str) -> str:
        """Return a text without what is secret in it."""
        for secret in self._known:
            text = text.replace(secret, HIDDEN)
        text = _SHAPES.sub(HIDDEN, text)
        text = _BEARER.sub(rf"\1\2{HIDDEN}", text)
        text = _NAMED.sub(rf"\g<1>{HIDDEN}", text)
        text = _USER_INFO.sub("", text)
        return text if self._home is None else self._home.sub(self._home_as, text)
