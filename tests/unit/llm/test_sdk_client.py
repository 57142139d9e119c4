"""Loading an SDK."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pilotfish.llm.providers.sdk_client import without_module

LIBRARY = """
try:
    from . import extra
except ImportError:
    extra = None
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Return the name of a package with an optional module."""
    name = "library_with_an_extra"
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text(LIBRARY, encoding="utf-8")
    (tmp_path / name / "extra.py").write_text("", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield name
    for each in (name, f"{name}.extra"):
        sys.modules.pop(each, None)


def test_a_library_loads_without_what_it_can_do_without(library: str) -> None:
    with without_module(f"{library}.extra"):
        assert __import__(library).extra is None
    # Whoever wants it later gets it.
    assert __import__(f"{library}.extra", fromlist=["extra"]).__name__ == f"{library}.extra"


def test_what_is_loaded_already_stays(library: str) -> None:
    loaded = __import__(library).extra
    with without_module(f"{library}.extra"):
        assert sys.modules.get(f"{library}.extra") is loaded
    assert sys.modules.get(f"{library}.extra") is loaded
