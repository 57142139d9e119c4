"""Recorded permission cases: a call, the state it is judged on, and what is expected.

Owns: the format of one line, the scratch folders that its placeholders stand for, deciding it.
Does not own: files of many lines and their report (``app.permissions``).
No command of a case is ever run; only the decision is looked at.
"""

import json
import os
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pilotfish.config.home import FOLDER_NAME
from pilotfish.config.modes import read_mode
from pilotfish.config.rule_syntax import parse_rule
from pilotfish.core.errors import SettingsError
from pilotfish.core.jsontypes import JsonObject, JsonValue
from pilotfish.core.permission import Behavior, PermissionDecision, PermissionRule, RuleSource
from pilotfish.permissions.assumed import CallHints, assume_call
from pilotfish.permissions.decide import decide
from pilotfish.permissions.state import PermissionState
from pilotfish.util.records import dataclass

_BEHAVIORS: tuple[Behavior, ...] = ("allow", "ask", "deny")
_BARE_REPOSITORY = {
    "HEAD": "ref: refs/heads/main\n",
    "config": "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
}


class _Model(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


class CaseState(_Model):
    """``state`` of a case."""

    mode: str = "default"
    rules: dict[str, list[str]] = Field(default_factory=dict)
    rules_source: Literal["user", "project"] | None = None
    project_trusted: bool = True
    interactive: bool = True
    cwd: str = "$PROJ"
    additional_dirs: list[str] = Field(default_factory=list)
    workspace_folders: list[str] | None = None
    session_edit_grant: bool = False
    pre_plan_mode: str = "default"
    settings: dict[str, JsonValue] = Field(default_factory=dict)
    mcp_read_only: bool = False
    skill_props: str = "safe"
    """``other`` when the skill declares something that acts."""


class CaseFile(_Model):
    """A fixture: exactly one of its names is given."""

    file: str | None = None
    dir: str | None = None
    symlink: str | None = None
    to: str = ""
    bare_repo: str | None = None


class CaseNet(_Model):
    """What the network would answer."""

    redirect: dict[str, str] = Field(default_factory=dict)


class RecordedCase(_Model):
    """One line."""

    id: str
    state: CaseState = CaseState()
    tool: str
    input: JsonObject
    fs: list[CaseFile] = Field(default_factory=list[CaseFile])
    net: CaseNet = CaseNet()
    rules_source: Literal["user", "project"] | None = None
    kind: str = ""
    class_: Literal["attack", "legit", ""] = Field(default="", alias="class")
    expect: Behavior | None = None
    also_ok: list[Behavior] = Field(default_factory=list[Behavior])

    @property
    def accepted(self) -> tuple[Behavior, ...]:
        """The decisions that are right; empty when the line states none."""
        return () if self.expect is None else (self.expect, *self.also_ok)


@dataclass(frozen=True, kw_only=True)
class CasePlaces:
    """Folders of one case; all lie below a scratch folder of its own."""

    scratch: Path
    """Canonical."""

    @property
    def project(self) -> Path:
        """``$PROJ``."""
        return self.scratch / "work" / "project"

    @property
    def home(self) -> Path:
        """``$USERHOME``."""
        return self.scratch / "home"

    @property
    def plan_file(self) -> Path:
        """``$PLANFILE``."""
        return self.home / FOLDER_NAME / "plans" / "plan.md"

    @property
    def placeholders(self) -> dict[str, str]:
        """What each placeholder stands for; a longer name comes before its own beginning."""
        return {
            "$PROJ": str(self.project),
            "$OUT2": str(self.scratch / "elsewhere-2"),
            "$OUT": str(self.scratch / "elsewhere"),
            "$USERHOME": str(self.home),
            "$PLANFILE": str(self.plan_file),
            "$CFG": FOLDER_NAME,
        }


def parse_case(line: str) -> RecordedCase:
    """Read one line.

    Raises:
        SettingsError: It is no case.
    """
    try:
        return RecordedCase.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"]) or "the line"
        raise SettingsError(f"{where}: {first['msg']}.") from error


def judge_case(line: str, scratch: Path) -> PermissionDecision:
    """Lay a case out below an empty folder, which the caller removes, and decide it. Blocks.

    Raises:
        SettingsError: It is no case, or a fixture leads out of the folder.
    """
    places = CasePlaces(scratch=scratch.resolve())
    root = _root_of(parse_case(line).state, places)
    for name, place in places.placeholders.items():
        # Paths stand inside JSON texts here.
        line = line.replace(name, json.dumps(place)[1:-1])
    case = parse_case(line)
    for folder in (places.project, places.home, places.plan_file.parent, root):
        folder.mkdir(parents=True, exist_ok=True)
    for name in ("$OUT", "$OUT2"):
        Path(places.placeholders[name]).mkdir(exist_ok=True)
    for entry in case.fs:
        _lay_out(entry, root, places.scratch)
    hints = CallHints(
        mcp_reads_only=case.state.mcp_read_only,
        skill_is_plain=case.state.skill_props != "other",
        redirects=tuple(case.net.redirect.values()),
    )
    state = _state(case, root, places)
    return decide(assume_call(case.tool, case.input, state.cwd, hints), state)


def rules_from(
    texts: dict[str, list[str]], source: RuleSource = "userSettings"
) -> tuple[PermissionRule, ...]:
    """Parse the rules of a case; what cannot act as a rule is left out."""
    parsed = (
        parse_rule(text, behavior, source).rule
        for behavior in _BEHAVIORS
        for text in texts.get(behavior, ())
    )
    return tuple(rule for rule in parsed if rule is not None)


def _root_of(state: CaseState, places: CasePlaces) -> Path:
    """Return the project: what the first placeholder of the working folder stands for."""
    for name, place in places.placeholders.items():
        if state.cwd.partition("/")[0] == name:
            return Path(place)
    return Path(state.cwd)


def _state(case: RecordedCase, root: Path, places: CasePlaces) -> PermissionState:
    given = case.state
    from_project = (given.rules_source or case.rules_source) == "project"
    disabled = given.settings.get("permissions.disableBypassPermissionsMode") == "disable"
    return PermissionState(
        mode=read_mode(given.mode).mode or "default",
        pre_plan_mode=read_mode(given.pre_plan_mode).mode or "default",
        project_root=root,
        cwd=Path(given.cwd),
        home=places.home,
        state_folder=places.home / FOLDER_NAME,
        roots=_real(given.workspace_folders or [str(root)]),
        additional_dirs=_real(given.additional_dirs),
        rules=rules_from(given.rules, "projectSettings" if from_project else "userSettings"),
        trusted=given.project_trusted,
        can_ask=given.interactive,
        bypass_available=not disabled,
        session_edit_grant=given.session_edit_grant,
        ask_beats_allow=given.settings.get("permissions.askBeatsAllow") is True,
        plan_file=places.plan_file,
    )


def _real(folders: list[str]) -> tuple[Path, ...]:
    return tuple(Path(os.path.realpath(folder)) for folder in folders)


def _lay_out(entry: CaseFile, root: Path, scratch: Path) -> None:
    name = entry.file or entry.dir or entry.symlink or entry.bare_repo or ""
    place = root / name
    # Links count: a later fixture must not be written through an earlier one.
    if not name or not Path(os.path.realpath(place.parent)).is_relative_to(scratch):
        raise SettingsError(f"The fixture {name!r} leads out of the scratch folder.")
    place.parent.mkdir(parents=True, exist_ok=True)
    if entry.symlink:
        place.symlink_to(entry.to)
    elif entry.file:
        with place.open("x", encoding="utf-8") as stream:
            stream.write("alpha\n")
    elif entry.dir:
        place.mkdir(exist_ok=True)
    else:
        for folder in ("objects", "refs"):
            (place / folder).mkdir(parents=True, exist_ok=True)
        for file, text in _BARE_REPOSITORY.items():
            (place / file).write_text(text, encoding="utf-8")
