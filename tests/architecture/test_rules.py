"""Rules of the code base as tests. Exceptions are listed with a reason; the lists may only shrink."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.waiting import WAIT_S

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "server" / "pilotfish"
CLIENT = ROOT / "client-vscode"
MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60
MAX_TURN_LINES = 400

LONG_FILES: dict[str, str] = {}
"""Files above the limit, with the reason."""

BROAD_EXCEPTS = {
    "codeintel/sources.py": "a source's bug must not cost what the other sources know",
    "edges/channel.py": "the wire boundary",
    "edges/lsp/server.py": "the root of the task that takes messages",
    "workspace/disk.py": "cleans up and raises again",
    "workspace/edit_pipeline.py": "an observer's fault must not make a write that happened fail",
    "workspace/process.py": "cleans up and raises again",
    "session/background.py": "the root of the task that follows a command",
    "session/transcript.py": "the writer's task root",
    "tooling/executor.py": "a tool's bug is a result",
    "tooling/scheduler.py": "the root of a call's task",
}
"""Where ``except Exception`` may stand: task roots and the wire boundary."""

BARE_IMPORTS_IN_FUNCTIONS = {
    "__main__.py": "each way in loads its own",
    "app/engine.py": "what few starts need: doctor, the settings files as a language",
    "app/headless.py": "each command loads its own; a test guards what a run loads",
    "app/serve.py": "loaded after the handshake",
    "llm/choose.py": "only the provider that is used",
}
"""Function-level imports that are not of a heavy library."""

HEAVY = (
    "PIL",
    "anthropic",
    "anyio",
    "charset_normalizer",
    "httpx2",
    "nbformat",
    "openai",
    "pathspec",
    "pypdf",
    "resource",
    "tree_sitter",
    "tree_sitter_language_pack",
    "watchfiles",
    "yaml",
)
"""Libraries that functions may import, since start-up must not wait for them."""

_MODULES = sorted(SERVER.rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(SERVER).as_posix()


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", _MODULES, ids=name_of)
def test_files_and_functions_stay_small(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= MAX_FILE_LINES or name_of(path) in LONG_FILES
    for function in functions(parse(path)):
        assert function.end_lineno is not None
        length = function.end_lineno - function.lineno + 1
        assert length <= MAX_FUNCTION_LINES, f"{function.name} has {length} lines"


def test_the_turn_loop_stays_a_loop_that_fits_in_one_file() -> None:
    loop = (SERVER / "engine" / "turn.py").read_text(encoding="utf-8")
    assert len(loop.splitlines()) <= MAX_TURN_LINES


@pytest.mark.parametrize("path", _MODULES, ids=name_of)
def test_every_module_says_what_it_is(path: Path) -> None:
    docstring = ast.get_docstring(parse(path))
    assert docstring
    assert len(docstring) > 10


def test_broad_excepts_stand_only_at_task_roots_and_the_wire_boundary() -> None:
    found = {
        name_of(path)
        for path in _MODULES
        for node in ast.walk(parse(path))
        if isinstance(node, ast.ExceptHandler)
        and (
            node.type is None
            or (isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException"))
        )
    }
    assert found == set(BROAD_EXCEPTS), "remove the entry, or the broad except"


def test_functions_import_only_what_is_heavy() -> None:
    found: set[str] = set()
    for path in _MODULES:
        for function in functions(parse(path)):
            for node in ast.walk(function):
                if isinstance(node, ast.Import):
                    modules = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom):
                    modules = [node.module or ""]
                else:
                    continue
                if any(module.split(".")[0] not in HEAVY for module in modules):
                    found.add(name_of(path))
    assert found == set(BARE_IMPORTS_IN_FUNCTIONS), "remove the entry, or the import"


def test_tasks_are_started_only_by_scopes_and_groups() -> None:
    starts = re.compile(r"asyncio\.(create_task|ensure_future)|get_running_loop\(\)\.create_task")
    found = {name_of(path) for path in _MODULES if starts.search(path.read_text(encoding="utf-8"))}
    assert found == {"util/tasks.py"}


def test_the_working_folder_of_the_process_is_used_at_the_command_line_only() -> None:
    uses = re.compile(r"os\.getcwd|Path\.cwd\(")
    found = {name_of(path) for path in _MODULES if uses.search(path.read_text(encoding="utf-8"))}
    assert found == {"app/doctor.py", "edges/headless/cli.py"}


def test_the_working_folder_of_the_process_never_changes() -> None:
    """Agents work side by side, each in a folder of its own: it is told to whatever they start."""
    changes = re.compile(r"\b(?:os|contextlib)\.f?chdir\b|import\b.*\bchdir\b")
    found = [name_of(path) for path in _MODULES if changes.search(path.read_text(encoding="utf-8"))]
    assert found == []


ARCHITECTURE_PAGES = ("ARCHITECTURE.md", "docs/architecture.md")


@pytest.mark.parametrize("page", ARCHITECTURE_PAGES)
def test_paths_that_the_architecture_pages_name_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:server|client-vscode|tools|tests|docs)/[\w./-]+)`", text))
    assert named
    missing = [name for name in sorted(named) if not (ROOT / name).exists()]
    assert missing == []


@pytest.mark.parametrize("page", ARCHITECTURE_PAGES)
def test_types_that_the_architecture_pages_name_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[A-Z][a-z]+){2,})`", text))
    assert named
    code = [*_MODULES, *(CLIENT / "src").rglob("*.ts"), *(CLIENT / "webview").rglob("*.ts")]
    known = {
        name
        for path in code
        for name in re.findall(r"\b(?:[A-Z][a-z]+){2,}\b", path.read_text(encoding="utf-8"))
    }
    assert named - known == set()


def test_no_lock_or_source_file_names_a_registry() -> None:
    for lock in ("package-lock.json", "tools/package/package-lock.json"):
        assert '"resolved"' not in (ROOT / lock).read_text(encoding="utf-8")
    for lock in ("requirements.lock", "server/requirements.lock"):
        assert "index-url" not in (ROOT / lock).read_text(encoding="utf-8")


def test_what_people_install_is_what_was_tested() -> None:
    tested = _pins("requirements.lock")
    installed = _pins("server/requirements.lock")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {re.split(r"[<>=]", each)[0].lower() for each in project["dependencies"]}
    assert {name.partition("==")[0] for name in installed} >= needed, "run `npm run lock:python`"
    assert installed <= tested, "run `npm run lock:python`"


def _pins(lock: str) -> set[str]:
    text = (ROOT / lock).read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z0-9._-]+==[^ ;]+)", text, re.MULTILINE))


def test_prompts_are_taken_apart_in_one_place() -> None:
    places = [name_of(path) for path in _MODULES if '"resource_link"' in path.read_text()]
    assert places == ["edges/content.py"]


TIMERS = {
    "setInterval": ("clearInterval", frozenset[str]()),
    "setTimeout": ("clearTimeout", frozenset[str]()),
}
"""What starts a timer, what ends it, and the files where it runs out within one function."""


@pytest.mark.parametrize("starts", TIMERS)
def test_what_the_client_starts_it_ends(starts: str) -> None:
    ends, exceptions = TIMERS[starts]
    sources = [*CLIENT.glob("src/**/*.ts"), *CLIENT.glob("webview/**/*.ts")]
    texts = {path.relative_to(CLIENT).as_posix(): path.read_text() for path in sources}
    called = {name for name, text in texts.items() if f"{starts}(" in text}
    assert called
    assert {name for name in called if ends not in texts[name]} == exceptions


def test_no_test_replaces_a_module_of_settings() -> None:
    """Settings are injected: a replaced module would hold for other tests of the process, too."""
    pattern = re.compile(r"(sys\.modules\[|setattr\(\s*[\"']?(pilotfish\.)?config\b)")
    tests = [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    assert [path.name for path in tests if pattern.search(path.read_text(encoding="utf-8"))] == []


def test_no_test_waits_less_than_a_busy_machine_takes() -> None:
    """What only guards against hanging takes ``WAIT_S`` of ``tests.support.waiting``, or longer."""
    short = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for call in ast.walk(parse(path))
        if isinstance(call, ast.Call) and 0 < _wait_of(call) < WAIT_S
    ]
    assert short == []


def _wait_of(call: ast.Call) -> float:
    """Return the limit of a wait in seconds where it is a number on the spot, else 0."""
    match call:
        case ast.Call(
            func=ast.Attribute(value=ast.Name("asyncio"), attr="timeout" | "wait_for"),
            args=[*_, ast.Constant(int() | float() as seconds)],
        ):
            return float(seconds)
        case _:
            return 0.0
