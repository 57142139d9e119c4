"""Where language servers and their roots are found: environments, workspaces within one, settings."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from pilotfish.codeintel.servers.detect import Found, find_servers, workspace_of
from pilotfish.codeintel.servers.pythons import ProgramPlaces, variables_with
from pilotfish.codeintel.servers.pythons import find_python as find_python_around
from pilotfish.codeintel.servers.registry import BUILT_IN, ServerDefinition, definitions_with


def program(path: Path) -> Path:
    """Put a program somewhere."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def touch(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def found(
    file: Path,
    *roots: Path,
    own: tuple[ServerDefinition, ...] = (),
    python: str = "",
    **environment: str,
) -> dict[str, Found]:
    around = ProgramPlaces(environment=environment, python=python)
    servers = find_servers(file, roots, definitions_with(own), around)
    return {one.definition.name: one for one in servers}


def find_python(
    root: Path, workspace: Path, environment: Mapping[str, str], python: str = ""
) -> Path | None:
    return find_python_around(
        root, workspace, ProgramPlaces(environment=environment, python=python)
    )


def test_the_programs_of_a_virtual_environment_come_before_those_of_the_path(
    tmp_path: Path,
) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "bin"
    own = program(project / ".venv" / "bin" / "ty")
    general = program(elsewhere / "ty")
    file = touch(project / "a.py")
    assert found(file, project, PATH=str(elsewhere))["ty"].program == own
    own.unlink()
    assert found(file, project, PATH=str(elsewhere))["ty"].program == general
    assert found(file, project, PATH="") == {}


def test_an_active_environment_counts_where_the_project_has_none(tmp_path: Path) -> None:
    project, active = tmp_path / "project", tmp_path / "active"
    server, python = program(active / "bin" / "ty"), program(active / "bin" / "python")
    file = touch(project / "a.py")
    assert found(file, project, VIRTUAL_ENV=str(active))["ty"].program == server
    assert find_python(project, project, {"VIRTUAL_ENV": str(active)}) == python
    own = program(project / "venv" / "bin" / "python")
    assert find_python(project, project, {"VIRTUAL_ENV": str(active)}) == own


def test_an_environment_of_conda_counts_unless_it_is_the_one_that_always_is_active(
    tmp_path: Path,
) -> None:
    project, active, venv = tmp_path / "project", tmp_path / "active", tmp_path / "venv"
    server, python = program(active / "bin" / "ty"), program(active / "bin" / "python")
    file = touch(project / "a.py")
    conda = {"CONDA_PREFIX": str(active), "CONDA_DEFAULT_ENV": "shop"}
    by_conda = found(file, project, CONDA_PREFIX=str(active), CONDA_DEFAULT_ENV="shop")
    assert by_conda["ty"].program == server
    assert find_python(project, project, conda) == python
    assert find_python(project, project, {**conda, "CONDA_DEFAULT_ENV": "base"}) is None
    other = program(venv / "bin" / "python")
    assert find_python(project, project, {**conda, "VIRTUAL_ENV": str(venv)}) == other
    own = program(project / ".conda" / "bin" / "python")
    assert find_python(project, project, {**conda, "VIRTUAL_ENV": str(venv)}) == own


@pytest.mark.parametrize(
    "named", ["{folder}", "{folder}/bin/python", "../envs/shop", "~/envs/shop"]
)
def test_the_python_that_the_user_names_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    project, folder = tmp_path / "project", tmp_path / "envs" / "shop"
    server, python = program(folder / "bin" / "ty"), program(folder / "bin" / "python")
    program(project / ".venv" / "bin" / "ty")
    program(project / ".venv" / "bin" / "python")
    named = named.format(folder=folder)
    by_name = found(touch(project / "a.py"), project, python=named)["ty"].program
    assert by_name.resolve() == server
    by_name = find_python(project, project, {}, named)
    assert by_name is not None
    assert by_name.resolve() == python


