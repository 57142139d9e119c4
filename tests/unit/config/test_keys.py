"""Who may set which key, and how the layers join."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from pilotfish.config.managed import managed_settings_file, why_not_managed
from pilotfish.config.schema import LoadedSettings
from pilotfish.config.sources import SettingsSources, load_settings


class Layers:
    """Files of all layers."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.home = folder / "home"
        self.files = {
            "user": self.home / "settings.json",
            "project": self.root / ".pilotfish" / "settings.json",
            "local": self.root / ".pilotfish" / "settings.local.json",
            "policy": folder / "managed" / "managed-settings.json",
        }
        for file in self.files.values():
            file.parent.mkdir(parents=True, exist_ok=True)

    def write(self, layer: str, value: object) -> None:
        self.files[layer].write_text(json.dumps(value), encoding="utf-8")

    def permissions(self, layer: str, **values: object) -> None:
        self.write(layer, {"permissions": values})

    def load(self, *, trusted: bool = True, **more: Any) -> LoadedSettings:
        sources = SettingsSources(
            home=self.home,
            project_root=self.root,
            policy=self.files["policy"],
            policy_owner_uid=os.getuid(),
            trusted_by_editor=trusted,
            **more,
        )
        return load_settings(sources)


@pytest.fixture
def layers(tmp_path: Path) -> Layers:
    return Layers(tmp_path)


def problems(loaded: LoadedSettings) -> str:
    return "\n".join(problem.text for problem in loaded.problems)


def test_trusted_directories_join_the_others_and_a_clone_adds_none(layers: Layers) -> None:
    layers.permissions("user", trustedDirectories=["/srv/a"], additionalDirectories=["/srv/b"])
    layers.permissions("project", trustedDirectories=["../lib"])

    def found(*, trusted: bool) -> set[Path]:
        return set(layers.load(trusted=trusted).settings.permissions.additional_directories)

    own = {Path("/srv/a"), Path("/srv/b")}
    assert found(trusted=True) == {*own, layers.root / "../lib"}
    assert found(trusted=False) == own
    assert "trustedDirectories waits" in problems(layers.load(trusted=False))


@pytest.mark.parametrize("layer", ["user", "project", "local", "policy"])
def test_switches_that_forbid_count_from_any_layer(layers: Layers, layer: str) -> None:
    layers.permissions("user", protectSecrets=False, askBeatsAllow=False)
    layers.permissions(layer, disableAutoMode="disable", protectSecrets=True, askBeatsAllow=True)

    permissions = layers.load(trusted=False).settings.permissions

    assert permissions.auto_disabled
    assert permissions.protect_secrets
    assert permissions.ask_beats_allow


@pytest.mark.parametrize(
    ("trusted", "user", "project", "expected"),
    [
        (True, None, "acceptEdits", "acceptEdits"),
        (False, None, "acceptEdits", None),
        (False, None, "default", None),
        (False, None, "plan", "plan"),
        (False, "acceptEdits", "default", "default"),
        (True, "plan", "bypassPermissions", "plan"),
    ],
)
def test_a_project_may_tighten_the_mode_of_agents_and_loosen_it_when_trusted(
    layers: Layers, trusted: bool, user: str | None, project: str, expected: str | None
) -> None:
    if user is not None:
        layers.permissions("user", subagentMode=user)
    layers.permissions("project", subagentMode=project)

    assert layers.load(trusted=trusted).settings.permissions.subagent_mode == expected


def test_a_policy_caps_the_mode_of_agents(layers: Layers) -> None:
    layers.permissions("user", subagentMode="bypassPermissions")
    layers.permissions("policy", subagentMode="default")

    assert layers.load().settings.permissions.subagent_mode == "default"


def test_an_untrusted_project_may_silence_agents_but_not_give_them_a_voice(layers: Layers) -> None:
    layers.permissions("user", backgroundPrompts="deny")
    layers.permissions("project", backgroundPrompts="bubble")
    assert layers.load(trusted=False).settings.permissions.background_prompts == "deny"
    assert layers.load(trusted=True).settings.permissions.background_prompts == "bubble"

    layers.permissions("user", backgroundPrompts="bubble")
    layers.permissions("project", backgroundPrompts="deny")
    assert layers.load(trusted=False).settings.permissions.background_prompts == "deny"


def test_a_cloned_project_cannot_let_questions_run_out(layers: Layers) -> None:
    layers.permissions("user", promptTimeoutMs=60_000)
    layers.permissions("project", promptTimeoutMs=1)

    assert layers.load(trusted=False).settings.permissions.prompt_timeout_ms == 60_000
    assert layers.load(trusted=True).settings.permissions.prompt_timeout_ms == 1


