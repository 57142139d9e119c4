"""Language servers of our own in whole runs: `pilotfish run` without an editor."""

import json
import venv
from pathlib import Path
from typing import Any

import pytest
from pilotfish.config.trust import TrustStore

from tests.support.command_line import Finished, pilotfish, terminal
from tests.support.stage import alive, all_text, body_of, environment, path_with_own_programs
from tests.support.waiting import until
from tools.fake_model import FakeModel, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

GREET = 'def greet(name: str) -> str:\n    return "hello " + name\n'

BREAK = ToolUse(
    "Edit",
    {"file_path": "lib.py", "old_string": "name: str", "new_string": "name: str, loud: bool"},
)

REPAIR = ToolUse(
    "Edit", {"file_path": "main.py", "old_string": 'greet("x")', "new_string": 'greet("x", True)'}
)


def reading(name: str) -> ToolUse:
    return ToolUse("Read", {"file_path": name})


class Place:
    """A project and a home."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.project = folder / "project"
        self.project.mkdir()
        (self.project / "lib.py").write_text(GREET)
        (self.project / "main.py").write_text('from lib import greet\n\ngreet("x")\n')
        self.configure()

    def configure(self, **more: Any) -> None:
        """Set the user's settings; the waits are long: what is told must not depend on the machine."""
        waits = {"preflightWaitMs": 60_000, "diagnosticsWaitMs": 30_000}
        file = self.home / ".pilotfish" / "settings.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"codeIntelligence": {**waits, **more}}))

    def trust(self) -> None:
        TrustStore(self.home / ".pilotfish").trust(self.project, now_ms=1)

    async def run(self, fake: FakeModel, *more: str) -> Finished:
        env = environment(self.home, fake.url, PATH=path_with_own_programs())
        words = ("run", "Change it", "--output-format", "stream-json", "--permission-mode")
        return await pilotfish(*words, "acceptEdits", *more, env=env, cwd=self.project)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


async def test_a_broken_caller_is_told_and_its_repair_is_confirmed(place: Place) -> None:
    place.trust()
    async with FakeModel() as fake:
        fake.play([Turn([reading("lib.py"), reading("main.py"), BREAK]), Turn([REPAIR]), "Done."])
        finished = await place.run(fake)
        assert (finished.code, fake.problems) == (0, [])
        first, second = all_text(body_of(fake, 1)), all_text(body_of(fake, 2))
    wanted = "main.py:3:1: error: No argument provided for required parameter `loud`"
    assert wanted in first
    assert "(fresh, from ty)" in first
    assert "(1 earlier diagnostics are gone.)" in second


async def test_no_server_starts_in_a_folder_that_is_not_trusted(place: Place) -> None:
    async with FakeModel() as fake:
        fake.play([Turn([reading("lib.py"), BREAK]), "Done."])
        finished = await place.run(fake)
        assert finished.code == 0
        assert "diagnostics are new" not in all_text(body_of(fake, 1))


async def test_a_language_can_be_kept_quiet(place: Place) -> None:
    place.trust()
    place.configure(quietLanguages=["python"])
    async with FakeModel() as fake:
        fake.play([Turn([reading("lib.py"), BREAK]), "Done."])
        assert (await place.run(fake)).code == 0
        assert "diagnostics are new" not in all_text(body_of(fake, 1))


async def test_types_of_an_environment_elsewhere_are_known_where_a_setting_names_it(
    place: Place,
) -> None:
    environment_folder = place.folder / "envs" / "shop"
    venv.create(environment_folder, symlinks=True)
    (packages,) = environment_folder.glob("lib/python*/site-packages")
    (packages / "stock.py").write_text("def count(name: str) -> int:\n    return len(name)\n")
    (place.project / "main.py").write_text('import stock\n\nstock.count("x")\n')
    place.trust()
    place.configure(python="../envs/shop")
    broken = {"file_path": "main.py", "old_string": '"x"', "new_string": "1"}
    async with FakeModel() as fake:
        fake.play([Turn([reading("main.py"), ToolUse("Edit", broken)]), "Done."])
        assert (await place.run(fake)).code == 0
        told = all_text(body_of(fake, 1))
    assert "main.py:3:13: error: Argument to function `count` is incorrect" in told


async def test_a_setting_says_how_many_diagnostics_are_told(place: Place) -> None:
    place.trust()
    place.configure(diagnosticsPerFile=1, diagnosticsPerTurn=2, useServers=False)
    broken = [
        ToolUse("Write", {"file_path": name, "content": "x = = 1\ny = = 2\n"})
        for name in ("a.py", "b.py", "c.py")
    ]
    async with FakeModel() as fake:
        fake.play([Turn(broken), "Done."])
        assert (await place.run(fake)).code == 0
        told = all_text(body_of(fake, 1))
    assert [told.count(f"{name}.py:1:") for name in "abc"] == [1, 1, 0]
    assert "a.py: 1 more errors, not shown" in told
    assert "c.py: 2 more errors, not shown" in told


async def test_a_server_that_a_setting_describes_runs_and_ends_with_the_run(place: Place) -> None:
    place.trust()
    script = place.folder / "server"
    pid_file = place.folder / "pid"
    script.write_text(f"#!/bin/sh\necho $$ > {pid_file}\nexec sleep 300\n")
    script.chmod(0o755)
    mine = {"command": [str(script)], "languages": {"py": "python"}}
    place.configure(diagnosticsWaitMs=2_000, servers={"ty": False, "mine": mine})
    async with FakeModel() as fake:
        fake.play([Turn([reading("lib.py"), BREAK]), "Done."])
        assert (await place.run(fake)).code == 0
        assert "Not judged in time (timed out): lib.py" in all_text(body_of(fake, 1))
    await until(lambda: not alive({int(pid_file.read_text())}))


async def test_doctor_lists_the_servers_of_a_folder(place: Place) -> None:
    env = environment(place.home, PATH=path_with_own_programs())
    report = json.loads((await pilotfish("doctor", "--json", env=env, cwd=place.project)).stdout)
    rows = "\n".join(report["servers"])
    assert "ty for .py .pyi: " in rows
    assert "typescript-language-server for " in rows
    assert "none of them is started: the folder is not trusted" in rows
    place.trust()
    report = json.loads((await pilotfish("doctor", "--json", env=env, cwd=place.project)).stdout)
    assert "none of them is started" not in "\n".join(report["servers"])


async def test_the_terminal_shows_what_an_edit_would_break_before_it_is_made(
    place: Place,
) -> None:
    place.trust()
    (place.project / "other.py").write_text("x = 1\n")
    first = ToolUse("Write", {"file_path": "first.py", "content": "y = 1\n"})
    async with FakeModel() as fake:
        # The first question starts the server, the second one is answered by it.
        fake.play([Turn([first]), Turn([reading("lib.py"), BREAK]), "Done."])
        env = environment(place.home, fake.url, PATH=path_with_own_programs())
        async with terminal("run", "Change it", env=env, cwd=place.project) as person:
            await person.see("[y]")
            person.enter("y")
            await person.see("diagnostics: 1 new, 0 fixed")
            await person.see("would add: main.py:3: No argument provided")
            person.enter("n")
            await person.ended()
