"""Servers that can be asked about the whole workspace, and take long over it."""

import pytest
from pilotfish.codeintel.servers import rest
from pilotfish.codeintel.servers import round as rounds

from tests.support.servers import FakeScript, Workshop
from tests.support.waiting import until

ALL = "workspace/diagnostic"
CAN = {"diagnosticProvider": {"interFileDependencies": True, "workspaceDiagnostics": True}}


async def test_one_that_took_too_long_is_asked_again_after_a_while(
    shop: Workshop, fake: FakeScript, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "WORKSPACE_LIMIT_S", 0.3)
    fake.set(pull=True, can=CAN, mute=[ALL])
    shop.write("a.fk", "fine\n")
    assert "error: one" in await shop.edited("a.fk", "ERR(one)\n")
    assert "error: two" in await shop.edited("a.fk", "ERR(one)\nERR(two)\n")
    assert len(fake.heard(ALL)) == 1
    (server,) = shop.pool.alive()
    fake.set(pull=True, can=CAN)
    monkeypatch.setattr(server, "workspace_rest", rest.Rest())  # the pause is over
    assert "error: three" in await shop.edited("a.fk", "ERR(one)\nERR(two)\nERR(three)\n")
    assert len(fake.heard(ALL)) > 1


async def test_pauses_grow_while_it_goes_on_taking_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rest, "FIRST_S", 0.05)
    monkeypatch.setattr(rest, "LAST_S", 30.0)
    pause = rest.Rest()
    assert pause.is_over
    pause.begin()
    assert not pause.is_over
    await until(lambda: pause.is_over)
    for _ in range(5):
        pause.begin()
    assert not pause.is_over
    pause.end()
    pause.begin()
    await until(lambda: pause.is_over)
