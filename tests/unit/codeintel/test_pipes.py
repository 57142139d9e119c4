"""A pipe by the name of a file of a project keeps nobody waiting: whoever opens one waits for a writer."""

import asyncio
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pilotfish.codeintel.index.ignore_rules import rules_of
from pilotfish.codeintel.index.views import FileViews
from pilotfish.codeintel.servers.detect import find_servers
from pilotfish.codeintel.servers.pythons import ProgramPlaces, find_python
from pilotfish.codeintel.servers.registry import definitions_with
from pilotfish.codeintel.syntax_source import SyntaxSource
from pilotfish.ports.editor import NoEditor

WAIT_S = 5


@contextmanager
def pipe(path: Path) -> Generator[Path]:
    """Make one; at the end whoever waits for it all the same is let go."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)
    try:
        yield path
    finally:
        os.close(os.open(path, os.O_RDWR))


async def test_questions_about_a_file_of_code(tmp_path: Path) -> None:
    with pipe(tmp_path / "a.py") as path:
        async with asyncio.timeout(WAIT_S):
            assert await FileViews(tmp_path, NoEditor()).view("a.py") is None
            assert await SyntaxSource(NoEditor()).document_symbols(path) is None


@pytest.mark.timeout(WAIT_S)
def test_the_settings_of_a_project_that_decide_which_server_it_has(tmp_path: Path) -> None:
    program = tmp_path / ".venv" / "bin" / "ruff"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / "a.py").touch()
    with pipe(tmp_path / "pyproject.toml"):
        around = ProgramPlaces(environment={}, python="")
        found = find_servers(tmp_path / "a.py", [tmp_path], definitions_with(()), around)
    assert [one.definition.name for one in found] == []


@pytest.mark.timeout(WAIT_S)
def test_what_lies_in_the_home_folder(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    home = {"HOME": str(tmp_path)}
    with pipe(tmp_path / ".gitconfig") as settings:
        assert settings in rules_of(tmp_path, home)
    with pipe(tmp_path / ".local" / "share" / "virtualenvs" / "a" / ".project"):
        around = ProgramPlaces(environment=home, python="")
        assert find_python(tmp_path, tmp_path, around) is None
