"""The Bash tool with programs that people really run, and with output that is no plain text."""

import asyncio
import gzip
import shutil
import sys
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import psutil
import pytest
from pilotfish.tools.bash import BashTool
from pilotfish.tools.bash_interactive import interactive_hint
from pilotfish.tools.shell_output import MAX_CHARS, looks_binary

from tests.support.tool_context import ENVIRONMENT, ToolBench, text_of, tool_bench
from tests.support.waiting import until

TOOL = BashTool(ENVIRONMENT)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[ToolBench]:
    async with tool_bench(tmp_path) as made:
        yield made


async def run(bench: ToolBench, command: str) -> str:
    return text_of(await bench.call(TOOL, command=command))


async def test_a_program_that_reads_gets_the_end_at_once(bench: ToolBench) -> None:
    assert await run(bench, "read -r line; echo got=$line code=$?; cat") == "got= code=1"


async def test_a_python_prompt_says_how_to_use_it(bench: ToolBench) -> None:
    shown = await run(bench, "python3")
    assert shown.startswith("[python3 was started to be typed into")
    assert "with -c, in a file or in a here-document" in shown
    assert await run(bench, "python3 -c 'print(1)'") == "1"
    assert await run(bench, "echo 'print(2)' | python3") == "2"
    assert await run(bench, "python3 <<'E'\nprint(3)\nE") == "3"


async def test_a_program_that_asks_fails_with_what_to_do(bench: ToolBench) -> None:
    shown = await run(bench, "python3 -c 'input(\"Sure? \")'")
    assert "EOFError" in shown
    assert "[the command wants a terminal or an answer" in shown
    shown = await run(bench, "python3 -c 'import sys, termios; termios.tcgetattr(sys.stdin)'")
    assert "[the command wants a terminal or an answer" in shown


@pytest.mark.parametrize(
    ("command", "output", "hinted"),
    [
        ("vim x", "Vim: Warning: Input is not from a terminal\n", False),
        ("nano", "Standard input is not a terminal\n", True),
        ("top", "top: failed tty get\n", True),
        ("docker run -it x", "the input device is not a TTY\n", True),
        ("sudo ls", "sudo: a terminal is required to read the password\n", True),
        ("cd x && node", "", True),
        ("node server.js", "", False),
        ("node --version", "", False),
        ("python3 < script", "", False),
        ("sqlite3", "", True),
        ("bash -c true", "", False),
        ("true", "", False),
        ("echo 'open", "", False),
    ],
)
def test_which_ends_are_hinted_at(command: str, output: str, *, hinted: bool) -> None:
    assert bool(interactive_hint(command, output)) is hinted


async def test_a_program_that_is_not_there_is_named(bench: ToolBench) -> None:
    result = await bench.call(TOOL, command="docker-of-nobody ps")
    assert result.is_error
    assert "docker-of-nobody: command not found" in text_of(result)
    assert "[exit code 127]" in text_of(result)


async def test_git_shows_a_long_log_without_a_pager(bench: ToolBench) -> None:
    await run(
        bench,
        "git init -q . && git config user.email a@b && git config user.name n && "
        "for i in $(seq 60); do git commit -q --allow-empty -m message-$i; done",
    )
    shown = await run(bench, "git log --format=%s")
    assert shown.splitlines() == [f"message-{i}" for i in range(60, 0, -1)]


async def test_git_commit_without_a_message_opens_no_editor(bench: ToolBench) -> None:
    await run(bench, "git init -q . && git config user.email a@b && git config user.name n")
    result = await bench.call(TOOL, command="git commit --allow-empty")
    assert result.is_error
    assert "empty commit message" in text_of(result)


@pytest.mark.skipif(shutil.which("ssh") is None, reason="there is no ssh to fail")
async def test_ssh_to_nowhere_fails_and_asks_nothing(bench: ToolBench) -> None:
    result = await bench.call(TOOL, command="ssh -o ConnectTimeout=5 -p 1 nobody@127.0.0.1 true")
    assert result.is_error
    assert "port 1" in text_of(result)


async def test_pytest_shows_its_failure(bench: ToolBench) -> None:
    (bench.root / "test_it.py").write_text("def test_it():\n    assert 1 == 2\n", encoding="utf-8")
    result = await bench.call(
        TOOL, command=f"{sys.executable} -m pytest -q -p no:cacheprovider test_it.py"
    )
    assert result.is_error
    assert "assert 1 == 2" in text_of(result)
    assert "[exit code 1]" in text_of(result)


