"""A judge over a fresh project."""

from pathlib import Path

import pytest

from tests.support.permission_state import Judge


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    return Judge(tmp_path)
