"""Rules that are tried on calls of the past."""

from pathlib import Path

from pilotfish.config.files import parse_object, read_text
from pilotfish.config.layers import build_layer
from pilotfish.core.errors import SettingsError
from pilotfish.session.past_ground import TriedRules


def tried_rules(file: Path) -> TriedRules:
    """Read a file that holds rules in the form of the settings.

    Raises:
        SettingsError: It cannot be read, or a rule of it is misspelt: a replay would mislead.
    """
    text = read_text(file)
    if text is None:
        raise SettingsError(f"{file} does not exist.")
    layer = build_layer("userSettings", parse_object(text, str(file)), file=file, text=text)
    if layer.problems:
        first = layer.problems[0]
        raise SettingsError(f"{file}:{first.line or 1}: {first.text}")
    return TriedRules(added=layer.rules, alone=True)
