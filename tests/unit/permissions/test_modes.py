"""The mode table: every situation in every mode, as a whole call meets it."""

import os
import subprocess
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.config.modes import MODE_RANK, SETTABLE_MODES, UNASKED_MODES
from pilotfish.core.permission import (
    PERMISSION_MODES,
    AgentMode,
    PermissionDecision,
    PermissionMode,
)
from pilotfish.permissions.agent_modes import AgentWishes, mode_for_agent
from pilotfish.permissions.assumed import CallHints
from pilotfish.permissions.modes import MATRIX

from tests.support.permission_state import Judge

COLUMNS: tuple[PermissionMode, ...] = (
    "default", "acceptEdits", "plan", "autoInProject", "bypassPermissions", "dontAsk", "work",
    "delegate",
)  # fmt: skip
BEHAVIORS = {"+": "allow", "?": "ask", "??": "ask°", "-": "deny"}
TABLE = """
                 def  acc  plan auto byp  dont work dele
read inside      +    +    +    +    +    +    +    -
read outside     ?    ?    ?    ?    +    -    +    -
edit inside      ?    +    -    +    +    -    ?    -
edit outside     ??   ??   -    ??   +    -    ??   -
edit protected   ?    ?    -    ?    +    -    ?    -
edit own config  ??   ??   -    ??   ??   -    ??   -
shell reads      +    +    +    +    +    +    +    -
shell other      ?    ?    -    ?    +    -    ?    -
shell dangerous  ?    ?    -    ?    +    -    ?    -
shell inside     ?    ?    -    +    +    -    ?    -
shell worst      ??   ??   -    ??   ??   -    ??   -
fetch            ?    ?    ?    ?    +    -    ?    -
search the web   ?    ?    ?    ?    +    -    ?    -
mcp reading      ?    ?    ?    ?    +    -    ?    -
mcp other        ?    ?    -    ?    +    -    ?    -
mcp resource     ?    ?    ?    ?    +    -    ?    -
plain skill      +    +    +    +    +    +    +    -
acting skill     ?    ?    ?    ?    +    -    ?    -
reading agent    +    +    +    +    +    +    +    +
other agent      +    +    -    +    +    +    +    +
workflow         ?    ?    -    ?    +    -    ?    -
enter plan       ?    ?    +    ?    +    -    ?    ?
exit plan        +    +    +    +    +    -    +    +
question         +    +    +    +    +    -    +    +
todo             +    +    +    +    +    +    +    +
unknown tool     ?    ?    -    ?    +    -    ?    -
"""


def calls(judge: Judge) -> dict[str, Callable[[], PermissionDecision]]:
    root, decide, hinted = judge.root, judge.decide, judge.decide_with
    return {
        "read inside": lambda: decide("Read", file_path=str(root / "a")),
        "read outside": lambda: decide("Read", file_path=str(judge.outside / "a")),
        "edit inside": lambda: decide("Edit", file_path=str(root / "a")),
        "edit outside": lambda: decide("Edit", file_path=str(judge.outside / "a")),
        "edit protected": lambda: decide("Edit", file_path=str(root / ".git" / "config")),
        "edit own config": lambda: decide("Edit", file_path=str(root / ".mcp.json")),
        "shell reads": lambda: judge.bash("git status | head -3"),
        "shell other": lambda: judge.bash("frobnicate"),
        "shell dangerous": lambda: judge.bash("rm ../x"),
        "shell inside": lambda: judge.bash("rm -rf dist"),
        "shell worst": lambda: judge.bash("rm -rf /"),
        "fetch": lambda: decide("WebFetch", url="https://example.com/"),
        "search the web": lambda: decide("WebSearch", query="x"),
        "mcp reading": lambda: hinted(CallHints(mcp_reads_only=True), "mcp__db__get"),
        "mcp other": lambda: decide("mcp__db__put"),
        "mcp resource": lambda: decide("ReadMcpResource", server="db", uri="x:y"),
        "plain skill": lambda: hinted(CallHints(skill_is_plain=True), "Skill", skill="fmt"),
        "acting skill": lambda: decide("Skill", skill="fmt"),
        "reading agent": lambda: decide("Agent", subagent_type="Explore"),
        "other agent": lambda: decide("Agent", subagent_type="worker"),
        "workflow": lambda: decide("Workflow", name="w"),
        "enter plan": lambda: decide("EnterPlanMode"),
        "exit plan": lambda: decide("ExitPlanMode"),
        "question": lambda: decide("AskUserQuestion"),
        "todo": lambda: decide("TodoWrite"),
        "unknown tool": lambda: decide("Teleport"),
    }


ROWS = {line[:16].strip(): line[16:].split() for line in TABLE.splitlines()[2:]}
CELLS = [(row, mode) for row in ROWS for mode in COLUMNS]


@pytest.mark.parametrize(("row", "mode"), CELLS)
def test_a_cell_of_the_table(judge: Judge, row: str, mode: PermissionMode) -> None:
    judge.set(mode=mode)

    decision = calls(judge)[row]()

    expected = BEHAVIORS[ROWS[row][COLUMNS.index(mode)]]
    hidden = "°" if decision.behavior == "ask" and decision.hide_always else ""
    assert decision.behavior + hidden == expected, decision.trace


