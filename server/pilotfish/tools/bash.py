"""The Bash tool.

Owns: running one command, the current folder that carries over, progress, the result's text.
Does not own: processes (``ports.processes``), judging commands (permissions), keeping long output
(``tools.bash_output``), the environment (``tools.bash_shell``).
See also: design 06 §10.
"""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple

from pydantic import Field

from pilotfish.core.calls import TextDisplay, ToolProgress
from pilotfish.core.effects import CommandEffect, Effects
from pilotfish.core.errors import ProcessError
from pilotfish.core.messages import TextBlock
from pilotfish.ports.processes import ProcessResult, ProcessSpec
from pilotfish.tooling.budget import result_file
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import Tool, ToolArgs, ToolInputError, ToolResult, ToolSpec, text_result
from pilotfish.tools.bash_meaning import meaning_of
from pilotfish.tools.bash_output import CommandOutput
from pilotfish.tools.bash_shell import FolderFile, find_shell, shell_environment
from pilotfish.tools.descriptions import load_description
from pilotfish.util.tasks import TaskScope
from pilotfish.util.visible import hidden_characters

DEFAULT_TIMEOUT_MS = 120_000
MAX_TIMEOUT_MS = 600_000
"""Longest time a command may ask for."""

MAX_OUTPUT_BYTES = 64 * 1024 * 1024
"""Output beyond which a command is ended (design 06 §10.5)."""

PROGRESS_EVERY_S = 1.0
"""How often live output is passed on, when there is new one."""


class BashArgs(ToolArgs):
    """Arguments of Bash."""

    command: str = Field(min_length=1, description="The command to run")
    timeout: int = Field(
        default=DEFAULT_TIMEOUT_MS,
        ge=1,
        le=MAX_TIMEOUT_MS,
        description="Time limit in milliseconds",
    )
    description: str = Field(default="", description="Five to ten words on what it does")


class _Ended(NamedTuple):
    """A command that was run."""

    result: ProcessResult
    output: CommandOutput
    folder_note: str


class BashTool(Tool[BashArgs]):
    """Runs shell commands."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="Bash",
        description=load_description("bash"),
        kind="execute",
        max_result_chars=0,  # cut here, at both ends of the middle
    )
    args_type = BashArgs

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        is_read_only: Callable[[str], bool] | None = None,
    ) -> None:
        """Set it up.

        Args:
            environment: What commands inherit; secrets of the server are left out.
            is_read_only: Tells whether a command changes nothing; None means: never known.
        """
        self._environment = shell_environment(environment)
        self._is_read_only = is_read_only

    def title(self, args: BashArgs, ctx: ToolContext) -> str:  # noqa: ARG002
        """Return the command."""
        return args.command

    def is_concurrency_safe(self, args: BashArgs) -> bool:
        """Only commands that are known to change nothing may run beside others."""
        return self._is_read_only is not None and self._is_read_only(args.command)

    async def effects(self, args: BashArgs, ctx: ToolContext) -> Effects:
        """State the command and where it runs.

        Raises:
            ToolInputError: The command holds characters that no shell takes or nobody sees.
        """
        if "\0" in args.command:
            raise ToolInputError("The command holds a NUL character, which no shell can take.")
        hidden = hidden_characters(args.command)
        if hidden:
            # Whoever is asked must see what would run, in whatever editor or terminal that is.
            raise ToolInputError(
                f"The command holds characters that do not show ({', '.join(hidden[:5])}), so nobody "
                "could judge it. Write them as escapes, for example $'\\u200b' or $'\\r'."
            )
        return Effects(
            command=CommandEffect(command=args.command, cwd=ctx.cwd),
            read_only=self.is_concurrency_safe(args),
        )

    async def run(self, args: BashArgs, ctx: CallContext) -> ToolResult:
        """Run the command."""
        start = ctx.tools.cwd
        if not await asyncio.to_thread(start.is_dir):
            # Running elsewhere than where the call was judged to run is no option.
            ctx.tools.cwd = ctx.tools.roots[0]
            return text_result(
                f"The command was not run: the current folder {start} does not exist any more. The "
                f"current folder is {ctx.tools.cwd} now; run the command again if that fits.",
                is_error=True,
            )
        try:
            ended = await self._execute(args, ctx)
        except ProcessError as error:
            return text_result(str(error), is_error=True)
        except OSError as error:
            return text_result(f"The command was not run: {error}.", is_error=True)
        verdict, failed = _verdict(args, ended.result)
        text = await asyncio.to_thread(ended.output.text)
        parts = [part for part in (text, verdict, ended.folder_note) if part]
        shown = "\n".join(parts) or "(no output)"
        return ToolResult(
            content=(TextBlock(text=shown),),
            is_error=failed,
            display=(TextDisplay(text=shown),),
        )

    async def _execute(self, args: BashArgs, ctx: CallContext) -> _Ended:
        tools = ctx.tools
        start = tools.cwd
        await asyncio.to_thread(tools.results_dir.mkdir, parents=True, exist_ok=True)
        output = CommandOutput(result_file(tools.results_dir, ctx.tool_use_id))
        folder_file = FolderFile(result_file(tools.results_dir, ctx.tool_use_id, ".cwd"))
        shell = await asyncio.to_thread(find_shell, self._environment)
        spec = ProcessSpec(
            argv=folder_file.argv(shell, args.command),
            cwd=start,
            purpose="shell",
            label=args.command[:60],
            env=self._environment,
            max_output_bytes=MAX_OUTPUT_BYTES,
            on_output=output.take,
            keep_output=False,
        )
        ticker = TaskScope("bash-progress")
        ticker.start(_report(output, ctx), name=str(ctx.tool_use_id))
        try:
            result = await tools.processes.run(spec, timeout_s=args.timeout / 1000)
        finally:
            await ticker.close()
            output.close()
            after = await asyncio.to_thread(folder_file.take)
        note = _move(tools, start, after)
        return _Ended(result, output, note)


async def _report(output: CommandOutput, ctx: CallContext) -> None:
    """Pass live output on, once a second while there is new one."""
    while True:
        await ctx.tools.clock.sleep(PROGRESS_EVERY_S)
        if output.has_news():
            ctx.on_progress(ToolProgress(text=output.preview()))


def _move(ctx: ToolContext, start: Path, after: Path | None) -> str:
    """Let the agent's folder follow the command's; say so when it may not."""
    if after is None or after == start:
        return ""
    if any(after.is_relative_to(root) for root in ctx.roots):
        ctx.cwd = after
        return ""
    ctx.cwd = ctx.roots[0]
    return f"[{after} is outside the workspace; the current folder is {ctx.cwd} again]"


def _verdict(args: BashArgs, result: ProcessResult) -> tuple[str, bool]:
    """Say how the command ended, and whether that is a failure."""
    ended_by: Literal["itself", "timeout", "output_limit"] = result.ended_by
    if ended_by == "timeout":
        return (
            f"[ended after {args.timeout:,} ms, its time limit; give a longer timeout (at most "
            f"{MAX_TIMEOUT_MS:,}) or do less at once]",
            True,
        )
    if ended_by == "output_limit":
        return f"[ended: it wrote more than {MAX_OUTPUT_BYTES // 1024**2} MB]", True
    if result.signal is not None:
        return f"[ended by signal {result.signal}]", True
    if result.exit_code == 0:
        return "", False
    meaning = meaning_of(args.command, result.exit_code)
    if meaning is not None:
        return f"[exit code {result.exit_code}: {meaning}]", False
    return f"[exit code {result.exit_code}]", True