async def test_npm_test_passes_its_exit_code_on(bench: ToolBench) -> None:
    (bench.root / "package.json").write_text(
        '{"name": "x", "scripts": {"test": "node -e \\"console.log(1+1); process.exit(4)\\""}}',
        encoding="utf-8",
    )
    result = await bench.call(TOOL, command="npm test")
    assert result.is_error
    assert "\n2\n" in text_of(result)


async def test_a_binary_file_is_not_shown_but_kept(bench: ToolBench) -> None:
    data = gzip.compress(bytes(range(256)) * 40, mtime=0) * 20
    (bench.root / "x.gz").write_bytes(data)
    shown = await run(bench, "cat x.gz")
    assert shown.startswith(f"[binary output, {len(data):,} bytes: not shown, all of it is in ")
    [kept] = await asyncio.to_thread(lambda: list(bench.context.results_dir.iterdir()))
    assert shown.endswith(f"{kept}]")
    assert kept.read_bytes() == data


async def test_a_binary_among_text_is_measured_by_what_comes_first(bench: ToolBench) -> None:
    assert (await run(bench, "file=/bin/true; head -c 4000 $file")).startswith("[binary output")


async def test_every_byte_leaves_text_only(bench: ToolBench) -> None:
    loop = 'for i in $(seq 0 255); do printf "\\\\x$(printf %x $i)"; done'
    shown = await run(
        bench, f"for n in 1 2 3 4; do echo words of text {'and more ' * 60}; done; {loop}"
    )
    assert shown.startswith("words of text")
    assert "\x00" not in shown
    assert "\x1b" not in shown
    assert "ABCDEFGHIJKLMNOPQRSTUVWXYZ" in shown


@pytest.mark.parametrize(
    ("data", "binary"),
    [
        (b"", False),
        (b"plain\n", False),
        (b"a.txt\0b.txt\0dir/c.txt\0", False),
        ("日本語のテキスト\n".encode("shift_jis") * 50, False),
        ("Grüße aus Köln\n".encode("latin-1") * 50, False),
        (b"\x1b[1;31mred\x1b[0m\x08\x08\n" * 50, False),
        (bytes(range(256)) * 8, True),
        ("€".encode() * 2666 + b"\xe2", False),
    ],
)
def test_what_counts_as_binary(data: bytes, *, binary: bool) -> None:
    assert looks_binary(data) is binary


async def test_a_progress_bar_is_one_line(bench: ToolBench) -> None:
    bar = r"for i in $(seq 0 5 100); do printf '\r[%3d%%] %s' $i working; done; echo; echo done"
    assert await run(bench, bar) == "[100%] working\ndone"


async def test_a_line_of_ten_megabytes_stays_small(bench: ToolBench) -> None:
    before = psutil.Process().memory_info().rss
    shown = await run(bench, "head -c 10000000 /dev/zero | tr '\\0' x; echo; echo end")
    assert len(shown) <= MAX_CHARS + 300
    assert shown.endswith("\nend")
    assert "of 10,000,005 bytes left out" in shown
    assert psutil.Process().memory_info().rss - before < 20 * 1024 * 1024


async def test_what_a_grandchild_writes_later_breaks_nothing(bench: ToolBench) -> None:
    (bench.root / "wait").touch()
    late = "(while [ -e wait ]; do sleep 0.02; done; echo late && touch written) & echo now"
    started = time.monotonic()
    assert await run(bench, late) == "now"
    assert time.monotonic() - started < 10
    (bench.root / "wait").unlink()
    await until((bench.root / "written").exists)


async def test_a_flood_does_not_hold_up_the_loop(bench: ToolBench) -> None:
    """Sixty megabytes as fast as they come; what the loop computes in one go is measured all the while."""
    worst = 0.0
    task = asyncio.create_task(run(bench, "head -c 60000000 /dev/zero | tr '\\0' 'y'"))
    while not task.done():
        before = time.thread_time()
        await asyncio.sleep(0)
        worst = max(worst, time.thread_time() - before)
    assert "of 60,000,000 bytes left out" in await task
    # Processor time: a shared machine stops this process for longer than any chunk takes.
    assert worst < 0.25
