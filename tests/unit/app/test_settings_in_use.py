"""Settings in a whole engine, without a model."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from pilotfish.app.engine import EngineOptions, build_engine
from pilotfish.config import sources
from pilotfish.core.events import ModeChanged
from pilotfish.core.permission import PermissionMode, PermissionRule
from pilotfish.permissions.agent_modes import AgentWishes
from pilotfish.session.equipment import Equipment
from pilotfish.session.factory import NewSession
from pilotfish.session.manager import SessionManager
from pilotfish.session.session import Session

from tests.support.stage import environment
from tests.support.waiting import until


class Place:
    """A home, a project and an engine."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.root = folder / "project"
        self.root.mkdir()
        self.environment = environment(self.home, None, PILOTFISH_SANDBOX="1")
        self.user = self.home / ".pilotfish" / "settings.json"
        self.user.parent.mkdir()

    def settings(self, **permissions: object) -> None:
        self.user.write_text(json.dumps({"permissions": permissions}), encoding="utf-8")

    def engine(self) -> SessionManager:
        options = EngineOptions(environment=self.environment, trusted_by_editor=True)
        return build_engine(options)[0]

    def session(self, mode: PermissionMode | None = None) -> NewSession:
        return NewSession(cwd=self.root, mode=mode)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest_asyncio.fixture
async def manager(place: Place) -> AsyncIterator[SessionManager]:
    found = place.engine()
    yield found
    await found.suspend_all()


def equipment(session: Session) -> Equipment:
    bench = session.workbench
    assert isinstance(bench, Equipment)
    return bench


async def test_a_mode_that_the_settings_forbid_ends_at_once_and_says_why(
    place: Place, manager: SessionManager
) -> None:
    session = await manager.create(place.session(mode="bypassPermissions"))
    assert session.data.mode == "bypassPermissions"

    place.settings(disableBypassPermissionsMode="disable")
    await until(lambda: session.data.mode == "default")

    changes = [one.event for one in session.log.held_after(0) if isinstance(one.event, ModeChanged)]
    assert [change.cause for change in changes] == ["settings"]


async def test_a_mode_that_is_still_permitted_stays(place: Place, manager: SessionManager) -> None:
    session = await manager.create(place.session(mode="acceptEdits"))
    place.settings(deny=["Bash"], defaultMode="plan")

    async def denied() -> bool:
        listed = await session.workbench.rules()
        return any(one.behavior == "deny" for one in listed.rules)

    assert await denied()
    assert session.data.mode == "acceptEdits"


async def test_the_mode_of_agents_comes_from_the_settings(place: Place) -> None:
    place.settings(subagentMode="acceptEdits")
    manager = place.engine()
    session = await manager.create(place.session())
    source = equipment(session)._permissions

    assert source.mode_for_agent("default", AgentWishes()) == "acceptEdits"
    assert source.mode_for_agent("default", AgentWishes(call="acceptEdits")) == "default"
    assert source.mode_for_agent("default", AgentWishes(definition="ignore")) == "default"
    await manager.suspend_all()


async def test_whoever_wants_to_know_hears_of_changed_settings(place: Place) -> None:
    manager = place.engine()
    heard: list[str | None] = []
    manager.desk.news.listen(heard.append)
    session = await manager.create(place.session())
    place.settings(deny=["Bash"])
    await until(lambda: session.id in heard)

    await manager.close(session.id)
    heard.clear()
    other = await manager.create(place.session())
    place.settings(deny=["Edit"])
    await until(lambda: other.id in heard)
    assert session.id not in heard
    await manager.suspend_all()


async def test_where_only_managed_rules_count_a_dialogs_rule_does_not(
    place: Place, manager: SessionManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await manager.create(place.session())
    granted = equipment(session)._permissions
    rule = PermissionRule(source="session", behavior="allow", tool="Bash", content="make")
    await granted.grant(rule, "session")
    assert rule in granted.rules()

    managed = place.root.parent / "managed.json"
    managed.write_text('{"permissions": {"allowManagedPermissionRulesOnly": true}}', "utf-8")

    # The file belongs to whoever runs the tests.
    def nothing_wrong(_: Path, __: int) -> str:
        return ""

    monkeypatch.setattr(sources, "why_not_managed", nothing_wrong)
    equipment(session)._services.managed_settings = managed
    await session.workbench.rules()
    assert rule not in granted.rules()
