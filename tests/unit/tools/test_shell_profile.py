"""What commands know of the user's own shell, with a real bash and real profiles."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from pilotfish.tools import shell_profile
from pilotfish.tools.bash import BashTool
from pilotfish.tools.shell_profile import ShellProfile

from tests.support.tool_context import ENVIRONMENT, ToolBench, text_of, tool_bench


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[ToolBench]:
    async with tool_bench(tmp_path) as made:
        yield made


class Shell:
    """A user with a profile, and the tool that runs their commands."""

    def __init__(self, bench: ToolBench, home: Path) -> None:
        self._bench = bench
        self.environment = {**ENVIRONMENT, "HOME": str(home)}
        self.profile = ShellProfile(bench.governor, self.environment, home / "kept")
        self._tool = BashTool(self.environment, profile=self.profile.get)

    async def run(self, command: str) -> str:
        return text_of(await self._bench.call(self._tool, command=command))


@pytest.fixture
async def home(tmp_path: Path) -> Path:
    folder = tmp_path / "user"
    folder.mkdir()
    return folder


def write_profile(home: Path, text: str) -> None:
    (home / ".bash_profile").write_text(text, encoding="utf-8")


async def test_functions_aliases_options_and_path_of_the_profile(
    bench: ToolBench, home: Path
) -> None:
    write_profile(
        home,
        "echo welcome; echo to the shell >&2\n"
        'greet() { echo "hello $1"; }\n'
        "alias shout='greet LOUD'\n"
        "shopt -s extglob\n"
        'without() { case $1 in !(a|b)) echo "neither";; esac; }\n'
        'export PATH="$HOME/own-programs:$PATH"\n',
    )
    (home / "own-programs").mkdir()
    program = home / "own-programs" / "mine"
    program.write_text("#!/bin/sh\necho mine ran\n", encoding="utf-8")
    program.chmod(0o755)
    shell = Shell(bench, home)
    assert await shell.run("greet you; shout; without c; mine") == (
        "hello you\nhello LOUD\nneither\nmine ran"
    )
    await shell.profile.close()


async def test_an_interactive_bashrc_counts_too(bench: ToolBench, home: Path) -> None:
    write_profile(home, ". ~/.bashrc\n")
    (home / ".bashrc").write_text(
        "case $- in *i*) ;; *) return ;; esac\nwho_am_i() { echo interactive; }\n", encoding="utf-8"
    )
    shell = Shell(bench, home)
    assert await shell.run("who_am_i") == "interactive"
    await shell.profile.close()


async def test_aliases_that_would_ask_are_left_out(bench: ToolBench, home: Path) -> None:
    write_profile(home, "alias rm='rm -i'\nalias cp='cp --interactive'\nalias ll='echo listed'\n")
    shell = Shell(bench, home)
    assert await shell.run("touch a; rm a; ls a 2>/dev/null; ll; alias") == (
        "listed\nalias ll='echo listed'"
    )
    await shell.profile.close()


async def test_the_profile_is_read_once_for_many_commands(bench: ToolBench, home: Path) -> None:
    write_profile(home, 'echo x >> "$HOME/count"\nf() { :; }\n')
    shell = Shell(bench, home)
    await asyncio.gather(*(shell.run("f") for _ in range(5)))
    assert (home / "count").read_text(encoding="utf-8") == "x\n"
    await shell.profile.close()


@pytest.mark.parametrize(
    ("profile", "reason"),
    [
        ("exit 3\n", "exit code 3"),
        ("exec >/dev/null\n", "it ended the shell or replaced its output"),
        ("exec true\n", "it ended the shell or replaced its output"),
    ],
)
async def test_a_broken_profile_is_told_once_and_commands_run(
    bench: ToolBench, home: Path, profile: str, reason: str
) -> None:
    write_profile(home, profile)
    shell = Shell(bench, home)
    first = await shell.run("echo ran")
    assert first.startswith("ran\n[commands run without")
    assert reason in first
    assert await shell.run("echo ran") == "ran"
    await shell.profile.close()


async def test_a_profile_that_hangs_is_given_up(
    bench: ToolBench, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell_profile, "READ_LIMIT_S", 0.3)
    write_profile(home, "sleep 1000\n")
    shell = Shell(bench, home)
    assert "it took longer than 0.3 seconds" in await shell.run("echo ran")
    assert not [each for each in bench.governor.list() if each.label == "shell profile"]
    await shell.profile.close()


async def test_a_flood_is_given_up(bench: ToolBench, home: Path) -> None:
    write_profile(home, "yes\n")
    shell = Shell(bench, home)
    assert "it printed too much" in await shell.run("echo ran")
    await shell.profile.close()


async def test_too_many_functions_are_too_much(
    bench: ToolBench, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell_profile, "MAX_PROFILE_BYTES", 2_000)
    write_profile(home, "".join(f"f{i}() {{ echo {i}; }}\n" for i in range(200)))
    shell = Shell(bench, home)
    assert "its functions and aliases take" in await shell.run("echo ran")
    await shell.profile.close()


async def test_functions_in_place_of_builtins_cannot_break_commands(
    bench: ToolBench, home: Path
) -> None:
    write_profile(
        home, 'for f in eval set trap unset pwd builtin; do eval "$f() { echo broken; }"; done\n'
    )
    (bench.root / "sub").mkdir()
    shell = Shell(bench, home)
    await shell.run("cd sub")
    assert bench.context.cwd == bench.root / "sub"
    await shell.profile.close()


async def test_keys_of_the_server_do_not_reach_the_profile(bench: ToolBench, home: Path) -> None:
    write_profile(home, 'env > "$HOME/seen"\n')
    environment = {**ENVIRONMENT, "HOME": str(home), "ANTHROPIC_API_KEY": "sk-of-the-server"}
    profile = ShellProfile(bench.governor, environment, home / "kept")
    await profile.get()
    assert "sk-of-the-server" not in (home / "seen").read_text(encoding="utf-8")
    await profile.close()


async def test_without_a_home_nothing_is_read(bench: ToolBench, tmp_path: Path) -> None:
    environment = {name: text for name, text in ENVIRONMENT.items() if name != "HOME"}
    profile = ShellProfile(bench.governor, environment, tmp_path / "kept")
    assert await profile.get() == shell_profile.NO_PROFILE
    assert not (tmp_path / "kept").exists()


async def test_inherited_folders_come_before_those_of_the_profile() -> None:
    made = shell_profile.with_profile_path(
        {"PATH": "/venv/bin:/usr/bin"},
        shell_profile.Profile(search_path="/usr/bin:relative:/home/me/bin::/venv/bin"),
    )
    assert made["PATH"] == "/venv/bin:/usr/bin:/home/me/bin"
