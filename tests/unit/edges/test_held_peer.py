"""A client's end that waits while something long is being sent."""

from typing import Any

import pytest
from pilotfish.edges.held_peer import HeldPeer


class Wire:
    """Takes what is sent until it is closed."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.is_closed = False

    def notify(self, method: str, params: dict[str, Any]) -> None:
        if self.is_closed:
            raise BrokenPipeError
        self.sent.append(method)

    async def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.notify(method, params)
        return {}


async def test_what_comes_meanwhile_is_sent_after_it() -> None:
    wire = Wire()
    peer = HeldPeer(wire)
    with peer.held() as direct:
        peer.notify("later", {})
        direct.notify("slice", {})
    await peer.ask("question", {})
    assert wire.sent == ["slice", "later", "question"]


async def test_a_wire_that_breaks_then_keeps_nobody_waiting() -> None:
    wire = Wire()
    peer = HeldPeer(wire)

    def break_while_held() -> None:
        with peer.held():
            peer.notify("later", {})
            wire.is_closed = True

    with pytest.raises(BrokenPipeError):
        break_while_held()
    await peer.flows()
    with pytest.raises(BrokenPipeError):
        await peer.ask("question", {})
