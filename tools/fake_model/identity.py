"""Ids and signatures that the fake model gives out.

Owns: making them. Does not own: checking what comes back (``validation``).
"""

import hashlib
import itertools
import secrets

_SIGNATURE_PREFIX = "fakesig_"


class IdSource:
    """Makes ids that are unique in and across servers, so that a resumed session stays valid."""

    def __init__(self) -> None:
        self._server = secrets.token_hex(4)
        self._numbers = itertools.count(1)

    def next_id(self, prefix: str) -> str:
        """A new id such as ``toolu_5f3a9c01_0007``."""
        return f"{prefix}_{self._server}_{next(self._numbers):04d}"


def sign(thinking: str) -> str:
    """The signature of a thinking text when the scenario gives none."""
    digest = hashlib.blake2b(thinking.encode("utf-8", "surrogatepass"), digest_size=24)
    return _SIGNATURE_PREFIX + digest.hexdigest()


def is_forged(thinking: str, signature: str) -> bool:
    """Whether a signature made by ``sign`` belongs to a different text."""
    return signature.startswith(_SIGNATURE_PREFIX) and signature != sign(thinking)
