"""A settings file that nobody can read permits nothing, and goes on to forbid."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pilotfish.config.memory import SettingsMemory
from pilotfish.config.schema import LoadedSettings
from pilotfish.config.sources import SettingsSources, load_settings

GOOD = {
    "permissions": {
        "allow": ["Bash(make:*)"],
        "ask": ["WebFetch"],
        "deny": ["Bash(rm:*)", "Read(.env)"],
        "defaultMode": "acceptEdits",
        "additionalDirectories": ["/srv"],
        "disableBypassPermissionsMode": "disable",
    },
    "skipBashExecPermission": True,
    "model": {"baseUrl": "http://localhost:1", "name": "mine"},
}


def load(folder: Path, memory: SettingsMemory | None = None) -> LoadedSettings:
    sources = SettingsSources(home=folder, project_root=None, trusted_by_editor=True, memory=memory)
    return load_settings(sources)


def texts(loaded: LoadedSettings) -> set[str]:
    return {f"{rule.behavior} {rule.text()}" for rule in loaded.rules}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.json"


def as_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def as_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


BREAKS: dict[str, Callable[[Path], object]] = {
    "cut off": lambda file: file.write_text(json.dumps(GOOD)[:60]),
    "no JSON": lambda file: file.write_text("nonsense"),
    "another kind of value": lambda file: file.write_text("[1]"),
    "emptied": lambda file: file.write_text(""),
    "no text": lambda file: file.write_bytes(b"\xff\xfe\x00"),
    "too large": lambda file: file.write_text(" " * 1_100_000 + "{}"),
    "a folder": as_folder,
    "a pipe": as_pipe,
    "permissions of another kind": lambda file: file.write_text('{"permissions": []}'),
    "deny of another kind": lambda file: file.write_text('{"permissions": {"deny": {}}}'),
    "deny with something else in it": lambda file: file.write_text(
        '{"permissions": {"deny": [{"rule": "Bash(rm:*)"}]}}'
    ),
}


@pytest.mark.parametrize("name", list(BREAKS))
def test_what_a_file_forbade_stays_forbidden_when_it_breaks(file: Path, name: str) -> None:
    memory = SettingsMemory()
    file.write_text(json.dumps(GOOD), encoding="utf-8")
    assert "allow Bash(make:*)" in texts(load(file.parent, memory))

    BREAKS[name](file)
    loaded = load(file.parent, memory)

    assert {"deny Bash(rm:*)", "deny Read(.env)", "ask WebFetch"} <= texts(loaded)
    assert "allow Bash(make:*)" not in texts(loaded)
    assert loaded.unread == ()
    assert any("Until it is mended" in problem.text for problem in loaded.problems)


@pytest.mark.parametrize("name", [name for name in BREAKS if name != "emptied"])
def test_a_fresh_process_asks_about_what_a_broken_file_may_forbid(file: Path, name: str) -> None:
    file.write_text(json.dumps(GOOD), encoding="utf-8")
    BREAKS[name](file)

    loaded = load(file.parent, SettingsMemory())

    assert [one.source for one in loaded.unread] == ["userSettings"]
    assert loaded.unread[0].place.startswith(str(file))
    assert loaded.problems


def test_nothing_of_a_broken_file_loosens_and_its_model_stays(file: Path) -> None:
    memory = SettingsMemory()
    file.write_text(json.dumps(GOOD), encoding="utf-8")
    before = load(file.parent, memory).settings
    file.write_text("{", encoding="utf-8")

    after = load(file.parent, memory).settings

    assert before.permissions.default_mode == "acceptEdits"
    assert before.permissions.skipped
    assert after.permissions.default_mode == "default"
    assert after.permissions.additional_directories == ()
    assert after.permissions.skipped == ()
    assert after.permissions.bypass_disabled
    assert after.model == before.model


def test_a_deleted_file_forbids_nothing_any_more(file: Path) -> None:
    memory = SettingsMemory()
    file.write_text(json.dumps(GOOD), encoding="utf-8")
    load(file.parent, memory)
    file.unlink()

    loaded = load(file.parent, memory)

    assert (loaded.rules, loaded.problems, loaded.unread) == ((), (), ())


def test_a_mended_file_counts_as_it_is(file: Path) -> None:
    memory = SettingsMemory()
    for text in (json.dumps(GOOD), "{", '{"permissions": {"deny": ["Edit"]}}'):
        file.write_text(text, encoding="utf-8")
        loaded = load(file.parent, memory)

    assert texts(loaded) == {"deny Edit"}


def test_rules_are_found_in_a_text_that_is_nearly_json(file: Path) -> None:
    file.write_text(
        '{\n  // mine\n  "permissions": {\n    "allow": ["Bash"],\n'
        '    "deny": ["Bash(rm:*)", "Read(.env)",],\n'
        '    "disableBypassPermissionsMode": "disable",\n  },\n}\n',
        encoding="utf-8",
    )

    loaded = load(file.parent)

    assert texts(loaded) == {"deny Bash(rm:*)", "deny Read(.env)"}
    assert loaded.settings.permissions.bypass_disabled
    assert loaded.unread == ()
    assert [problem.line for problem in loaded.problems] == [2]


def test_of_a_key_that_stands_twice_both_count_and_its_line_is_told(file: Path) -> None:
    file.write_text(
        '{"permissions": {\n  "deny": ["Bash(rm:*)"],\n  "deny": ["Bash(dd:*)"]\n}}',
        encoding="utf-8",
    )

    loaded = load(file.parent)

    assert texts(loaded) == {"deny Bash(rm:*)", "deny Bash(dd:*)"}
    assert [problem.line for problem in loaded.problems] == [3]


def test_rules_before_the_break_are_kept_and_the_place_is_named(file: Path) -> None:
    file.write_text(
        '{\n  "permissions": {\n    "deny": ["Bash(rm:*)"],\n    oops\n  }\n}', encoding="utf-8"
    )

    loaded = load(file.parent)

    assert texts(loaded) == {"deny Bash(rm:*)"}
    assert [one.place for one in loaded.unread] == [f"{file}:4"]


def test_the_model_of_a_broken_file_does_not_fall_back_to_another_address(file: Path) -> None:
    file.write_text('{"model": {"baseUrl": "http://localhost:1"}, "x": 1,}', encoding="utf-8")

    assert load(file.parent).settings.model.base_url == "http://localhost:1"


@pytest.mark.parametrize(
    ("key", "value", "field"),
    [
        ("disableBypassPermissionsMode", True, "bypass_disabled"),
        ("disableAutoMode", "yes", "auto_disabled"),
        ("askBeatsAllow", "true", "ask_beats_allow"),
        ("protectSecrets", 1, "protect_secrets"),
    ],
)
def test_a_switch_that_forbids_counts_even_when_it_is_misspelt(
    file: Path, key: str, value: object, field: str
) -> None:
    file.write_text(json.dumps({"permissions": {key: value}}), encoding="utf-8")

    loaded = load(file.parent)

    assert getattr(loaded.settings.permissions, field) is True
    assert key in loaded.problems[0].text


@settings(max_examples=60, deadline=None)
@given(cut=st.integers(0, len(json.dumps(GOOD))), junk=st.text(max_size=6))
def test_no_break_ever_permits_more_than_an_absent_file(
    tmp_path_factory: pytest.TempPathFactory, cut: int, junk: str
) -> None:
    folder = tmp_path_factory.mktemp("home")
    text = json.dumps(GOOD)
    (folder / "settings.json").write_text(text[:cut] + junk, encoding="utf-8", errors="replace")

    loaded = load(folder)

    if text[:cut] + junk.strip() != text:
        permissions = loaded.settings.permissions
        assert not any(rule.behavior == "allow" for rule in loaded.rules)
        assert permissions.default_mode == "default"
        assert permissions.additional_directories == ()
        assert permissions.skipped == ()
        forbidden = {"deny Bash(rm:*)", "deny Read(.env)", "ask WebFetch"}
        assert loaded.unread or forbidden <= texts(loaded) or not (text[:cut] + junk).strip()
