"""What no path can be is refused by its field, whichever request names it."""

from typing import Any

import pytest
from pilotfish.edges.channel import PATHS
from pilotfish.wire.methods import METHODS

from tests.support.stage import Stage
from tests.support.wire_client import WireError

pytestmark = pytest.mark.asyncio(loop_scope="session")

NAMED = [
    ("session/new", "cwd"),
    ("session/load", "cwd"),
    ("session/resume", "cwd"),
    ("session/fork", "cwd"),
    ("session/list", "cwd"),
    *(
        (method.name, field.alias or name)
        for method in METHODS
        if method.direction == "client_to_server" and method.kind == "request"
        for name, field in method.params.model_fields.items()
        if (field.alias or name) in PATHS
    ),
]


@pytest.mark.parametrize(("method", "field"), NAMED)
async def test_a_path_with_a_nul_is_refused(stage: Stage, method: str, field: str) -> None:
    params: dict[str, Any] = {"sessionId": "s", "mcpServers": [], field: "/tmp/\x00"}
    with pytest.raises(WireError, match=f"{field}: it holds a NUL") as caught:
        await stage.client.request(method, params)
    assert caught.value.code == -32602