def test_each_folder_of_a_workspace_has_a_python_of_its_own(tmp_path: Path) -> None:
    shop, bank, rest = (tmp_path / name for name in ("shop", "bank", "rest"))
    named = {str(one): str(tmp_path / "envs" / one.name) for one in (shop, bank)}
    pythons = {
        name: program(tmp_path / "envs" / name / "bin" / "python")
        for name in ("shop", "bank", "all")
    }
    around = ProgramPlaces(
        environment={}, python=str(tmp_path / "envs" / "all"), python_by_folder=named
    )
    within = shop / ".pilotfish" / "worktrees" / "one"
    for folder, name in ((shop, "shop"), (bank, "bank"), (rest, "all"), (within, "shop")):
        assert find_python_around(folder, folder, around) == pythons[name]
    servers = [program(tmp_path / "envs" / name / "bin" / "ty") for name in ("shop", "bank")]
    found = [
        find_servers(touch(one / "a.py"), (shop, bank, rest), definitions_with(()), around)[0]
        for one in (shop, bank)
    ]
    assert [one.program for one in found] == servers


def test_a_project_within_a_folder_has_its_own_python_and_odd_names_are_nobodys(
    tmp_path: Path,
) -> None:
    whole, backend = tmp_path, tmp_path / "backend"
    pythons = [program(tmp_path / "envs" / name / "bin" / "python") for name in ("one", "two")]
    named = {
        ".": "envs/one",
        "backend": "envs/two",
        "~nobody-has-this-name/x": "envs/x",
        "a\0b": "x",
    }
    around = ProgramPlaces(environment={}, python_by_folder=named)
    assert find_python_around(whole, whole, around) == pythons[0]
    assert find_python_around(backend, whole, around) == pythons[1]
    unknown = ProgramPlaces(environment={}, python="~nobody-has-this-name/env")
    assert find_python_around(whole, whole, unknown) is None


def test_a_server_is_another_one_where_its_folder_alone_has_another_python(tmp_path: Path) -> None:
    roots = tmp_path / "shop", tmp_path / "bank"
    files = [touch(root / "a.py") for root in roots]
    elsewhere = program(tmp_path / "bin" / "ty").parent

    def keys(named: Mapping[str, str]) -> list[tuple[object, ...]]:
        around = ProgramPlaces(environment={"PATH": str(elsewhere)}, python_by_folder=named)
        table = definitions_with(())
        return [find_servers(file, roots, table, around)[0].key for file in files]

    shop, bank = keys({})
    other_shop, same_bank = keys({str(roots[0]): "/envs/shop/bin/python"})
    assert other_shop != shop
    assert same_bank == bank


def test_a_named_python_that_is_not_there_hides_nothing(tmp_path: Path) -> None:
    own = program(tmp_path / ".venv" / "bin" / "python")
    assert find_python(tmp_path, tmp_path, {}, "/not/there/bin/python") == own


@pytest.mark.parametrize(
    ("mark", "name"), [("pyvenv.cfg", "VIRTUAL_ENV"), ("conda-meta/history", "CONDA_PREFIX")]
)
def test_a_server_is_told_that_its_environment_is_the_active_one(
    tmp_path: Path, mark: str, name: str
) -> None:
    touch(tmp_path / mark)
    python = program(tmp_path / "bin" / "python")
    before = {"PATH": "/bin", "VIRTUAL_ENV": "/other", "CONDA_PREFIX": "/third"}
    found = variables_with(python, before)
    assert {name: text for name, text in found.items() if name != "CONDA_DEFAULT_ENV"} == {
        "PATH": "/bin",
        name: str(tmp_path),
    }
    assert variables_with(None, before) == before
    elsewhere = program(tmp_path / "usr" / "bin" / "python")
    assert variables_with(elsewhere, before) == {"PATH": "/bin"}


def test_the_environment_that_pipenv_keeps_for_a_project_counts(tmp_path: Path) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    environments = home / ".local" / "share" / "virtualenvs"
    touch(environments / "other-1a2b" / ".project", str(tmp_path / "other"))
    program(environments / "other-1a2b" / "bin" / "ty")
    (environments / "broken" / ".project").mkdir(parents=True)
    touch(environments / "project-3c4d" / ".project", f"{project}\n")
    server = program(environments / "project-3c4d" / "bin" / "ty")
    python = program(environments / "project-3c4d" / "bin" / "python")
    file = touch(project / "src" / "a.py")
    assert found(file, project, HOME=str(home)) == {}, "it is no project of pipenv"
    touch(project / "Pipfile")
    assert found(file, project, HOME=str(home))["ty"].program == server
    assert find_python(project / "src", project, {"HOME": str(home)}) == python
    elsewhere = {"HOME": str(home), "WORKON_HOME": str(tmp_path / "elsewhere")}
    assert find_python(project, project, elsewhere) is None
    inside = program(project / ".venv" / "bin" / "python")
    assert find_python(project, project, {"HOME": str(home)}) == inside


