"""What VS Code shows of the settings agrees with the server's settings, in both directions."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from pilotfish.config.json_schema import known_default, setting_leaves, settings_schema
from pilotfish.config.key_docs import KEY_DOCS
from pilotfish.edges.lsp.editor_settings import settings_from_editor

from tools import gen_settings, generated
from tools.gen_settings import EDITOR_DEFAULTS, NOT_IN_EDITOR, ROOT

MANIFEST: dict[str, Any] = json.loads((ROOT / "package.json").read_text("utf-8"))
SHOWN: dict[str, dict[str, Any]] = {
    key.removeprefix("pilotfish."): entry
    for group in MANIFEST["contributes"]["configuration"]
    for key, entry in group["properties"].items()
}
CLIENT_ONLY = {
    path
    for path, entry in SHOWN.items()
    if entry["order"] < gen_settings.FIRST_ORDER and not path.startswith(gen_settings.BY_HAND)
}
"""Settings that no settings file has; the client's own tests say that each is read."""
RESTRICTED: list[str] = MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
SERVERS = [path for path in SHOWN if path not in CLIENT_ONLY]


def test_the_files_are_current() -> None:
    stale = [file.path.name for file in gen_settings.generated_files() if not file.is_current()]
    assert stale == [], f"run {gen_settings.COMMAND}"


def test_every_setting_of_the_server_is_shown_or_has_a_reason_not_to_be() -> None:
    by_hand = {path for path in setting_leaves() if path.startswith(gen_settings.BY_HAND)}
    shown = set(SERVERS) - by_hand
    assert shown == set(setting_leaves()) - set(NOT_IN_EDITOR) - by_hand
    assert set(SHOWN) - set(setting_leaves()) == CLIENT_ONLY


@pytest.mark.parametrize("path", SERVERS)
def test_types_limits_and_values_are_the_servers(path: str) -> None:
    leaf, entry = setting_leaves()[path], SHOWN[path]
    said: str | list[str] = entry["type"]
    types = [said] if isinstance(said, str) else said
    wanted = leaf["type"] if isinstance(leaf["type"], list) else [leaf["type"]]
    assert [one for one in types if one != "null"] == wanted[:1]
    for limit in ("minimum", "maximum", "exclusiveMinimum", "items", "additionalProperties"):
        assert entry.get(limit) == leaf.get(limit)
    values = list(entry.get("enum", []))
    known = leaf.get("enum") or leaf.get("examples") or []
    assert [value for value in values if value] == known


@pytest.mark.parametrize("path", SERVERS)
def test_defaults_are_the_servers(path: str) -> None:
    default = SHOWN[path]["default"]
    if path in EDITOR_DEFAULTS:
        assert default == EDITOR_DEFAULTS[path]
    elif known_default(path) is None:
        assert default in (None, "")
    else:
        assert default == known_default(path)


@pytest.mark.parametrize("path", SERVERS)
def test_a_workspace_sets_no_more_than_a_project_may(path: str) -> None:
    audience = KEY_DOCS[path].audience
    if audience in ("personal", "user", "policy") or path.startswith("permissions."):
        assert SHOWN[path]["scope"] in ("application", "machine")
    if audience in ("trusting", "tightening"):
        assert f"pilotfish.{path}" in RESTRICTED or path.startswith(gen_settings.BY_HAND)


@pytest.mark.parametrize("path", SERVERS)
def test_a_value_reaches_the_servers_settings(path: str) -> None:
    *sections, key = path.split(".")
    value: dict[str, Any] = {key: "given"}
    for section in reversed(sections):
        value = {section: value}

    assert settings_from_editor(value) == value


def described(schema: Any) -> list[str]:
    """Return every text for people of a schema."""
    if not isinstance(schema, dict):
        return []
    section = cast("dict[str, Any]", schema)
    texts: list[Any] = [section.get("description"), *section.get("enumDescriptions", [])]
    inner = [text for one in section.values() for text in described(one)]
    return [text for text in texts if isinstance(text, str)] + inner


def test_the_schema_of_an_editor_in_chinese_is_chinese_throughout() -> None:
    said = described(settings_schema(gen_settings.CHINESE))
    assert len(said) == len(described(settings_schema()))
    parts = [part for text in said for part in text.split("\n\n")]
    assert [part for part in parts if not re.search(r"[\u4e00-\u9fff]", part)] == []


def test_staleness_is_noticed_and_mended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("package.json", "package.nls.json", "package.nls.zh-cn.json"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    monkeypatch.setattr(gen_settings, "ROOT", tmp_path)
    monkeypatch.setattr(generated, "ROOT", tmp_path)
    assert gen_settings.main(["--check"]) == 1
    assert gen_settings.main([]) == 0
    assert gen_settings.main(["--check"]) == 0
    text = (tmp_path / "package.json").read_text("utf-8")
    (tmp_path / "package.json").write_text(text.replace('"maximum": 600000', '"maximum": 1'))
    assert gen_settings.main(["--check"]) == 1


def test_the_command_line_prints_the_schema() -> None:
    command = [sys.executable, "-m", "pilotfish", "settings", "schema"]
    printed = subprocess.run(command, capture_output=True, check=True).stdout
    file = ROOT / "client-vscode" / "media" / "settings.schema.json"
    assert json.loads(printed) == json.loads(file.read_text("utf-8"))
