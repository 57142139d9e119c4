"""The PowerShell tool.

Not run here: PowerShell. There is none on the machines of this project, so a stand-in
(``tests.support.fake_powershell``) takes the calls, and the rest is tested as data.
"""

import asyncio
import base64
import json
from collections.abc import AsyncGenerator
from pathlib import Path, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.tools.powershell import PowerShellTool
from pilotfish.tools.powershell_program import (
    COMMAND_VARIABLE,
    FOLDER_VARIABLE,
    MAX_COMMAND_CHARS,
    SCRIPT,
    command_variables,
    find_powershell,
    powershell_argv,
    powershell_candidates,
)
from pilotfish.tools.task_output import TaskOutputTool

from tests.support.fake_powershell import install_fake_powershell
from tests.support.tool_context import ENVIRONMENT, ToolBench, text_of, tool_bench
from tests.support.waiting import under_way, until

WINDOWS_LINE_CHARS = 32_767
"""Longest command line that Windows takes."""


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[ToolBench]:
    async with tool_bench(tmp_path) as made:
        yield made


@pytest.fixture
def tool(tmp_path: Path) -> PowerShellTool:
    program = install_fake_powershell(tmp_path / "bin")
    return PowerShellTool(program, {**ENVIRONMENT, "OPENAI_API_KEY": "sk", "MINE": "kept"})


async def test_output_in_order_exit_code_and_folder(bench: ToolBench, tool: PowerShellTool) -> None:
    (bench.root / "sub").mkdir()
    result = await bench.call(tool, command="cd sub; echo a; echo b >&2; echo c; exit 3")
    assert text_of(result) == "a\nb\nc\n[exit code 3]"
    assert result.is_error
    assert bench.context.cwd == bench.root / "sub"
    assert list(bench.context.results_dir.iterdir()) == []


async def test_a_folder_outside_the_workspace_is_reset_with_a_note(
    bench: ToolBench, tool: PowerShellTool
) -> None:
    result = await bench.call(tool, command="cd /")
    assert (
        text_of(result) == f"[/ is outside the workspace; the current folder is {bench.root} again]"
    )


@pytest.mark.parametrize(
    "text",
    [
        "it's",
        'say "x"',
        "a\\",
        "$HOME",
        "`n",
        "%PATH%",
        "\u2018x\u2019",
        "two\nlines",
        "\N{GRINNING FACE}",
    ],
)
async def test_a_command_arrives_exactly_as_written(
    bench: ToolBench, tool: PowerShellTool, text: str
) -> None:
    (bench.root / "said").write_text(text, encoding="utf-8")
    command = f"cat <<'END_OF_TEXT' | diff - <(cat said; echo)\n{text}\nEND_OF_TEXT"
    assert text_of(await bench.call(tool, command=command)) == "(no output)"


async def test_no_secret_and_no_variable_of_ours_reaches_the_command(
    bench: ToolBench, tool: PowerShellTool
) -> None:
    shown = text_of(await bench.call(tool, command="env"))
    assert "MINE=kept" in shown
    assert "sk" not in [line.partition("=")[2] for line in shown.splitlines()]
    assert COMMAND_VARIABLE not in shown
    assert FOLDER_VARIABLE not in shown


async def test_the_time_limit_and_a_stop_end_what_it_started(
    bench: ToolBench, tool: PowerShellTool
) -> None:
    async def shown(limit_s: float) -> str:
        limit_ms = int(limit_s * 1000)
        result = await bench.call(tool, command="echo begun; sleep 1000", timeout=limit_ms)
        assert f"[ended after {limit_ms:,} ms, its time limit;" in text_of(result)
        return text_of(result)

    await under_way(shown, lambda text: text.startswith("begun\n[ended after "))
    call = asyncio.ensure_future(bench.call(tool, command="touch begun; sleep 1000"))
    await until((bench.root / "begun").exists)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await until(lambda: not bench.governor.list())


async def test_in_the_background_it_is_followed_like_any_command(
    bench: ToolBench, tool: PowerShellTool
) -> None:
    begun = await bench.call(
        tool,
        command="echo begun; while [ ! -e go ]; do sleep 0.02; done; echo done",
        run_in_background=True,
    )
    assert "[in the background as bash_1, as asked: it is still running." in text_of(begun)
    (bench.root / "go").touch()
    shown = text_of(await bench.call(TaskOutputTool(), task_id="bash_1"))
    assert shown == "[bash_1 has ended (completed): exit code 0]\nbegun\ndone"


