"""A judge over a fresh project, and a gate in front of it."""

from pathlib import Path

import pytest

from tests.support.gate_bench import GateBench, gate_bench
from tests.support.permission_state import Judge


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    return Judge(tmp_path)


@pytest.fixture
def bench(tmp_path: Path) -> GateBench:
    return gate_bench(tmp_path)
