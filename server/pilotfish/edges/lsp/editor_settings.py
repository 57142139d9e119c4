"""The editor's ``pilotfish.*`` settings in the shape of a settings file.

Owns: which of them the server understands. An editor sends a setting that nobody set as an empty
text; that must not count as a value.
"""

from typing import Any, cast

from pilotfish.config.schema import SettingsFile

_PLAIN = tuple(field.alias or name for name, field in SettingsFile.model_fields.items())
"""Settings that have the same name in a settings file."""


def settings_from_editor(raw: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that are set, as a settings file would have them.

    What an editor calls something that has another name in a file is ``permissionMode`` alone.
    """
    settings = {key: _without_empty(raw[key]) for key in _PLAIN if key in raw}
    settings = {key: value for key, value in settings.items() if value not in ("", {}, None)}
    mode = raw.get("permissionMode")
    if isinstance(mode, str) and mode:
        permissions = settings.get("permissions")
        known = cast("dict[str, Any]", permissions) if isinstance(permissions, dict) else {}
        settings["permissions"] = {"defaultMode": mode, **known}
    return settings


def trust_from_editor(raw: dict[str, Any]) -> bool | None:
    """Return whether the editor trusts the workspace; None when it does not say."""
    trusted = raw.get("workspaceTrusted")
    return trusted if isinstance(trusted, bool) else None


def _without_empty(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    section = cast("dict[str, Any]", value)
    return {key: item for key, item in section.items() if item not in ("", None)}
