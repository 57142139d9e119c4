"""Environment variables that hold secrets.

Owns: telling them by their names and values, whoever set them. Knows nothing of Pilotfish.
"""

import re
from collections.abc import Mapping

from pilotfish.util.redact import holds_secret

_SECRET_NAME = re.compile(
    r"SECRET|PASSW|PASSPHRASE|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY"
    r"|(?:^|_)TOKENS?(?:_|$)|TOKEN$|(?:^|_)(?:KEY|PASS|PAT|AUTH|COOKIE|DSN)$"
)
_NAMES_A_PLACE = re.compile(r"_(?:FILE|PATH|DIR|SOCK|SOCKET|HOME)$")
"""What such a variable holds is where a secret lies."""

_TOO_PLAIN = re.compile(r"(?:|true|false|yes|no|on|off|none|\d{1,6})\Z", re.IGNORECASE)
"""Values that are switches or sizes: ``MAX_TOKENS=4096``."""


def secret_variables(environment: Mapping[str, str]) -> frozenset[str]:
    """Return the names of the variables that look as if they held a secret."""
    return frozenset(name for name, value in environment.items() if looks_secret(name, value))


def looks_secret(name: str, value: str) -> bool:
    """Tell whether a variable looks as if it held a secret: a key, a password, a token."""
    if _TOO_PLAIN.match(value):
        return False
    upper = name.upper()
    by_name = _SECRET_NAME.search(upper) is not None and not _NAMES_A_PLACE.search(upper)
    return by_name or holds_secret(value)
