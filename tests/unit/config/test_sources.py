"""Loading and merging settings from real files."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from pilotfish.config.schema import LoadedSettings
from pilotfish.config.sources import CommandLine, SettingsSources, load_settings
from pilotfish.config.trust import TrustStore
from pilotfish.core.permission import PermissionRule

from tests.support.settings_files import SettingsFiles


class Setup(SettingsFiles):
    """A home and a project with settings files."""

    def load(self, *, trusted: bool | None = True, **more: Any) -> LoadedSettings:
        sources = SettingsSources(
            home=self.home, project_root=self.root, trusted_by_editor=trusted, **more
        )
        return load_settings(sources)


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    return Setup(tmp_path)


def write(file: Path, value: Any) -> None:
    file.write_text(json.dumps(value, indent=2), encoding="utf-8")


def problems(loaded: LoadedSettings) -> str:
    return "\n".join(problem.text for problem in loaded.problems)


def test_without_files_the_defaults_hold(setup: Setup) -> None:
    loaded = setup.load()

    assert loaded.settings.permissions.default_mode == "default"
    assert loaded.settings.edit.save_after_edit
    assert (loaded.rules, loaded.problems) == ((), ())


def test_the_strongest_layer_wins_for_single_values(setup: Setup) -> None:
    write(setup.user, {"model": {"name": "user", "maxTokens": 1}, "maxTurns": 1})
    write(setup.project, {"model": {"name": "project"}, "maxTurns": 2})
    write(setup.local, {"model": {"name": "local"}})
    flag = {"model": {"thinkingBudgetTokens": 7}, "edit": {"saveAfterEdit": False}}

    settings = setup.load(flag=flag).settings

    assert settings.model.name == "local"
    assert settings.model.max_tokens == 1
    assert settings.model.thinking_budget_tokens == 7
    assert settings.max_turns == 2
    assert not settings.edit.save_after_edit


def test_the_command_line_beats_every_file(setup: Setup) -> None:
    write(setup.local, {"permissions": {"defaultMode": "plan"}})
    line = CommandLine(
        permission_mode="acceptEdits", allowed_tools=("Bash(git log:*) Read",), max_turns=3
    )

    loaded = setup.load(command_line=line)

    assert loaded.settings.permissions.default_mode == "acceptEdits"
    assert loaded.settings.max_turns == 3
    assert [rule.text() for rule in loaded.rules] == ["Bash(git log:*)", "Read"]
    assert {rule.source for rule in loaded.rules} == {"cliArg"}


def test_rules_of_all_layers_stand_beside_each_other_with_their_source(setup: Setup) -> None:
    write(setup.user, {"permissions": {"deny": ["Bash(rm:*)"]}})
    write(setup.project, {"permissions": {"allow": ["Bash(make:*)", "Bash(make:*)"]}})
    write(setup.local, {"permissions": {"ask": "Bash(git push:*), Edit"}})

    assert setup.load().rules == (
        PermissionRule(source="userSettings", behavior="deny", tool="Bash", content="rm:*"),
        PermissionRule(source="projectSettings", behavior="allow", tool="Bash", content="make:*"),
        PermissionRule(source="localSettings", behavior="ask", tool="Bash", content="git push:*"),
        PermissionRule(source="localSettings", behavior="ask", tool="Edit"),
    )


@pytest.mark.parametrize("layer", ["user", "project", "local"])
def test_the_switch_against_bypass_counts_from_any_layer(setup: Setup, layer: str) -> None:
    write(getattr(setup, layer), {"permissions": {"disableBypassPermissionsMode": "disable"}})

    assert setup.load(trusted=False).settings.permissions.bypass_disabled


def test_an_untrusted_project_cannot_loosen_anything(setup: Setup) -> None:
    write(
        setup.project,
        {
            "permissions": {
                "defaultMode": "bypassPermissions",
                "additionalDirectories": ["/"],
                "allow": ["Bash"],
            },
            "model": {"baseUrl": "https://elsewhere.invalid"},
            "maxTurns": 900,
        },
    )
    write(setup.local, {"permissions": {"defaultMode": "acceptEdits"}})

    loaded = setup.load(trusted=False)

    assert loaded.settings.permissions.default_mode == "default"
    assert loaded.settings.permissions.additional_directories == ()
    assert loaded.settings.model.base_url is None
    assert not loaded.trusted
    assert "model.baseUrl is not taken from a project" in problems(loaded)
    assert [rule.text() for rule in loaded.rules] == ["Bash"]


def test_an_untrusted_project_may_tighten(setup: Setup) -> None:
    write(setup.user, {"permissions": {"defaultMode": "acceptEdits"}, "maxTurns": 50})
    write(setup.project, {"permissions": {"defaultMode": "plan"}, "maxTurns": 5})

    settings = setup.load(trusted=False).settings

    assert settings.permissions.default_mode == "plan"
    assert settings.max_turns == 5


def test_even_a_trusted_project_cannot_redirect_requests_or_stop_the_questions(
    setup: Setup,
) -> None:
    for mode in ("bypassPermissions", "fullAccess"):
        write(setup.project, {"permissions": {"defaultMode": mode}})
        loaded = setup.load()
        assert loaded.settings.permissions.default_mode == "default"
        assert "permissions.defaultMode" in problems(loaded)
    write(setup.local, {"model": {"baseUrl": "https://elsewhere.invalid"}})
    assert setup.load().settings.model.base_url is None


def test_a_settings_file_that_is_a_pipe_is_refused_at_once(setup: Setup) -> None:
    setup.project.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(setup.project)
    assert "not a regular file" in problems(setup.load())


def test_a_trusted_project_may_loosen_what_is_its_own(setup: Setup) -> None:
    write(
        setup.project,
        {
            "permissions": {"defaultMode": "accept-edits", "additionalDirectories": ["../lib"]},
        },
    )

    settings = setup.load().settings

    assert settings.permissions.default_mode == "acceptEdits"
    assert settings.permissions.additional_directories == (setup.root / "../lib",)


def test_workspace_settings_of_the_editor_count_as_the_projects(setup: Setup) -> None:
    loaded = setup.load(trusted=False, workspace={"permissions": {"defaultMode": "acceptEdits"}})

    assert loaded.settings.permissions.default_mode == "default"


def test_an_unknown_mode_is_default_with_a_report(setup: Setup) -> None:
    write(setup.user, {"permissions": {"defaultMode": "yolo"}})

    loaded = setup.load()

    assert loaded.settings.permissions.default_mode == "default"
    assert "'yolo'" in problems(loaded)


def test_a_broken_file_is_ignored_and_reported_with_its_line(setup: Setup) -> None:
    setup.user.write_text('{\n  "maxTurns": 3,\n  oops\n}', encoding="utf-8")
    write(setup.project, {"maxTurns": 4})

    loaded = setup.load()

    assert loaded.settings.max_turns == 4
    assert [(p.file, p.line) for p in loaded.problems] == [(setup.user, 3)]


@pytest.mark.parametrize(
    "text", ["[1]", '{"a": 1, "a": 2}', "\xff", "nul", '{"a": NaN', "[" * 90_000]
)
def test_no_content_makes_loading_raise(setup: Setup, text: str) -> None:
    setup.user.write_text(text, encoding="latin-1")

    assert setup.load().problems


def test_a_wrong_value_costs_only_itself(setup: Setup) -> None:
    write(
        setup.user,
        {
            "maxTurns": "many",
            "model": {"maxTokens": -4, "name": "good"},
            "permissions": {"deny": ["Bash(rm:*)", 7], "additionalDirectories": [1]},
            "edit": 5,
        },
    )

    loaded = setup.load()

    assert loaded.settings.model.name == "good"
    assert loaded.settings.max_turns is None
    assert [rule.text() for rule in loaded.rules] == ["Bash(rm:*)"]
    for name in (
        "maxTurns",
        "model.maxTokens",
        "additionalDirectories",
        "edit",
        "permissions.deny",
    ):
        assert name in problems(loaded)
    assert "edit is ignored: Input should be an object." in problems(loaded)


def test_unknown_keys_are_reported_with_their_line(setup: Setup) -> None:
    setup.user.write_text('{\n  "$schema": "x",\n  "model": {\n    "nmae": "x"\n  }\n}')

    (problem,) = setup.load().problems

    assert "model.nmae" in problem.text
    assert problem.line == 4


def test_a_malformed_rule_is_reported_with_its_line(setup: Setup) -> None:
    write(setup.user, {"permissions": {"deny": ["Bash(rm"]}})

    loaded = setup.load()

    assert loaded.rules[0].behavior == "ask"
    assert "Bash(rm" in loaded.problems[0].text
    assert loaded.problems[0].line == 4


def test_a_flag_file_that_is_missing_is_reported(setup: Setup) -> None:
    assert "does not exist" in problems(setup.load(flag=setup.home / "none.json"))


def test_trust_comes_from_the_users_list_when_no_editor_decides(setup: Setup) -> None:
    assert not setup.load(trusted=None).trusted

    TrustStore(setup.home).trust(setup.root, now_ms=1)

    assert setup.load(trusted=None).trusted
    assert not setup.load(trusted=False).trusted


def test_a_byte_order_mark_does_no_harm(setup: Setup) -> None:
    setup.user.write_text('\ufeff{"maxTurns": 3}', encoding="utf-8")

    assert setup.load().settings.max_turns == 3


@pytest.mark.parametrize("name", ["auto", "work", "fullAccess", "ignore"])
def test_a_mode_that_settings_cannot_choose_is_default_with_a_report(
    setup: Setup, name: str
) -> None:
    write(setup.user, {"permissions": {"defaultMode": name}})

    loaded = setup.load()

    assert loaded.settings.permissions.default_mode == "default"
    assert f"`{name}`" in problems(loaded)


def test_a_client_may_ask_for_a_mode_that_a_file_may_not_name(setup: Setup) -> None:
    loaded = setup.load(command_line=CommandLine(permission_mode="fullAccess"))

    assert loaded.settings.permissions.default_mode == "fullAccess"


def test_what_a_policy_sets_is_the_most_that_anyone_gets(setup: Setup, tmp_path: Path) -> None:
    policy = tmp_path / "policy.json"
    policy.parent.chmod(0o700)
    write(policy, {"permissions": {"defaultMode": "acceptEdits"}})
    write(setup.user, {"permissions": {"defaultMode": "bypassPermissions"}})

    def start(asked: str | None) -> str:
        line = CommandLine(permission_mode=asked)
        return setup.load(
            policy=policy, policy_owner_uid=os.getuid(), command_line=line
        ).settings.permissions.default_mode

    assert start(None) == "acceptEdits"
    assert start("bypassPermissions") == "acceptEdits"
    assert start("plan") == "plan"


@pytest.mark.parametrize("mode", ["autoInProject", "acceptEdits"])
def test_an_untrusted_project_cannot_choose_a_looser_mode(setup: Setup, mode: str) -> None:
    write(setup.local, {"permissions": {"defaultMode": mode}})

    assert setup.load(trusted=False).settings.permissions.default_mode == "default"
    assert setup.load(trusted=True).settings.permissions.default_mode == mode
