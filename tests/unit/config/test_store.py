"""Writing rules into settings files."""

import json
import os
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pilotfish.config.store import SettingsStore, exclude_from_git
from pilotfish.core.errors import SettingsError
from pilotfish.core.permission import PermissionRule

from tests.support.full_disk import files_end_at, read_only
from tests.support.git_folder import BROKEN_LINKS


def rule(content: str | None) -> PermissionRule:
    return PermissionRule(source="session", behavior="allow", tool="Bash", content=content)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def store(tmp_path: Path, root: Path) -> SettingsStore:
    return SettingsStore(home=tmp_path / "home", project_root=root)


def test_a_rule_makes_the_file_and_its_folder(store: SettingsStore, root: Path) -> None:
    assert store.add_rule(rule("npm test:*"), "local")

    text = (root / ".pilotfish" / "settings.local.json").read_text()
    assert text == (
        '{\n  "permissions": {\n    "allow": [\n      "Bash(npm test:*)"\n    ]\n  }\n}\n'
    )


def test_unknown_keys_their_order_and_the_mode_stay(store: SettingsStore, root: Path) -> None:
    file = root / ".pilotfish" / "settings.json"
    file.parent.mkdir()
    file.write_text('{"zeta": 1, "permissions": {"later": [], "allow": ["Read"]}, "alpha": "ü"}')
    file.chmod(0o640)

    store.add_rule(rule("make"), "project")

    assert list(json.loads(file.read_text())) == ["zeta", "permissions", "alpha"]
    assert json.loads(file.read_text())["permissions"] == {
        "later": [],
        "allow": ["Read", "Bash(make)"],
    }
    assert '"ü"' in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_the_same_rule_is_not_added_twice(store: SettingsStore) -> None:
    assert store.add_rule(rule("make"), "user")
    assert not store.add_rule(rule("make"), "user")


