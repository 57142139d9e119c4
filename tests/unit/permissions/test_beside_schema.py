"""Where the editor checks settings files by our JSON schema, nothing is said twice."""

from pathlib import Path

import pytest
from pilotfish.config.sources import SettingsSources
from pilotfish.permissions.language.service import LanguageFacts, SettingsLanguage

TEXT = """{
  "permissions": { "allow": ["Bsh(ls)"], "defaultMode": "sometimes" },
  "maxTurns": "many",
  "sessions": { "generateTitels": true },
  "statusLine": { "command": "date" }
}
"""


class Desk:
    """A project and a user whose editor has the schema."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.file = folder / "project" / ".pilotfish" / "settings.json"

        def sources(root: Path | None) -> SettingsSources:
            return SettingsSources(home=self.home, project_root=root, trusted_by_editor=True)

        self.language = SettingsLanguage(
            LanguageFacts(state_folder=self.home, user_home=folder, sources=sources)
        )
        self.language.has_schema = True

    def codes(self, text: str, file: Path | None = None) -> list[str]:
        place = self.language.place_of(file or self.file)
        assert place is not None
        return [finding.code for finding in self.language.analyse(place, text, None).findings]

    def labels(self, text: str) -> list[str]:
        place = self.language.place_of(self.file)
        assert place is not None
        offset = text.index("|")
        return [
            item.label for item in self.language.complete(place, text.replace("|", "", 1), offset)
        ]

    def says(self, text: str, at: str) -> str:
        place = self.language.place_of(self.file)
        assert place is not None
        analysis = self.language.analyse(place, text, None)
        said = self.language.hover(analysis, text.index(at), None)
        return "" if said is None else said.markdown


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_types_are_left_to_the_schema_and_the_rest_is_said(desk: Desk) -> None:
    # A status line has no effect in a project: neither the section nor its command.
    rest = ["unknown-tool", "unknown-mode", "unknown-key", "no-effect-here", "no-effect-here"]
    assert desk.codes(TEXT) == rest
    desk.language.has_schema = False
    assert "wrong-value" in desk.codes(TEXT)


def test_a_file_that_is_no_json_is_told_once(desk: Desk) -> None:
    assert desk.codes('{"maxTurns": , "sessions": ]') == ["broken-json"]


def test_a_state_folder_with_another_name_is_not_under_the_schema(desk: Desk) -> None:
    assert "wrong-value" in desk.codes(TEXT, desk.home / "settings.json")


def test_keys_and_values_are_offered_by_the_schema_and_rules_by_us(desk: Desk) -> None:
    assert desk.labels("{ | }") == []
    assert desk.labels('{"permissions": {"backgroundPrompts": |}}') == []
    assert "Bash(command:*)" in desk.labels('{"permissions": {"allow": ["|"]}}')


def test_keys_are_explained_by_the_schema_and_rules_by_us(desk: Desk) -> None:
    assert desk.says(TEXT, "maxTurns") == ""
    assert "Never runs" in desk.says('{"permissions": {"deny": ["Bash(rm:*)"]}}', "Bash")
