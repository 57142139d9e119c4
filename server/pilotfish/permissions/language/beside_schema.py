"""What is left to say about a settings file where the editor checks it by our JSON schema.

Owns: that nobody is told the same twice. The schema knows keys, types, limits and texts
(``config.json_schema``); rules, modes, misspelt keys and what has no effect here are said by us.
Does not own: findings and items themselves (``check``, ``complete``).
"""

from collections.abc import Iterable

from pilotfish.config.home import FOLDER_NAME
from pilotfish.permissions.language.check import SettingsFinding
from pilotfish.permissions.language.complete import SettingsItem
from pilotfish.permissions.language.document import SettingsPlace


def is_under_schema(place: SettingsPlace) -> bool:
    """Tell whether the schema's patterns match a file: a moved state folder has another name."""
    return place.file.parent.name == FOLDER_NAME


def findings_beside(findings: Iterable[SettingsFinding]) -> tuple[SettingsFinding, ...]:
    """Leave out what the schema finds, too.

    That a file is no JSON is said once: an editor finds each place, we what follows from it.
    """
    kept: list[SettingsFinding] = []
    broken = False
    for finding in findings:
        if finding.code == "wrong-value" or (finding.code == "broken-json" and broken):
            continue
        broken = broken or finding.code == "broken-json"
        kept.append(finding)
    return tuple(kept)


def items_beside(items: Iterable[SettingsItem]) -> list[SettingsItem]:
    """Leave out keys and values, which the schema offers."""
    return [item for item in items if item.kind in ("tool", "form")]