def test_the_table_names_every_call_and_every_mode(judge: Judge) -> None:
    assert set(ROWS) == set(calls(judge))
    assert {*COLUMNS, "fullAccess"} == set(PERMISSION_MODES)
    assert all(set(row) == set(PERMISSION_MODES) for row in MATRIX.values())


@pytest.mark.parametrize("row", ROWS)
def test_full_access_is_bypass_by_another_name(judge: Judge, row: str) -> None:
    judge.set(mode="bypassPermissions")
    bypass = calls(judge)[row]()

    assert calls(judge.set(mode="fullAccess"))[row]() == bypass
    assert (
        calls(judge.set(bypass_available=False))[row]().behavior
        == calls(judge.set(mode="default"))[row]().behavior
    )


@pytest.mark.parametrize(
    ("before", "expected"),
    [("default", "ask"), ("dontAsk", "deny"), ("work", "allow"), ("bypassPermissions", "allow"),
     ("fullAccess", "allow"), ("plan", "ask")],
)  # fmt: skip
def test_plan_mode_reads_outside_as_the_mode_before(
    judge: Judge, before: PermissionMode, expected: str
) -> None:
    judge.set(mode="plan", pre_plan_mode=before)

    assert judge.decide("Read", file_path=str(judge.outside / "a")).behavior == expected


def test_a_bypass_that_is_switched_off_does_not_live_on_behind_plan_mode(judge: Judge) -> None:
    judge.set(mode="plan", pre_plan_mode="bypassPermissions", bypass_available=False)

    assert judge.decide("Read", file_path=str(judge.outside / "a")).behavior == "ask"


def test_rules_cannot_open_delegate_mode(judge: Judge) -> None:
    judge.set(mode="delegate").rules("policySettings", allow=["*", "Bash(ls)", "Edit(//**)"])

    assert judge.bash("ls").phase == "delegate_gate"
    assert judge.decide("Edit", file_path=str(judge.root / "a")).phase == "delegate_gate"


def test_dont_ask_follows_trusted_rules_and_says_which_one_is_missing(judge: Judge) -> None:
    judge.set(mode="dontAsk")
    assert "`Bash(npm test:*)`" in judge.bash("npm test").reason

    judge.rules(allow=["Bash(npm test:*)", "Edit(/src/**)"])
    assert judge.bash("npm test").behavior == "allow"
    assert judge.decide("Edit", file_path=str(judge.root / "src" / "a")).behavior == "allow"
    assert judge.decide("Edit", file_path=str(judge.root / "b")).phase == "no_prompt"


# --- what autoInProject takes for proved ---


@pytest.fixture
def auto(judge: Judge) -> Judge:
    (judge.root / "link").symlink_to(judge.outside)
    (judge.root / "sub").mkdir()
    subprocess.run(["git", "init", "-q", str(judge.root)], check=True)
    return judge.set(mode="autoInProject")


@pytest.mark.parametrize(
    "command",
    ["rm -rf dist", "rm -rf build/* dist/*.o", "mkdir -p a/b && touch a/b/c", "mv a.txt b.txt",
     "cp a.txt sub/", "echo x > out.txt", "make -j4 all", "npm test", "npm run build",
     "pytest -q tests/unit", "python3 -m pytest tests", "python3 tools/gen.py --out=sub/x",
     "node build.js", "./run.sh --fast", "cd sub && make", "git add -A && git commit -m 'a /b'",
     "git reset --soft HEAD~1", "chmod +x run.sh", "NODE_ENV=test npm test", "time make",
     "cargo test | tail -5", "echo done; rm x", "make 2>&1 | tee build.log"],
)  # fmt: skip
def test_what_provably_stays_in_the_project_runs(auto: Judge, command: str) -> None:
    assert auto.bash(command).behavior == "allow", auto.bash(command).trace


