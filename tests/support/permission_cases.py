"""Runs the recorded permission cases through the judge.

Owns: laying out a case's files and turning its call into facts, as the tools would state them.
Does not own: the cases (``tests/fixtures/permission-cases.jsonl``).
No command of a case is ever run; only the decision is looked at.
"""

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pilotfish.config.rule_syntax import parse_rule
from pilotfish.core.calls import PreparedCall, ToolCall
from pilotfish.core.effects import CommandEffect, Effects
from pilotfish.core.ids import ToolUseId
from pilotfish.core.permission import (
    PERMISSION_MODES,
    Behavior,
    FilePreview,
    PermissionDecision,
    PermissionRule,
    RuleSource,
)
from pilotfish.permissions.decide import decide
from pilotfish.permissions.state import PermissionState

Case = dict[str, Any]

_BEHAVIORS: tuple[Behavior, ...] = ("allow", "ask", "deny")


def load_cases(file: Path) -> list[Case]:
    """Read the cases, one a line."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]


def run_case(case: Case, scratch: Path) -> PermissionDecision:
    """Lay out a case below an empty folder and decide it."""
    scratch = scratch.resolve()
    places = {
        "$PROJ": scratch / "work" / "project",
        "$OUT2": scratch / "elsewhere-2",
        "$OUT": scratch / "elsewhere",
        "$USERHOME": scratch / "home",
        "$PLANFILE": scratch / "home" / ".pilotfish" / "plans" / "plan.md",
    }
    for name, place in places.items():
        (place.parent if name == "$PLANFILE" else place).mkdir(parents=True, exist_ok=True)
    text = json.dumps(case)
    for name, place in places.items():
        text = text.replace(name, str(place))
    filled: Case = json.loads(text.replace("$CFG", ".pilotfish"))
    for entry in filled.get("fs", []):
        _lay_out(entry, places["$PROJ"])
    state = _state(filled["state"], filled, places)
    call = prepared_call(filled["tool"], filled["input"], state)
    return decide(_with_redirects(call, filled.get("net", {})), state)


def prepared_call(tool: str, given: Case, state: PermissionState) -> PreparedCall:
    """Build what a tool's ``prepare`` would return for an input."""
    path = Path(
        given.get("file_path") or given.get("notebook_path") or given.get("path") or state.cwd
    )
    effects, preview = Effects(), None
    if tool == "Bash":
        effects = Effects(command=CommandEffect(command=given["command"], cwd=state.cwd))
    elif tool in ("Read", "Glob", "Grep", "NotebookRead"):
        effects = Effects(reads=(path,), read_only=True)
    elif tool in ("Edit", "MultiEdit", "Write", "NotebookEdit"):
        effects = Effects(writes=(path,))
        fresh = given.get("old_string") == "" or (tool == "Write" and not path.exists())
        preview = FilePreview(path=str(path), old_text=None if fresh else "alpha", new_text="beta")
    elif tool == "WebFetch":
        effects = Effects(hosts=_hosts(given["url"]), read_only=True)
    elif tool == "TodoWrite":
        effects = Effects(internal=True)
    return PreparedCall(
        call=ToolCall(id=ToolUseId("toolu_case"), name=tool, input=given),
        tool=tool,
        title=tool,
        kind="other",
        args=None,
        effects=effects,
        preview=preview,
    )


def _with_redirects(call: PreparedCall, net: Case) -> PreparedCall:
    """Count the hosts that a fetch would be sent on to: all of them must pass."""
    targets: list[str] = list(net.get("redirect", {}).values())
    hosts = [urlsplit(target).hostname or "" for target in targets]
    return replace(call, effects=replace(call.effects, hosts=(*call.effects.hosts, *hosts)))


def rules_from(
    texts: dict[str, list[str]], source: RuleSource = "userSettings"
) -> tuple[PermissionRule, ...]:
    """Parse the rules of a case; what cannot act as a rule is left out."""
    found: list[PermissionRule] = []
    for behavior in _BEHAVIORS:
        for text in texts.get(behavior, []):
            rule = parse_rule(text, behavior, source).rule
            if rule is not None:
                found.append(rule)
    return tuple(found)


def _state(given: Case, case: Case, places: dict[str, Path]) -> PermissionState:
    settings = given.get("settings", {})
    mode = given["mode"] if given["mode"] in PERMISSION_MODES else "default"
    source: RuleSource = (
        "projectSettings" if _rules_source(given, case) == "project" else "userSettings"
    )
    project = places["$PROJ"]
    return PermissionState(
        mode=mode,
        pre_plan_mode=given.get("pre_plan_mode", "default"),
        project_root=project,
        cwd=Path(given["cwd"]),
        home=places["$USERHOME"],
        state_folder=places["$USERHOME"] / ".pilotfish",
        roots=tuple(Path(folder) for folder in given.get("workspace_folders", [str(project)])),
        additional_dirs=tuple(Path(folder) for folder in given.get("additional_dirs", [])),
        rules=rules_from(given["rules"], source),
        trusted=given["project_trusted"],
        can_ask=given["interactive"],
        bypass_available=settings.get("permissions.disableBypassPermissionsMode") != "disable",
        session_edit_grant=given.get("session_edit_grant", False),
        ask_beats_allow=settings.get("permissions.askBeatsAllow", False),
        plan_file=places["$PLANFILE"],
    )


def _rules_source(given: Case, case: Case) -> str:
    return given.get("rules_source") or case.get("rules_source") or "user"


def _hosts(url: str) -> tuple[str, ...]:
    host = urlsplit(url).hostname or ""
    return (host,) if host.isascii() and "%" not in host else ("unreadable.invalid",)


def _lay_out(entry: dict[str, str], project: Path) -> None:
    name = entry.get("file") or entry.get("dir") or entry.get("symlink") or entry["bare_repo"]
    place = project / name
    place.parent.mkdir(parents=True, exist_ok=True)
    if "file" in entry:
        place.write_text("alpha\n", encoding="utf-8")
    elif "dir" in entry:
        place.mkdir(exist_ok=True)
    elif "symlink" in entry:
        place.symlink_to(entry["to"])
    else:
        subprocess.run(["git", "init", "-q", "--bare", str(place)], check=True)
