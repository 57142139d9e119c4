"""Pilotfish begins when it is needed, not when VS Code does."""

import json
from typing import Any

from pilotfish.codeintel.languages import language_named

from tools.gen_settings import ROOT

MANIFEST: dict[str, Any] = json.loads((ROOT / "package.json").read_text("utf-8"))
EVENTS: list[str] = MANIFEST["activationEvents"]
LANGUAGE = "onLanguage:"


def test_nothing_begins_it_but_code_its_own_files_and_what_people_open() -> None:
    assert [event for event in EVENTS if not event.startswith(LANGUAGE)] == [
        "onFileSystem:pilotfish-baseline",
        "onFileSystem:pilotfish-output",
        "onWebviewPanel:pilotfish.chatTab",
        "workspaceContains:.pilotfish",
    ]


def test_languages_that_begin_it_are_those_it_knows() -> None:
    languages = [event.removeprefix(LANGUAGE) for event in EVENTS if event.startswith(LANGUAGE)]
    assert len(languages) > 20
    assert [one for one in languages if language_named(one) is None] == []
    # Opened in every window, and other extensions serve them.
    assert not {"json", "jsonc", "markdown", "plaintext"} & set(languages)


def test_it_runs_where_the_code_is_and_says_where_it_does_not() -> None:
    assert MANIFEST["extensionKind"] == ["workspace"]
    assert MANIFEST["capabilities"]["virtualWorkspaces"] == {
        "supported": False,
        "description": "%virtualWorkspaces%",
    }
    assert MANIFEST["capabilities"]["untrustedWorkspaces"]["supported"] == "limited"
