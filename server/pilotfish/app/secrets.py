"""What is secret on this machine."""

from collections.abc import Mapping
from pathlib import Path

from pilotfish.tools.shell_environment import is_secret
from pilotfish.util.redact import Redactor
from pilotfish.util.secret_variables import looks_secret


def redactor_of(environment: Mapping[str, str]) -> Redactor:
    """Return what takes the values of secret variables and the home folder out of texts."""
    secrets = [
        value
        for name, value in environment.items()
        if is_secret(name, value) or looks_secret(name, value)
    ]
    return Redactor(secrets=secrets, home=Path.home())
