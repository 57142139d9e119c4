"""What nobody set in the editor is no setting."""

from pathlib import Path

from pilotfish.config.sources import SettingsSources, load_settings
from pilotfish.edges.lsp.editor_settings import settings_from_editor, trust_from_editor

UNSET = {
    "model": {"name": "", "baseUrl": ""},
    "permissionMode": "default",
    "edit": {"saveAfterEdit": True},
    "workspaceTrusted": True,
}
"""What VS Code sends of a user who has changed nothing."""


def test_an_editor_where_nothing_is_set_gives_no_problem(tmp_path: Path) -> None:
    flag = settings_from_editor(UNSET)
    loaded = load_settings(SettingsSources(home=tmp_path, flag=flag, trusted_by_editor=True))
    assert loaded.problems == ()
    assert loaded.settings.model.name is None
    assert loaded.settings.model.base_url is None


def test_what_is_set_arrives_where_a_settings_file_has_it(tmp_path: Path) -> None:
    flag = settings_from_editor(
        {"model": {"name": "opus", "baseUrl": ""}, "permissionMode": "plan", "future": 1}
    )
    loaded = load_settings(SettingsSources(home=tmp_path, flag=flag, trusted_by_editor=True))
    assert loaded.settings.model.name == "opus"
    assert loaded.settings.permissions.default_mode == "plan"
    assert loaded.problems == ()


def test_trust_is_only_what_the_editor_says() -> None:
    assert trust_from_editor({"workspaceTrusted": False}) is False
    assert trust_from_editor({"workspaceTrusted": "yes"}) is None
    assert trust_from_editor({}) is None
