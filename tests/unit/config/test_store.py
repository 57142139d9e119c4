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


def test_without_a_project_only_the_user_file_is_there(tmp_path: Path) -> None:
    store = SettingsStore(home=tmp_path, project_root=None)

    with pytest.raises(SettingsError):
        store.add_rule(rule("make"), "project")