async def test_long_output_goes_to_a_file(bench: ToolBench, tool: PowerShellTool) -> None:
    text = text_of(await bench.call(tool, command="seq 1 20000"))
    assert text.startswith("1\n2\n")
    assert "bytes left out; all of it is in " in text
    assert text.endswith("19999\n20000")


async def test_nothing_may_run_beside_it(tool: PowerShellTool) -> None:
    args = tool.args_type.model_validate({"command": "Get-Date"})
    assert not tool.is_concurrency_safe(args)


async def test_too_long_a_command_is_refused_with_the_way_out(
    bench: ToolBench, tool: PowerShellTool
) -> None:
    result = await bench.call(tool, command="#" * (MAX_COMMAND_CHARS + 1))
    assert result.is_error
    assert text_of(result).endswith("Put it in a script file and run that.")


@pytest.mark.parametrize(
    ("command", "code", "meaning"),
    [
        ("rg zzz src", 1, "no line matched"),
        ("FINDSTR.EXE /s zzz *.cs", 1, "no line matched"),
        (r"C:\tools\rg.exe zzz", 1, "no line matched"),
        ("Get-Date; rg zzz", 1, "no line matched"),
        ("git diff --exit-code", 1, "there are differences"),
        ("robocopy a b", 3, "nothing failed; the number tells what was copied"),
        ("robocopy a b", 8, None),
        ("rg zzz src", 2, None),
        ("rg zzz && Get-Date", 1, None),
        ("if (1) { rg zzz }", 1, None),
        ("Get-Date", 1, None),
        ("rg zzz", None, None),
    ],
)
def test_what_exit_codes_mean(
    tool: PowerShellTool, command: str, code: int | None, meaning: str | None
) -> None:
    assert tool.shell.meaning_of(command, code) == meaning


@pytest.mark.parametrize(
    ("command", "waits"),
    [
        ("Start-Sleep 5", True),
        ("sleep 5", True),
        ("SLEEP -s 5", True),
        ("Get-Date", False),
        ("", False),
    ],
)
def test_what_only_waits(tool: PowerShellTool, command: str, *, waits: bool) -> None:
    assert tool.shell.only_waits(command) is waits


def test_a_question_to_nobody_is_explained(tool: PowerShellTool) -> None:
    end = "Read-Host: PowerShell is in NonInteractive mode. Read and Prompt functionality is not available."
    assert "nothing can be typed" in tool.shell.hint("Read-Host", end)
    assert tool.shell.hint("python", "") == ""


# --- the call, as data ---


def test_the_call_is_constant_and_fits_a_windows_command_line() -> None:
    argv = powershell_argv(r"C:\Program Files\PowerShell\7\pwsh.exe")
    assert argv[0] == r"C:\Program Files\PowerShell\7\pwsh.exe"
    assert base64.b64decode(argv[-1]).decode("utf-16-le") == SCRIPT
    # What Windows would quote or expand does not occur.
    assert all(
        set(one) <= set(json.dumps(one).strip('"')) and not set(one) & set(' "%^&|<>')
        for one in argv[1:]
    )
    assert len(" ".join(argv)) < WINDOWS_LINE_CHARS / 4


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=200))
def test_whatever_the_command_it_travels_as_data(command: str) -> None:
    variables = command_variables(command, PureWindowsPath(r"C:\x y\f.cwd"))
    assert variables == {COMMAND_VARIABLE: command, FOLDER_VARIABLE: r"C:\x y\f.cwd"}


def test_the_script_takes_its_variables_away_before_the_command_runs() -> None:
    removed = SCRIPT.index(f"Remove-Item Env:{COMMAND_VARIABLE}, Env:{FOLDER_VARIABLE}")
    assert SCRIPT.index(f"$env:{FOLDER_VARIABLE}") < removed < SCRIPT.index("[scriptblock]::Create")


def test_the_newer_one_is_looked_for_first_on_windows_and_none_that_a_project_brings() -> None:
    environment = {"PATH": r"C:\a;.;tools;;D:\b\;\c", "SYSTEMROOT": r"E:\Win"}
    assert [str(one) for one in powershell_candidates(environment, "win32")] == [
        r"C:\a\pwsh.exe",
        r"D:\b\pwsh.exe",
        r"E:\Win\System32\WindowsPowerShell\v1.0\powershell.exe",
    ]


def test_elsewhere_it_is_pwsh_on_the_path_or_none(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "pwsh").write_text("not executable", encoding="utf-8")
    program = install_fake_powershell(tmp_path / "bin")
    environment = {"PATH": f".:{plain}:{tmp_path / 'bin'}"}
    assert find_powershell(environment, "linux") == program
    assert find_powershell({"PATH": str(plain)}, "darwin") is None
    assert find_powershell({}, "linux") is None