def test_each_package_of_a_monorepo_has_its_root_and_uses_what_the_whole_has_installed(
    tmp_path: Path,
) -> None:
    server = program(tmp_path / ".venv" / "bin" / "ty")
    touch(tmp_path / "pyproject.toml")
    touch(tmp_path / "packages" / "one" / "pyproject.toml")
    one = found(touch(tmp_path / "packages" / "one" / "src" / "a.py"), tmp_path)["ty"]
    two = found(touch(tmp_path / "packages" / "two" / "a.py"), tmp_path)["ty"]
    assert (one.root, two.root) == (tmp_path / "packages" / "one", tmp_path)
    assert {one.program, two.program} == {server}
    assert one.key != two.key


def test_the_lock_file_of_a_javascript_workspace_comes_before_the_nearer_project(
    tmp_path: Path,
) -> None:
    program(tmp_path / "node_modules" / ".bin" / "typescript-language-server")
    touch(tmp_path / "package-lock.json")
    touch(tmp_path / "apps" / "web" / "tsconfig.json")
    server = found(touch(tmp_path / "apps" / "web" / "a.ts"), tmp_path)
    assert server["typescript-language-server"].root == tmp_path


def test_the_innermost_folder_of_the_workspace_counts_and_nothing_outside(tmp_path: Path) -> None:
    outer, inner = tmp_path / "outer", tmp_path / "outer" / "inner"
    touch(outer / "pyproject.toml")
    program(tmp_path / "bin" / "ty")
    path = str(tmp_path / "bin")
    assert workspace_of(inner / "a.py", (outer, inner)) == inner
    assert found(touch(inner / "a.py"), outer, inner, PATH=path)["ty"].root == inner
    assert found(touch(tmp_path / "other" / "a.py"), outer, inner, PATH=path) == {}


def test_of_those_that_do_the_same_the_first_that_is_installed_is_used(tmp_path: Path) -> None:
    file = touch(tmp_path / "a.py")
    for name in ("pyrefly", "basedpyright-langserver"):
        program(tmp_path / "bin" / name)
    path = str(tmp_path / "bin")
    assert set(found(file, tmp_path, PATH=path)) == {"basedpyright"}
    program(tmp_path / "bin" / "ty")
    assert set(found(file, tmp_path, PATH=path)) == {"ty"}


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("pyproject.toml", "[project]\n", False),
        ("pyproject.toml", "[tool.ruff.lint]\n", True),
        ("ruff.toml", "", True),
    ],
)
def test_ruff_is_used_where_the_project_has_chosen_it(
    tmp_path: Path, name: str, text: str, *, wanted: bool
) -> None:
    program(tmp_path / ".venv" / "bin" / "ruff")
    touch(tmp_path / name, text)
    assert ("ruff" in found(touch(tmp_path / "a.py"), tmp_path)) is wanted


def test_a_relative_entry_of_the_path_starts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "bin" / "gopls")
    monkeypatch.chdir(tmp_path)
    file = touch(tmp_path / "a.go")
    assert found(file, tmp_path, PATH="bin") == {}
    assert set(found(file, tmp_path, PATH=str(tmp_path / "bin"))) == {"gopls"}


def test_an_entry_of_the_settings_replaces_the_one_of_its_name_and_may_name_a_file(
    tmp_path: Path,
) -> None:
    server = program(tmp_path / "tools" / "server")
    own = ServerDefinition(
        name="gopls", argv=("tools/server", "--stdio"), languages={".go": "go", ".tmpl": "gotmpl"}
    )
    for file in ("a.go", "a.tmpl"):
        assert found(touch(tmp_path / file), tmp_path, own=(own,))["gopls"].program == server


def test_the_table_holds_every_server_of_the_design() -> None:
    names = {one.name for one in BUILT_IN}
    assert names == {
        "ty",
        "basedpyright",
        "pyrefly",
        "ruff",
        "typescript-language-server",
        "gopls",
        "rust-analyzer",
        "clangd",
        "jdtls",
    }
