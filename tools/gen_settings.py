"""Writes what is generated from the server's settings: manifest, texts, schema, list, page.

Owns: how a setting of the server looks in VS Code (scope, order, group, default, texts), the JSON
schema of settings files for editors, and ``docs/settings.md``.
Does not own: the settings (``pilotfish.config``), the client's own ones (``package.json`` and the
texts beside it, by hand), translations (``pilotfish.edges.chinese``).

``python -m tools.gen_settings`` writes all of it; ``--check`` writes nothing and exits with 1 when
something is not what it would write.
"""

import json
import sys
from functools import partial
from typing import Any, cast

from pilotfish.config.json_schema import Say, known_default, setting_leaves, settings_schema
from pilotfish.config.key_doc import Audience
from pilotfish.config.key_docs import KEY_DOCS, when_not_set
from pilotfish.config.modes import SETTABLE_MODES
from pilotfish.edges.localise import translator

from tools.generated import ROOT, GeneratedFile, generate
from tools.settings_page import settings_page

COMMAND = "python -m tools.gen_settings"

BY_HAND = ("codeIntelligence.",)
"""Settings of the server whose entries in the manifest are written by hand."""

NOT_IN_EDITOR = {
    "permissions.defaultMode": "it is `pilotfish.permissionMode` there",
    "permissions.disableAutoMode": "there is no such mode yet",
    "permissions.allowManagedPermissionRulesOnly": "only managed settings may set it",
    "statusLine.type": "it has one value",
    "skipFileEditPermission": "it counts in the user's own file alone",
    "skipBashExecPermission": "it counts in the user's own file alone",
    "skipSkillPermission": "it counts in the user's own file alone",
    "skipMCPToolPermission": "it counts in the user's own file alone",
}
"""Settings of the server that VS Code does not show, and why."""

EDITOR_DEFAULTS: dict[str, Any] = {"sessions.generateTitles": True}
"""Where VS Code has another default than a settings file; the client tells the server."""

GROUPS = {
    "general": ("read", "edit", "sessions", "statusLine", "maxTurns", "maxBudgetUsd"),
    "model": ("model", "tools"),
    "permissions": ("permissions", "planMode"),
    "commands": ("shell",),
    "agents": ("agents", "taskList", "skills"),
    "code": ("codeIntelligence",),
}
"""Groups of the settings editor, in its order, with the sections of settings files in each."""

SAME_EVERYWHERE = ("model.aliases", "model.prices", "model.capabilities")
"""Personal settings that name nothing of one machine."""

CHINESE: Say = partial(translator("zh-cn"), topic="settings")

FIRST_ORDER = 100
"""Settings of the client come first in their group."""


def in_editor() -> list[str]:
    """Return the settings whose entries in the manifest are generated, in the order of the file."""
    return [
        path
        for path in setting_leaves()
        if path not in NOT_IN_EDITOR and not path.startswith(BY_HAND)
    ]


def scope_of(path: str) -> str:
    """Return who may set it in VS Code.

    A workspace's value replaces the user's there, so what only the user may say, and rules, which
    add up in settings files, are kept from workspaces.
    """
    if path.startswith("permissions."):
        return "application"
    if KEY_DOCS[path].audience == "personal":
        return "application" if path in SAME_EVERYWHERE else "machine"
    return "window"


def is_restricted(path: str) -> bool:
    """Tell whether a workspace that is not trusted may not set it."""
    waiting: tuple[Audience, ...] = ("tightening", "trusting", "personal", "user")
    return path.startswith("model.") or KEY_DOCS[path].audience in waiting


def manifest_entry(path: str, order: int) -> dict[str, Any]:
    """Return the entry of a setting in ``contributes.configuration``."""
    leaf = cast("dict[str, Any]", dict(setting_leaves()[path]))
    for told in ("description", "markdownDescription", "examples", "minLength"):
        leaf.pop(told, None)
    if path.startswith("permissions.") and leaf["type"] == ["array", "string"]:
        leaf["type"] = "array"
    if path == "permissions.subagentMode":
        leaf["enum"] = list(SETTABLE_MODES)
    default = EDITOR_DEFAULTS.get(path, known_default(path))
    if default is None and leaf["type"] == "string":
        default = ""
        if "enum" in leaf:
            leaf["enum"] = ["", *leaf["enum"]]
    elif default is None:
        leaf["type"] = [leaf["type"], "null"]
    if leaf.pop("enumDescriptions", None) or path == "permissions.subagentMode":
        leaf["markdownEnumDescriptions"] = [
            f"%{text_key(path, value)}%" for value in cast("list[str]", leaf["enum"])
        ]
    return {
        **leaf,
        "default": default,
        "scope": scope_of(path),
        "order": order,
        "markdownDescription": f"%{text_key(path)}%",
    }


def text_key(path: str, value: str | None = None) -> str:
    """Return the key of a text in ``package.nls.json``; with a value: of what that value does."""
    if path == "permissions.subagentMode" and value:
        return f"setting.permissionMode.{value}"
    return f"setting.{path}" if value is None else f"setting.{path}.{value or 'unset'}"