@pytest.mark.parametrize(
    "text", ["{broken", "[]", '{"permissions": 1}', '{"permissions": {"allow": "Bash"}}']
)
def test_a_file_of_another_shape_is_refused_and_left_alone(
    store: SettingsStore, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "home" / "settings.json"
    file.parent.mkdir()
    file.write_text(text)

    with pytest.raises(SettingsError):
        store.add_rule(rule("make"), "user")
    assert file.read_text() == text


def test_a_write_that_fails_leaves_the_file_as_it_was(
    store: SettingsStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add_rule(rule("make"), "user")
    file = tmp_path / "home" / "settings.json"
    before = file.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SettingsError, match="No space left"):
        store.add_rule(rule("other"), "user")
    assert file.read_bytes() == before
    assert [p.name for p in file.parent.iterdir() if p.name.endswith(".tmp")] == []


def test_many_writers_lose_no_rule(store: SettingsStore, root: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        rules = [rule(f"task {index}") for index in range(24)]
        done = list(pool.map(store.add_rule, rules, ["project"] * len(rules)))

    saved = json.loads((root / ".pilotfish" / "settings.json").read_text())
    assert all(done)
    assert len(saved["permissions"]["allow"]) == 24


def test_no_lock_file_appears_in_the_project(store: SettingsStore, root: Path) -> None:
    store.add_rule(rule("make"), "project")

    assert [path.name for path in (root / ".pilotfish").iterdir()] == ["settings.json"]


def test_a_link_of_the_project_cannot_redirect_a_rule(
    store: SettingsStore, root: Path, tmp_path: Path
) -> None:
    victim = tmp_path / "victim.json"
    victim.write_text("{}")
    (root / ".pilotfish").mkdir()
    (root / ".pilotfish" / "settings.local.json").symlink_to(victim)

    with pytest.raises(SettingsError, match="leads out"):
        store.add_rule(rule("make"), "local")
    assert victim.read_text() == "{}"


def test_the_users_own_link_is_followed(store: SettingsStore, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "settings.json"
    real.parent.mkdir()
    real.write_text("{}")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "settings.json").symlink_to(real)

    store.add_rule(rule("make"), "user")

    assert "Bash(make)" in real.read_text()
    assert (tmp_path / "home" / "settings.json").is_symlink()


def test_git_does_not_see_a_new_personal_file(store: SettingsStore, root: Path) -> None:
    subprocess.run(["git", "init", "-q", str(root)], check=True)

    store.add_rule(rule("make"), "local")

    status = subprocess.run(
        ["git", "-C", str(root), "status", "--porcelain", "-uall"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert status.stdout == ""
    assert not exclude_from_git(root)


def test_a_rule_is_saved_where_gits_own_folder_cannot_be_written(
    store: SettingsStore, root: Path
) -> None:
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / ".git" / "info").mkdir(exist_ok=True)
    with read_only(root / ".git"):
        assert store.add_rule(rule("make"), "local")
    assert "Bash(make)" in (root / ".pilotfish" / "settings.local.json").read_text()


def test_without_a_project_only_the_user_file_is_there(tmp_path: Path) -> None:
    store = SettingsStore(home=tmp_path, project_root=None)

    with pytest.raises(SettingsError):
        store.add_rule(rule("make"), "project")


PROJECT_FILE = """\
{
    "$schema": "x",
    "permissions": {
        "deny": ["Read(secret/**)", "Bash(rm:*)"],
        "allow": [
            "Bash(npm test:*)"
        ]
    },
    "later":   {"unknown": [1,2,   3]}
}
"""


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_rule_comes_and_goes_and_the_file_is_as_before(
    store: SettingsStore, root: Path, mark: bytes
) -> None:
    file = root / ".pilotfish" / "settings.json"
    file.parent.mkdir()
    before = mark + PROJECT_FILE.encode()
    file.write_bytes(before)

    assert store.add_rules("project", "deny", ["Bash(curl:*)"])
    expected = before.replace(b'"Bash(rm:*)"]', b'"Bash(rm:*)", "Bash(curl:*)"]')
    assert file.read_bytes() == expected
    assert store.remove_rules("project", "deny", ["Bash(curl:*)"])
    assert file.read_bytes() == before
    assert not store.remove_rules("project", "deny", ["Bash(curl:*)"])


def test_a_rule_is_removed_in_whatever_spelling(store: SettingsStore, tmp_path: Path) -> None:
    file = tmp_path / "home" / "settings.json"
    file.parent.mkdir()
    file.write_text('{"permissions": {"deny": ["Task(x)", " Bash( ls ) ", "Bash(", "Bash(*)"]}}')

    assert store.remove_rules("user", "deny", ["Agent(x)", "Bash(ls)"])
    assert json.loads(file.read_text())["permissions"]["deny"] == ["Bash(", "Bash(*)"]
    assert store.remove_rules("user", "deny", ["Bash"])
    assert json.loads(file.read_text())["permissions"]["deny"] == ["Bash("]
    assert store.remove_rules("user", "deny", ["Bash("])
    assert json.loads(file.read_text())["permissions"]["deny"] == []


def test_replacing_keeps_the_rules_that_stay_in_their_places(
    store: SettingsStore, tmp_path: Path
) -> None:
    store.add_rules("user", "allow", ["Bash(a)", "Bash(b)", "Bash(c)"])

    store.replace_rules("user", "allow", ["Bash(d)", "Bash(c)", "Bash(a)"])

    saved = json.loads((tmp_path / "home" / "settings.json").read_text())
    assert saved["permissions"]["allow"] == ["Bash(a)", "Bash(c)", "Bash(d)"]


def test_folders_and_the_mode_are_kept_beside_the_rules(
    store: SettingsStore, tmp_path: Path
) -> None:
    store.add_directories("user", ["/srv/a", "/srv/b", "/srv/a"])
    store.remove_directories("user", ["/srv/a", "/srv/c"])
    store.set_mode("user", "plan")
    store.set_mode("user", "acceptEdits")

    saved = json.loads((tmp_path / "home" / "settings.json").read_text())
    assert saved == {
        "permissions": {"additionalDirectories": ["/srv/b"], "defaultMode": "acceptEdits"}
    }


@pytest.mark.parametrize("text", ["{broken", "// a comment\n{}", '{"a": 1, "a": 2}'])
def test_a_broken_file_loses_nothing_to_a_removal(
    store: SettingsStore, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "home" / "settings.json"
    file.parent.mkdir()
    file.write_text(text)

    with pytest.raises(SettingsError, match=r"settings\.json"):
        store.remove_rules("user", "deny", ["Bash(ls)"])
    assert file.read_text() == text


@pytest.mark.parametrize("fault", ["full", "read-only"])
def test_settings_that_cannot_be_written_stay_as_they_were_and_the_reason_is_told(
    store: SettingsStore, root: Path, fault: str
) -> None:
    store.add_rule(rule("npm test:*"), "project")
    folder = root / ".pilotfish"
    before = {path: path.read_bytes() for path in folder.iterdir()}
    full = fault == "full"
    reason = "File too large" if full else "(Read-only file system|Permission denied)"
    with (
        files_end_at(30) if full else read_only(folder),
        pytest.raises(SettingsError, match=rf"settings\.json cannot be written: {reason}"),
    ):
        store.add_rule(rule("make"), "project")
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    assert store.add_rule(rule("make"), "project")


@pytest.mark.parametrize("link", BROKEN_LINKS)
def test_a_rule_is_saved_where_the_repository_cannot_be_found(
    store: SettingsStore, root: Path, link: bytes
) -> None:
    (root / ".git").write_bytes(link)
    assert store.add_rule(rule("make"), "local")
    with pytest.raises(SettingsError, match=r"read|UTF-8"):
        exclude_from_git(root)