@pytest.mark.parametrize(
    "command",
    ["rm ../x", "rm -rf sub/../../x", "rm -rf link/x", "rm -rf sub/*/x", "touch *.txt",
     "rm -rf \"$D\"", "rm -rf $(cat list)", "cp a.txt ../", "cp -r sub other", "ln -s /etc e",
     "mv link l && rm -rf l/x", "make SHELL=/bin/evil", "make CC='sh -c x'", "make --eval=x",
     "make -C ..", "make -f -", "make -I/usr/x", "python3 -c 'x'", "python3 -", "python3",
     "python3 -m http.server", "python3 -m pip install x", "node -e x", "perl -e x",
     "npm install x", "npm publish", "npm exec x", "npx x", "cargo install x", "go get x",
     "cargo build --config build.rustc-wrapper=x", "go test -exec ./x ./...", "git push",
     "git fetch", "git clone u", "git -C .. status", "git -c core.pager=x log",
     "git config a.b c", "curl u", "ssh h", "sudo make", "env make", "xargs rm", "find . -delete",
     "find . -exec rm {} +", "eval rm x", ". ./x", "exec make", "make &", "(make)",
     "tar cf x.tar sub", "sed -i s/a/b/ x", "docker build .", "kill 1", "frobnicate",
     "../run.sh", "/bin/rm x", "PATH=. make", "LD_PRELOAD=./x make", "FOO=1 make",
     "echo x > ../y", "echo x > link/y", "echo x > .git/config", "rm -rf .git/x", "cd .. && make",
     "cd link && make", "cd sub; rm ../../x", "tee ~/x", "rm -rf ~/x", "touch a~/x",
     "pytest --rootdir=/", "pytest -p /x/y", "mkdir -m 700 /x", "rm -- -rf /x", "bash x.sh",
     "cp --target-directory=.. a", "rm -rf {a,../b}", "npm --prefix .. test"],
)  # fmt: skip
def test_what_is_not_proved_to_stay_asks(auto: Judge, command: str) -> None:
    assert auto.bash(command).behavior == "ask", auto.bash(command).trace


def test_a_repository_around_the_project_is_not_inside_it(judge: Judge) -> None:
    subprocess.run(["git", "init", "-q", str(judge.root.parent)], check=True)
    judge.set(mode="autoInProject")

    assert judge.bash("git reset --hard").behavior == "ask"


def test_nor_is_one_that_keeps_its_files_elsewhere(auto: Judge) -> None:
    assert auto.bash("git reset --hard").behavior == "allow"
    git = ["git", "-C", str(auto.root), "config"]
    subprocess.run([*git, "core.worktree", str(auto.outside)], check=True)

    assert auto.bash("git reset --hard").behavior == "ask"


def test_nor_is_a_linked_work_tree(auto: Judge) -> None:
    (auto.root / "sub" / ".git").write_text(f"gitdir: {auto.outside}\n")

    assert auto.bash("cd sub && git add a").behavior == "ask"


@given(
    program=st.sampled_from(["rm", "touch", "tee", "mkdir", "make"]),
    words=st.lists(st.text(alphabet="ab./~*-={}@:,", min_size=1, max_size=10), min_size=1),
)
def test_no_unquoted_path_leads_out(shared: Judge, program: str, words: list[str]) -> None:
    if shared.bash(f"{program} {' '.join(words)}").behavior != "allow":
        return
    for word in words:
        assert not word.startswith(("/", "~"))
        place = os.path.normpath(shared.root / word)
        assert place == str(shared.root) or place.startswith(f"{shared.root}/")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    return Judge(tmp_path_factory.mktemp("modes")).set(mode="autoInProject")


# --- sub-agents ---

NO_DEFINITION: tuple[AgentMode | None, ...] = (None, "ignore", "bubble")


@pytest.mark.parametrize("parent", PERMISSION_MODES)
@pytest.mark.parametrize("wanted", PERMISSION_MODES)
def test_neither_call_nor_definition_raises_an_agent_above_its_parent(
    parent: PermissionMode, wanted: PermissionMode
) -> None:
    by_call = mode_for_agent(parent, AgentWishes(call=wanted))
    by_definition = mode_for_agent(parent, AgentWishes(definition=wanted))
    assert by_call == by_definition
    assert MODE_RANK[by_call] <= MODE_RANK[parent]
    assert by_call == "plan" or parent != "plan"
    if MODE_RANK[wanted] <= MODE_RANK[parent] and "delegate" not in (parent, wanted):
        assert MODE_RANK[by_call] == MODE_RANK[wanted] or parent == "plan"


@pytest.mark.parametrize("parent", PERMISSION_MODES)
@pytest.mark.parametrize("setting", SETTABLE_MODES)
def test_the_users_own_word_for_all_agents_frees_none_from_plan_mode_or_questions(
    parent: PermissionMode, setting: PermissionMode
) -> None:
    got = mode_for_agent(parent, AgentWishes(setting=setting))
    if parent in ("plan", "dontAsk") or setting in UNASKED_MODES:
        assert MODE_RANK[got] <= MODE_RANK[parent]
    else:
        assert got == setting


@pytest.mark.parametrize("parent", PERMISSION_MODES)
@pytest.mark.parametrize("definition", NO_DEFINITION)
def test_without_a_wish_an_agent_works_as_its_parent_does(
    parent: PermissionMode, definition: AgentMode | None
) -> None:
    expected = "default" if parent == "delegate" else parent
    assert mode_for_agent(parent, AgentWishes(definition=definition)) == expected


def test_the_order_of_the_voices_for_an_agent() -> None:
    wishes = AgentWishes(call="dontAsk", definition="acceptEdits", setting="acceptEdits")
    assert mode_for_agent("default", wishes) == "dontAsk"
    wishes = AgentWishes(definition="ignore", setting="acceptEdits")
    assert mode_for_agent("default", wishes) == "default"
    wishes = AgentWishes(definition="dontAsk", setting="acceptEdits")
    assert mode_for_agent("default", wishes) == "acceptEdits"