def texts(say: Say = str) -> dict[str, str]:
    """Return the texts of all generated entries, in English or as a translation has them."""
    found: dict[str, str] = {}
    between = " " if say is str else ""
    for path in in_editor():
        doc, entry = KEY_DOCS[path], manifest_entry(path, 0)
        has_unset = entry["default"] in (None, "")
        found[text_key(path)] = say(doc.meaning)
        if "markdownEnumDescriptions" not in entry:
            if has_unset and doc.default:
                found[text_key(path)] += between + say(when_not_set(doc))
            continue
        if has_unset:
            unset = say(doc.default)
            found[text_key(path, "")] = f"{unset[:1].upper()}{unset[1:]}"
        if doc.meanings:
            pairs = zip(doc.values, doc.meanings, strict=True)
            found |= {text_key(path, value): say(meaning) for value, meaning in pairs}
    return found


def updated_manifest(text: str) -> str:
    """Return the text of ``package.json`` with the generated settings in it."""
    manifest = json.loads(text)
    old = manifest["contributes"]["configuration"]
    by_hand = {group: {} for group in GROUPS} | {
        one["id"]: {
            key: value for key, value in one["properties"].items() if not _is_generated(key, value)
        }
        for one in old
    }
    manifest["contributes"]["configuration"] = [
        {
            "id": group,
            "title": f"%configuration.{group}%",
            "order": number,
            "properties": {**by_hand[group], **_generated(sections)},
        }
        for number, (group, sections) in enumerate(GROUPS.items(), 1)
    ]
    untrusted = manifest["capabilities"]["untrustedWorkspaces"]
    own = [key for key in untrusted["restrictedConfigurations"] if key in _client_keys(by_hand)]
    server = [f"pilotfish.{path}" for path in in_editor() if is_restricted(path)]
    untrusted["restrictedConfigurations"] = [*own, *server]
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def updated_texts(text: str, say: Say = str) -> str:
    """Return the text of a ``package.nls`` file with the generated texts in it."""
    return json.dumps({**json.loads(text), **texts(say)}, indent=2, ensure_ascii=False) + "\n"


def typescript() -> str:
    """Return the module that tells the client which settings are the server's."""
    names = "\n".join(f'  "{path}",' for path in in_editor())
    usual = json.dumps(EDITOR_DEFAULTS, indent=2).replace("\n}", ",\n}")
    return f"""// Generated by `{COMMAND}` from server/pilotfish/config. Do not edit.

/** Settings that mean the same in a settings file, without the `pilotfish.` in front. */
export const SERVER_SETTING_KEYS = [
{names}
] as const;

/** Where nobody has set anything, these are what the editor shows and the settings files do not. */
export const EDITOR_DEFAULTS = {usual.replace('"', '"')} as const;
"""


def generated_files() -> list[GeneratedFile]:
    """Return all files with the texts that they should have."""
    manifest, english = ROOT / "package.json", ROOT / "package.nls.json"
    chinese, media = ROOT / "package.nls.zh-cn.json", ROOT / "client-vscode" / "media"
    return [
        GeneratedFile(path=manifest, text=updated_manifest(manifest.read_text("utf-8"))),
        GeneratedFile(path=english, text=updated_texts(english.read_text("utf-8"))),
        GeneratedFile(path=chinese, text=updated_texts(chinese.read_text("utf-8"), CHINESE)),
        GeneratedFile(
            path=ROOT / "client-vscode" / "src" / "protocol" / "settings.ts", text=typescript()
        ),
        GeneratedFile(path=media / "settings.schema.json", text=_schema(str)),
        GeneratedFile(path=media / "settings.schema.zh-cn.json", text=_schema(CHINESE)),
        GeneratedFile(
            path=ROOT / "docs" / "settings.md", text=settings_page(NOT_IN_EDITOR, COMMAND)
        ),
    ]


def _schema(say: Say) -> str:
    return json.dumps(settings_schema(say), indent=2, ensure_ascii=False) + "\n"


def _generated(sections: tuple[str, ...]) -> dict[str, Any]:
    paths = [path for path in in_editor() if path.partition(".")[0] in sections]
    return {
        f"pilotfish.{path}": manifest_entry(path, FIRST_ORDER + number)
        for number, path in enumerate(paths)
    }


def _is_generated(key: str, entry: dict[str, Any]) -> bool:
    """Tell whether it was written here, be it under a name that is gone."""
    return entry["order"] >= FIRST_ORDER or key.removeprefix("pilotfish.") in in_editor()


def _client_keys(by_hand: dict[str, dict[str, Any]]) -> set[str]:
    return {key for properties in by_hand.values() for key in properties}


def main(arguments: list[str] | None = None) -> int:
    """Write the files, or compare them; return the exit code."""
    return generate(COMMAND, generated_files, arguments)


if __name__ == "__main__":
    sys.exit(main())
