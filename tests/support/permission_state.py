"""A permission snapshot over a real folder."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from pilotfish.core.permission import PermissionDecision, RuleSource
from pilotfish.permissions.assumed import CallHints, assume_call
from pilotfish.permissions.decide import decide
from pilotfish.permissions.recorded import rules_from
from pilotfish.permissions.state import PermissionState


class Judge:
    """Decides calls in a project folder; ``state`` may be replaced at will."""

    def __init__(self, folder: Path) -> None:
        folder = folder.resolve()
        self.root = folder / "project"
        self.home = folder / "home"
        self.outside = folder / "elsewhere"
        for place in (self.root, self.home, self.outside):
            place.mkdir()
        self.state = PermissionState(
            mode="default",
            project_root=self.root,
            cwd=self.root,
            home=self.home,
            state_folder=self.home / ".pilotfish",
            roots=(self.root,),
            trusted=True,
            can_ask=True,
            bypass_available=True,
        )

    def set(self, **changes: Any) -> "Judge":
        """Change the snapshot."""
        self.state = replace(self.state, **changes)
        return self

    def rules(self, source: RuleSource = "userSettings", **texts: list[str]) -> "Judge":
        """Add rules: ``rules(allow=[…], deny=[…])``."""
        return self.set(rules=self.state.rules + rules_from(texts, source))

    def decide(self, tool: str, **given: Any) -> PermissionDecision:
        """Judge a call by its tool and input."""
        return decide(assume_call(tool, given, self.state.cwd), self.state)

    def decide_with(self, hints: CallHints, tool: str, **given: Any) -> PermissionDecision:
        """Judge a call about which more is known than its input says."""
        return decide(assume_call(tool, given, self.state.cwd, hints), self.state)

    def bash(self, command: str) -> PermissionDecision:
        """Judge a shell command."""
        return self.decide("Bash", command=command)