def test_a_policy_can_let_only_its_own_allow_rules_count(layers: Layers) -> None:
    layers.permissions("user", allow=["Bash"], deny=["Edit"])
    layers.permissions("policy", allow=["Bash(make:*)"], allowManagedPermissionRulesOnly=True)

    loaded = layers.load()

    assert [rule.text() for rule in loaded.rules] == ["Edit", "Bash(make:*)"]
    assert loaded.settings.permissions.managed_rules_only


def test_nobody_else_can(layers: Layers) -> None:
    layers.permissions("user", allow=["Bash"], allowManagedPermissionRulesOnly=True)

    loaded = layers.load()

    assert [rule.text() for rule in loaded.rules] == ["Bash"]
    assert "managed settings only" in problems(loaded)


KEYS = (
    "skipFileEditPermission",
    "skipBashExecPermission",
    "skipSkillPermission",
    "skipMCPToolPermission",
)


@pytest.mark.parametrize("key", KEYS)
def test_questions_are_skipped_by_the_user_and_by_nobody_who_could_be_a_stranger(
    layers: Layers, key: str
) -> None:
    def skipped(loaded: LoadedSettings) -> list[str]:
        return [one.key for one in loaded.settings.permissions.skipped]

    for layer in ("project", "local"):
        layers.write(layer, {key: True})
    loaded = layers.load(flag={key: True})
    assert skipped(loaded) == []
    assert key in problems(loaded)

    layers.write("user", {key: True})
    assert skipped(layers.load()) == [key]

    layers.write("policy", {key: False})
    assert skipped(layers.load()) == []


def test_where_plans_are_kept(layers: Layers) -> None:
    layers.write("user", {"planMode": {"directory": "/srv/plans", "eagerness": "eager"}})
    layers.write("project", {"planMode": {"directory": "docs/plans"}})

    plan = layers.load().settings.plan_mode
    assert (plan.directory, plan.eagerness) == (layers.root / "docs/plans", "eager")
    assert layers.load(trusted=False).settings.plan_mode.directory == Path("/srv/plans")


@pytest.mark.parametrize("place", ["../elsewhere", "/etc", "a/../../b", ".git/hooks", "~/.ssh"])
def test_a_project_cannot_make_plan_mode_write_elsewhere(layers: Layers, place: str) -> None:
    layers.write("project", {"planMode": {"directory": place}})

    loaded = layers.load()

    assert loaded.settings.plan_mode.directory is None
    assert "planMode.directory" in problems(loaded)


def test_wrong_values_of_plan_mode_are_reported(layers: Layers) -> None:
    layers.write("user", {"planMode": {"eagerness": "wild", "directory": ""}})

    loaded = layers.load()

    assert loaded.settings.plan_mode.eagerness == "restrained"
    assert "planMode.eagerness" in problems(loaded)
    assert "planMode.directory" in problems(loaded)


# --- the managed file ---


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_each_platform_has_a_place_for_managed_settings(platform: str) -> None:
    assert str(managed_settings_file(platform)).endswith("managed-settings.json")
    assert "ilotfish" in str(managed_settings_file(platform))


def test_a_managed_file_that_others_may_write_is_ignored(layers: Layers) -> None:
    layers.permissions("policy", allow=["Bash"])
    assert layers.load().rules

    layers.files["policy"].chmod(0o666)
    loaded = layers.load()
    assert loaded.rules == ()
    assert "others than the administrator may write" in problems(loaded)

    layers.files["policy"].chmod(0o644)
    layers.files["policy"].parent.chmod(0o777)
    assert layers.load().rules == ()


def test_a_managed_file_of_somebody_else_is_ignored(layers: Layers) -> None:
    layers.permissions("policy", allow=["Bash"])
    somebody = os.getuid() + 1
    assert "does not belong" in why_not_managed(layers.files["policy"], somebody)


def test_a_link_to_a_file_that_others_may_write_is_no_managed_file(
    layers: Layers, tmp_path: Path
) -> None:
    other = tmp_path / "mine.json"
    other.write_text('{"permissions": {"allow": ["Bash"]}}')
    other.chmod(0o666)
    layers.files["policy"].symlink_to(other)
    assert layers.load().rules == ()


def test_without_a_managed_file_there_is_nothing_to_report(layers: Layers) -> None:
    assert layers.load().problems == ()
