"""The Bash tool, with a real bash."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.core.calls import TextDisplay
from pilotfish.tools import shell_job, shell_tool
from pilotfish.tools.bash import BashTool
from pilotfish.tools.bash_meaning import meaning_of
from pilotfish.tools.shell_output import CommandOutput, clean
from pilotfish.tools.shell_tool import ShellArgs
from pydantic import ValidationError

from tests.support.tool_context import ENVIRONMENT, ToolBench, text_of, tool_bench
from tests.support.waiting import WAIT_S, under_way, until

TOOL = BashTool(
    {**ENVIRONMENT, "ANTHROPIC_API_KEY": "sk-of-the-server", "MINE": "kept", "VSCODE_IPC": "x"}
)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[ToolBench]:
    async with tool_bench(tmp_path) as made:
        yield made


async def run(bench: ToolBench, command: str, **more: object) -> str:
    return text_of(await bench.call(TOOL, command=command, **more))


async def test_output_of_both_streams_in_order(bench: ToolBench) -> None:
    result = await bench.call(TOOL, command="echo a; echo b >&2; echo c")
    assert text_of(result) == "a\nb\nc"
    assert not result.is_error
    assert result.display == (TextDisplay(text="a\nb\nc"),)


async def test_no_output_is_said(bench: ToolBench) -> None:
    assert await run(bench, "true") == "(no output)"


async def test_failure_has_text_and_code(bench: ToolBench) -> None:
    result = await bench.call(TOOL, command="echo oops; exit 3")
    assert result.is_error
    assert text_of(result) == "oops\n[exit code 3]"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("grep zzz /etc/hosts", "[exit code 1: no line matched]"),
        ("echo a > x; echo b > y; diff -q x y", "[exit code 1: the files differ]"),
        ("[ 1 = 2 ]", "[exit code 1: the condition is false]"),
    ],
)
async def test_exit_code_that_is_an_answer_is_no_failure(
    bench: ToolBench, command: str, expected: str
) -> None:
    result = await bench.call(TOOL, command=command)
    assert not result.is_error
    assert text_of(result).endswith(expected)


@pytest.mark.parametrize(
    ("command", "code", "known"),
    [
        ("grep x f", 1, True),
        ("cat f | grep -c x", 1, True),
        ("cd a; /usr/bin/grep x f", 1, True),
        ("cd a\ngrep x f", 1, True),
        ("git diff --exit-code", 1, True),
        ("grep 'a && b' f", 1, True),
        ("grep x f", 2, False),
        ("cd a && grep x f", 1, False),
        ("grep x f | wc -l", 1, False),
        ("(grep x f)", 1, False),
        ("grep 'x", 1, False),
        ("", 1, False),
    ],
)
def test_meaning_is_given_only_when_the_last_command_surely_ran(
    command: str, code: int, *, known: bool
) -> None:
    assert (meaning_of(command, code) is not None) == known


async def test_current_folder_carries_over_but_variables_do_not(bench: ToolBench) -> None:
    (bench.root / "sub dir").mkdir()
    await run(bench, "cd 'sub dir'; X=1")
    assert bench.context.cwd == bench.root / "sub dir"
    assert await run(bench, 'pwd; echo "[$X]"') == f"{bench.root}/sub dir\n[]"


async def test_folder_is_learnt_even_when_the_command_exits_or_fails(bench: ToolBench) -> None:
    (bench.root / "a").mkdir()
    await run(bench, "cd a; exit 4")
    assert bench.context.cwd == bench.root / "a"


async def test_folder_outside_the_workspace_is_reset_with_a_note(bench: ToolBench) -> None:
    text = await run(bench, "cd /; echo x")
    assert text == f"x\n[/ is outside the workspace; the current folder is {bench.root} again]"
    assert bench.context.cwd == bench.root


async def test_folder_in_another_root_stays(tmp_path: Path) -> None:
    other = (tmp_path / "lib").resolve()
    other.mkdir()
    async with tool_bench(tmp_path, other_roots=(other,)) as bench:
        await run(bench, f"cd {other}")
        assert bench.context.cwd == other


async def test_deleted_current_folder_runs_nothing_and_says_where_it_is_now(
    bench: ToolBench,
) -> None:
    (bench.root / "a").mkdir()
    await run(bench, "cd a")
    (bench.root / "a").rmdir()
    result = await bench.call(TOOL, command="touch ran")
    assert result.is_error
    assert "was not run" in text_of(result)
    assert bench.context.cwd == bench.root
    assert not (bench.root / "ran").exists()


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat <<'EOF'\n$HOME `x` \"q\"\nEOF", '$HOME `x` "q"'),
        ("echo 'a'\"'\"'b'", "a'b"),
        ("# only a comment", "(no output)"),
        ("echo $# $0", "0 bash"),
        ("echo \\\n  joined", "joined"),
        ('echo "$(echo \'"\')"', '"'),
    ],
)
async def test_command_reaches_bash_exactly_as_written(
    bench: ToolBench, command: str, expected: str
) -> None:
    assert await run(bench, command) == expected


async def test_broken_syntax_is_an_error_of_bash(bench: ToolBench) -> None:
    result = await bench.call(TOOL, command="echo 'open")
    assert result.is_error
    assert "unexpected EOF" in text_of(result)


async def test_environment_has_no_secret_no_editor_and_no_pager(bench: ToolBench) -> None:
    text = await run(bench, "env")
    names = {line.partition("=")[0] for line in text.splitlines()}
    assert not names & {"ANTHROPIC_API_KEY", "VSCODE_IPC", "__pilotfish_command"}
    assert "sk-of-the-server" not in text
    assert {"PILOTFISH=1", "GIT_EDITOR=true", "PAGER=cat", "MINE=kept"} <= set(text.splitlines())


async def test_time_limit_ends_the_command_and_keeps_its_output(bench: ToolBench) -> None:
    async def shown(limit_s: float) -> str:
        limit_ms = int(limit_s * 1000)
        result = await bench.call(TOOL, command="echo early; sleep 1000", timeout=limit_ms)
        assert result.is_error
        assert f"[ended after {limit_ms:,} ms, its time limit" in text_of(result)
        return text_of(result)

    await under_way(shown, lambda text: text.startswith("early\n[ended after "))


async def test_signal_is_named(bench: ToolBench) -> None:
    assert await run(bench, "kill -KILL $$") == "[ended by signal 9]"


async def test_long_output_keeps_both_ends_and_names_the_file(bench: ToolBench) -> None:
    text = await run(bench, "seq 1 200000")
    assert len(text) < 31_000
    assert text.startswith("1\n2\n")
    assert text.endswith("199999\n200000")
    assert "bytes left out" in text
    (file,) = [path for path in bench.context.results_dir.iterdir() if path.suffix == ".txt"]
    assert str(file) in text
    assert file.read_text(encoding="utf-8") == "".join(f"{n}\n" for n in range(1, 200_001))


async def test_output_just_over_the_limit_is_kept_in_the_file_too(bench: ToolBench) -> None:
    text = await run(bench, "seq 1 7000")
    (file,) = [path for path in bench.context.results_dir.iterdir() if path.suffix == ".txt"]
    assert str(file) in text
    assert file.read_text(encoding="utf-8").endswith("7000\n")


async def test_short_output_leaves_no_file_behind(bench: ToolBench) -> None:
    await run(bench, "echo x")
    assert list(bench.context.results_dir.iterdir()) == []


async def test_full_disk_costs_the_file_but_not_the_result(
    bench: ToolBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Path, mode: str = "r") -> None:
        raise OSError(28, f"No space left on device: {self} ({mode})")

    monkeypatch.setattr(Path, "open", fail)
    text = await run(bench, "seq 1 200000")
    assert text.endswith("199999\n200000")
    assert "could not be kept" in text


async def test_too_much_output_ends_the_command(
    bench: ToolBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (shell_tool, shell_job):
        monkeypatch.setattr(module, "MAX_OUTPUT_BYTES", 1024**2)
    result = await bench.call(TOOL, command="yes")
    assert result.is_error
    assert text_of(result).endswith("[ended: it wrote more than 1 MB]")


async def test_a_flood_takes_bounded_memory_and_disk(bench: ToolBench) -> None:
    own = psutil.Process()
    before = own.memory_info().rss
    result = await bench.call(TOOL, command="yes")
    assert result.is_error
    assert text_of(result).endswith("[ended: it wrote more than 64 MB]")
    [file] = bench.context.results_dir.iterdir()
    assert file.stat().st_size == shell_job.MAX_OUTPUT_BYTES
    assert own.memory_info().rss - before < 20 * 1024**2
    assert bench.governor.list() == ()


async def test_a_folder_that_is_deleted_under_a_running_command_is_left(bench: ToolBench) -> None:
    script = "mkdir gone; cd gone; rmdir ../gone; echo still here"
    assert text_of(await bench.call(TOOL, command=script)) == "still here"
    assert bench.context.cwd == bench.root
    assert await run(bench, "pwd") == str(bench.root)


async def test_progress_shows_new_output_while_the_command_runs(
    bench: ToolBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell_tool, "PROGRESS_EVERY_S", 0.01)
    command = "echo first; while [ ! -e go ]; do sleep 0.02; done; echo second"
    task = asyncio.create_task(bench.call(TOOL, command=command))
    await until(lambda: bool(bench.progress))
    assert [each.text for each in bench.progress] == ["first"]
    (bench.root / "go").touch()
    assert text_of(await task) == "first\nsecond"


async def test_cancel_waits_for_no_stubborn_command_and_ends_it(bench: ToolBench) -> None:
    bench.governor._kill_after_s = 10 * WAIT_S
    command = "trap '' TERM; touch started; until [ -e go ]; do sleep 0.05; done"
    task = asyncio.create_task(bench.call(TOOL, command=command))
    await until((bench.root / "started").exists)
    task.cancel()
    async with asyncio.timeout(WAIT_S):
        with pytest.raises(asyncio.CancelledError):
            await task
    assert bench.governor.list() != ()
    (bench.root / "go").touch()
    await until(lambda: bench.governor.list() == ())


async def test_facts(bench: ToolBench) -> None:
    args = ShellArgs(command="ls")
    effects = await TOOL.effects(args, bench.context)
    assert effects.command is not None
    assert (effects.command.command, effects.command.cwd) == ("ls", bench.root)
    assert not effects.read_only
    assert not TOOL.is_concurrency_safe(args)
    assert TOOL.title(args, bench.context) == "ls"
    knowing = BashTool(ENVIRONMENT, is_read_only=lambda command: command == "ls")
    assert knowing.is_concurrency_safe(args)
    assert (await knowing.effects(args, bench.context)).read_only


@pytest.mark.parametrize("timeout", [0, 600_001])
def test_time_limit_out_of_range_is_refused(timeout: int) -> None:
    with pytest.raises(ValidationError):
        ShellArgs(command="ls", timeout=timeout)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]8;;http://h\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("10%\r50%\r100%\ndone", "100%\ndone"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("a\x00b\x07c\td", "abc\td"),
        ("\x1b(Bplain", "plain"),
    ],
)
def test_terminal_codes_become_plain_text(raw: str, expected: str) -> None:
    assert clean(raw) == expected


def test_what_comes_after_the_end_is_not_taken(tmp_path: Path) -> None:
    output = CommandOutput(tmp_path / "all")
    output.keep_all()
    output.take(b"before")
    output.close()
    output.take(b"after")
    assert output.text() == "before"
    assert output.path.read_bytes() == b"before"


@given(st.lists(st.binary(max_size=70_000), max_size=6))
def test_output_in_any_pieces_stays_within_its_limit(pieces: list[bytes]) -> None:
    output = CommandOutput(Path("/nonexistent/never-written"))
    for piece in [each[:10_000] for each in pieces]:
        output.take(piece)
    assert len(output.preview()) < 9_000
    output.close()
