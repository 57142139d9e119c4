"""The JSON schema says what the models say."""

import json
from pathlib import Path
from typing import Any, cast

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.config.json_schema import known_default, setting_leaves, settings_schema
from pilotfish.config.key_docs import KEY_DOCS
from pilotfish.config.schema import SettingsFile
from pilotfish.config.sources import SettingsSources, load_settings
from pydantic import ValidationError

CHECKER: Any = jsonschema.Draft7Validator(settings_schema())
LEAVES = setting_leaves()

VALUES = st.recursive(
    st.booleans()
    | st.integers(-2, 10_000_000)
    | st.floats(0.5, 9.5).filter(lambda value: not value.is_integer())
    | st.sampled_from(["", "x", "disable", "deny", "auto", "todo", "eager", "openai", "command"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=3,
)


def in_file(path: str, value: object) -> dict[str, object]:
    """Return a settings file with one key."""
    whole: object = value
    for step in reversed(path.split(".")):
        whole = {step: whole}
    return cast("dict[str, object]", whole)


def is_taken(file: dict[str, object], path: str) -> bool:
    """Tell whether the server takes the value; a list of rules may be one text."""
    if path in ("permissions.allow", "permissions.ask", "permissions.deny"):
        section = cast("dict[str, object]", file["permissions"])
        if any(isinstance(value, str) for value in section.values()):
            return True
    try:
        SettingsFile.model_validate(file)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize("path", LEAVES)
def test_every_key_has_a_text_in_the_schema(path: str) -> None:
    assert KEY_DOCS[path].meaning in cast("str", LEAVES[path]["markdownDescription"])
    assert LEAVES[path]["description"]


def test_every_documented_key_is_in_the_schema_and_no_other() -> None:
    sections = {path for path in KEY_DOCS if any(key.startswith(f"{path}.") for key in KEY_DOCS)}
    assert set(LEAVES) == set(KEY_DOCS) - sections


@given(path=st.sampled_from(sorted(LEAVES)), value=VALUES)
def test_schema_and_models_refuse_the_same(path: str, value: object) -> None:
    file = in_file(path, value)

    assert CHECKER.is_valid(file) == is_taken(file, path)


@pytest.mark.parametrize("path", LEAVES)
def test_a_default_is_what_counts_when_nothing_is_set(path: str, tmp_path: Path) -> None:
    default = known_default(path)
    if default is None:
        assert "default" not in LEAVES[path]
        return
    (tmp_path / "settings.json").write_text(json.dumps(in_file(path, default)), encoding="utf-8")
    # A value in the managed file alone counts there alone.
    said = load_settings(SettingsSources(home=tmp_path, trusted_by_editor=True))
    unsaid = load_settings(SettingsSources(home=tmp_path / "none", trusted_by_editor=True))

    assert said.settings.model == unsaid.settings.model
    assert said.settings == unsaid.settings


def test_defaults_of_a_client_give_way_to_every_file(tmp_path: Path) -> None:
    usual: dict[str, Any] = {"sessions": {"generateTitles": True}}

    def titles() -> bool:
        sources = SettingsSources(home=tmp_path, usual=usual, trusted_by_editor=True)
        return load_settings(sources).settings.sessions.generate_titles

    assert titles()
    (tmp_path / "settings.json").write_text('{"sessions": {"generateTitles": false}}')
    assert not titles()
