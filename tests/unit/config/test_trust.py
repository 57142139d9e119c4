"""The list of trusted projects."""

import json
from pathlib import Path

import pytest
from pilotfish.config.trust import FILE_NAME, TrustStore
from pilotfish.core.errors import SettingsError


def test_a_folder_is_trusted_by_its_real_path(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "link").symlink_to(root)
    store = TrustStore(tmp_path / "home")
    store.trust(tmp_path / "link", now_ms=42)

    assert store.is_trusted(root)
    assert json.loads((tmp_path / "home" / FILE_NAME).read_text()) == {str(root): 42}


def test_trust_does_not_spread_to_other_folders(tmp_path: Path) -> None:
    store = TrustStore(tmp_path / "home")
    store.trust(tmp_path / "a", now_ms=1)

    assert not store.is_trusted(tmp_path / "a" / "sub")
    assert not store.is_trusted(tmp_path)
    assert not store.is_trusted(tmp_path / "ab")


def test_trust_can_be_taken_back(tmp_path: Path) -> None:
    store = TrustStore(tmp_path / "home")
    store.trust(tmp_path, now_ms=1)
    store.forget(tmp_path)

    assert not store.is_trusted(tmp_path)


def test_a_broken_list_trusts_nothing_and_is_left_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / FILE_NAME).write_text("{broken")
    store = TrustStore(home)

    assert not store.is_trusted(tmp_path)
    with pytest.raises(SettingsError):
        store.trust(tmp_path, now_ms=1)
    assert (home / FILE_NAME).read_text() == "{broken"
