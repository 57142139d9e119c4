"""The demo plays its tasks for real on a copy of the example workspace."""

import asyncio
import sys
from pathlib import Path
from typing import cast

import pytest
from pilotfish.core.messages import TextBlock, ToolUseBlock, UserMessage
from pilotfish.edges.demo_voice import demo_voice
from pilotfish.llm.events import ReplyCompleted
from pilotfish.llm.model import ModelRequest
from pilotfish.llm.providers.demo.model import DemoModel
from pilotfish.llm.providers.demo.texts import TASK_PROMPTS

from tests.support.demo_stage import EXAMPLE, Stage, copy_example

FIX, ADD, RENAME = TASK_PROMPTS


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return copy_example(tmp_path)


@pytest.fixture
def stage(root: Path) -> Stage:
    return Stage(DemoModel(gap_s=0), root)


async def unittest_output(root: Path) -> tuple[int | None, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-B",
        "-m",
        "unittest",
        cwd=root,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    return process.returncode, output.decode()


def text(root: Path, name: str) -> str:
    return (root / name).read_text(encoding="utf-8")


def sources(root: Path) -> dict[str, str]:
    return {str(path): path.read_text(encoding="utf-8") for path in root.rglob("*.py")}


def statuses(call: ToolUseBlock) -> list[str]:
    todos = cast(list[dict[str, str]], call.input["todos"])
    return [todo["status"] for todo in todos]


async def test_the_example_has_exactly_one_failing_test(root: Path) -> None:
    code, output = await unittest_output(root)
    assert code == 1
    assert "FAILED (failures=1)" in output
    assert "test_ten_of_a_kind_get_the_bulk_discount" in output


def test_the_readme_lists_every_prompt_of_the_demo() -> None:
    readme = text(EXAMPLE, "README.md")
    assert all(f"`{prompt}`" in readme for prompt in TASK_PROMPTS)


async def test_fixes_the_failing_test(stage: Stage, root: Path) -> None:
    played = await stage.play(FIX)
    assert "All 19 tests pass now" in played.final
    assert played.names() == ["Glob", "Bash", "Read", "Grep", "Read", "Edit", "Bash"]
    assert "if quantity >= BULK_QUANTITY:" in text(root, "quayside/pricing.py")
    assert (await unittest_output(root))[0] == 0


async def test_does_not_fix_what_it_is_asked_to_explain(stage: Stage, root: Path) -> None:
    before = text(root, "quayside/pricing.py")
    played = await stage.play("Explain the failing test")
    assert "It cannot answer anything else" in played.final
    assert text(root, "quayside/pricing.py") == before


async def test_follows_the_real_failure_and_not_a_script(stage: Stage, root: Path) -> None:
    """The bug is moved to another function, file and line; the demo must find it there."""
    pricing = root / "quayside/pricing.py"
    source = pricing.read_text(encoding="utf-8")
    pricing.write_text(
        source.replace("quantity > BULK", "quantity >= BULK").replace(
            "total_pence >= FREE", "total_pence > FREE"
        ),
        encoding="utf-8",
    )
    played = await stage.play("please repair the failing test in this project")
    assert "in `delivery_fee`" in played.final
    assert "total_pence >= FREE" in text(root, "quayside/pricing.py")
    assert (await unittest_output(root))[0] == 0


async def test_says_so_when_there_is_nothing_to_fix(stage: Stage, root: Path) -> None:
    await stage.play(FIX)
    before = text(root, "quayside/pricing.py")
    again = await stage.play(FIX)
    assert "nothing to fix" in again.final
    assert again.names() == ["Glob", "Bash"]
    assert text(root, "quayside/pricing.py") == before


async def test_says_so_when_it_does_not_know_the_mistake(stage: Stage, root: Path) -> None:
    money = root / "quayside/money.py"
    broken = money.read_text(encoding="utf-8").replace('ljust(2, "0")', 'ljust(2, "1")')
    money.write_text(broken, encoding="utf-8")
    await stage.play(FIX)
    played = await stage.play(FIX)
    assert "do not see why" in played.final
    assert text(root, "quayside/money.py") == broken


async def test_fixes_a_bracket_that_keeps_the_tests_from_loading(stage: Stage, root: Path) -> None:
    pricing = root / "quayside/pricing.py"
    source = pricing.read_text(encoding="utf-8")
    fixed = source.replace("quantity > BULK", "quantity >= BULK")
    pricing.write_text(fixed + "\n\nLIMITS = (1, 2\n", encoding="utf-8")
    played = await stage.play(FIX)
    assert "closed a bracket" in played.final
    assert (await unittest_output(root))[0] == 0


async def test_adds_a_function_and_repairs_what_the_diagnostics_report(
    stage: Stage, root: Path
) -> None:
    played = await stage.play(ADD)
    noticed = [text for text in played.texts if "My edit brought a new problem" in text]
    assert len(noticed) == 1
    assert "'(' was never closed" in noticed[0]
    assert "total_pence // 100)\n" in text(root, "quayside/pricing.py")
    assert "import delivery_fee, line_total, loyalty_points" in text(root, "tests/test_pricing.py")
    assert "fails as it did before" in played.final
    assert played.names().count("Bash") == 1
    _, output = await unittest_output(root)
    assert "Ran 21 tests" in output
    assert "FAILED (failures=1)" in output


async def test_keeps_a_todo_list_and_ticks_everything_off(stage: Stage) -> None:
    played = await stage.play(ADD)
    states = [statuses(call) for call in played.calls if call.name == "TodoWrite"]
    assert states[0] == ["in_progress", "pending", "pending", "pending"]
    assert states[-1] == ["completed"] * 4
    assert all(state.count("in_progress") <= 1 for state in states)


async def test_hears_of_the_problem_with_a_later_result_too(root: Path) -> None:
    late = Stage(DemoModel(gap_s=0), root, late=True)
    played = await late.play(ADD)
    assert any("My edit brought a new problem" in text for text in played.texts)
    assert "Both pass" in played.final


async def test_finds_the_slip_by_the_tests_when_no_diagnostics_come(root: Path) -> None:
    blind = Stage(DemoModel(gap_s=0), root, report_syntax=False)
    played = await blind.play(ADD)
    assert any("The tests found what I had missed" in text for text in played.texts)
    assert played.names().count("Bash") == 2
    assert "Both pass" in played.final
    assert "Ran 21 tests" in (await unittest_output(root))[1]


async def test_adds_the_function_once(stage: Stage, root: Path) -> None:
    await stage.play(ADD)
    before = text(root, "quayside/pricing.py")
    again = await stage.play(ADD)
    assert "was there already" in again.final
    assert text(root, "quayside/pricing.py") == before


async def test_renames_across_two_files(stage: Stage, root: Path) -> None:
    await stage.play(FIX)
    played = await stage.play(RENAME)
    edited = {Path(str(c.input["file_path"])).name for c in played.calls if c.name == "Edit"}
    assert edited == {"money.py", "receipt.py"}
    assert "def format_pence(" in text(root, "quayside/money.py")
    assert "fmt" not in text(root, "quayside/receipt.py")
    assert "All 19 tests pass" in played.final
    assert (await unittest_output(root))[0] == 0


async def test_renames_what_the_prompt_names_and_only_whole_words(stage: Stage, root: Path) -> None:
    await stage.play(FIX)
    played = await stage.play("Rename the function `row` in receipt.py to `receipt_row`, please")
    assert "Renamed `row` to `receipt_row`" in played.final
    assert "rows.append(receipt_row(" in text(root, "quayside/receipt.py")
    assert (await unittest_output(root))[0] == 0


async def test_does_not_rename_to_a_name_in_use(stage: Stage, root: Path) -> None:
    before = text(root, "quayside/money.py")
    played = await stage.play("rename fmt to parse_pounds")
    assert "in use already" in played.final
    assert text(root, "quayside/money.py") == before


async def test_renaming_twice_changes_nothing_more(stage: Stage, root: Path) -> None:
    await stage.play(RENAME)
    before = text(root, "quayside/money.py")
    again = await stage.play(RENAME)
    assert "done before" in again.final
    assert "Edit" not in again.names()
    assert text(root, "quayside/money.py") == before


async def test_all_tasks_play_in_one_session_even_when_reads_are_not_repeated(
    stage: Stage, root: Path
) -> None:
    stage.dedup_reads = True
    finals = [(await stage.play(prompt)).final for prompt in (FIX, ADD, RENAME)]
    assert "All 19 tests pass now" in finals[0]
    assert "All 21 tests pass" in finals[1]
    assert "All 21 tests pass" in finals[2]
    assert (await unittest_output(root))[0] == 0


@pytest.mark.parametrize(
    ("prompt", "tool"),
    [
        *((FIX, tool) for tool in ("Glob", "Read", "Grep", "Edit", "Bash")),
        *((ADD, tool) for tool in ("Glob", "Read", "Edit", "Bash", "TodoWrite")),
        *((RENAME, tool) for tool in ("Glob", "Read", "Grep", "Edit", "Bash")),
    ],
)
async def test_stops_and_says_so_when_a_call_is_refused(
    stage: Stage, root: Path, prompt: str, tool: str
) -> None:
    before = sources(root)
    refused: list[ToolUseBlock] = []

    def refuse(call: ToolUseBlock) -> str | None:
        if call.name != tool:
            return None
        refused.append(call)
        return "The user did not allow this. Nothing was run. They say: use another way."

    played = await stage.play(prompt, refuse)
    assert refused
    assert len(refused) <= 2, "it must not try again"
    assert "I stop here" in played.final
    assert "use another way" in played.final
    if tool != "Bash":
        assert sources(root) == before


@pytest.mark.parametrize("prompt", TASK_PROMPTS)
async def test_says_that_another_folder_is_not_the_example(tmp_path: Path, prompt: str) -> None:
    (tmp_path / "main.py").write_text("print()\n", encoding="utf-8")
    played = await Stage(DemoModel(gap_s=0), tmp_path).play(prompt)
    assert "not Pilotfish's example workspace" in played.final
    assert played.names() == ["Glob"]
    assert "ANTHROPIC_API_KEY" in played.final


async def test_speaks_chinese_with_who_does(root: Path) -> None:
    stage = Stage(DemoModel(gap_s=0, voice=demo_voice(None)), root)
    assert "not a language model" in (await stage.play("Hello")).final
    played = await stage.play("你好")
    assert played.calls == []
    assert "不是语言模型" in played.final
    assert "ANTHROPIC_API_KEY" in played.final
    assert all(prompt in played.final for prompt in TASK_PROMPTS)


@pytest.mark.parametrize("prompt", ["Say hello", "What does this project do?", "1 + 1"])
async def test_tells_everyone_else_how_to_configure_a_model(stage: Stage, prompt: str) -> None:
    played = await stage.play(prompt)
    assert played.calls == []
    assert "not a language model" in played.final
    for way in ("Set API Key", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"):
        assert way in played.final
    assert all(prompt in played.final for prompt in TASK_PROMPTS)


async def test_context_that_the_editor_adds_is_not_the_prompt(stage: Stage) -> None:
    played = await stage.play("<editor>rename fmt to x, fix the failing test</editor>\nSay hello")
    assert played.calls == []


async def test_does_without_a_todo_list_where_none_is_offered(stage: Stage) -> None:
    stage.tools = ("Read", "Edit", "Glob", "Grep", "Bash")
    played = await stage.play(ADD)
    assert "Both pass" in played.final
    assert "TodoWrite" not in played.names()


async def test_stops_where_a_needed_tool_is_not_offered(stage: Stage) -> None:
    stage.tools = ("Read", "Glob", "Grep")
    played = await stage.play(FIX)
    assert "needs Bash" in played.final


async def test_does_not_go_on_with_a_turn_that_another_model_began(stage: Stage) -> None:
    await stage.play(FIX)
    other = stage.messages[1:3]
    stage.messages = [UserMessage(content=(TextBlock(text=RENAME),)), *other, *other]
    reply = await stage._reply()
    assert isinstance(reply.content[0], TextBlock)
    assert "not those of the demo's task" in reply.content[0].text


async def test_counts_tokens_plausibly() -> None:
    request = ModelRequest(
        model="demo",
        system=("x" * 400,),
        tools=(),
        messages=(UserMessage(content=(TextBlock(text="y" * 400),)),),
        max_tokens=10,
    )
    events = [event async for event in DemoModel(gap_s=0).stream(request)]
    end = events[-1]
    assert isinstance(end, ReplyCompleted)
    assert end.usage.input_tokens == 200
    assert 0 < end.usage.output_tokens < 100


async def test_ends_at_once_when_it_is_cancelled(stage: Stage) -> None:
    slow = Stage(DemoModel(gap_s=60), stage.root)
    task = asyncio.get_running_loop().create_task(slow.play("Say hello"))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
