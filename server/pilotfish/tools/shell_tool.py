"""Running one command: what Bash and PowerShell have in common.

Owns: a command's way from its arguments to its result: the current folder that carries over, when it
goes to the background, progress, the result's text.
Does not own: what differs between shells (``CommandShell``: ``tools.bash``, ``tools.powershell``),
processes (``ports.processes``), judging commands (permissions), keeping long output
(``tools.shell_output``).
See also: design 06 §10, §11.
"""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from pydantic import Field
from typing_extensions import override

from pilotfish.core.calls import TextDisplay, ToolProgress
from pilotfish.core.effects import CommandEffect, Effects
from pilotfish.core.errors import ProcessError, SessionError
from pilotfish.core.messages import TextBlock
from pilotfish.ports.background import BackgroundPort
from pilotfish.ports.processes import ProcessResult, ProcessSpec
from pilotfish.tooling.budget import result_file
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import Tool, ToolArgs, ToolInputError, ToolResult, text_result
from pilotfish.tools.folder_file import FolderFile
from pilotfish.tools.shell_job import MAX_OUTPUT_BYTES, ShellJob, verdict_of
from pilotfish.tools.shell_output import CommandOutput
from pilotfish.util.records import dataclass
from pilotfish.util.tasks import TaskScope
from pilotfish.util.visible import hidden_characters

DEFAULT_TIMEOUT_MS = 120_000
MAX_TIMEOUT_MS = 600_000
"""Longest time a command may ask for."""

MAX_BACKGROUND_S = 24 * 3600.0
"""Longest life of a command in the background that has no limit of its own."""

SETTLE_S = 0.4
"""How long a command that is to run in the background is watched: one that cannot start says so at once."""

PROGRESS_EVERY_S = 1.0
"""How often live output is passed on, when there is new one."""


class ShellArgs(ToolArgs):
    """Arguments of a tool that runs commands."""

    command: str = Field(min_length=1, description="The command to run")
    timeout: int | None = Field(
        default=None,
        ge=1,
        le=MAX_TIMEOUT_MS,
        description="Time limit in milliseconds",
    )
    description: str = Field(default="", description="Five to ten words on what it does")
    run_in_background: bool = Field(
        default=False, description="Go on at once; you are told when it has ended"
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Launch:
    """How a shell is started for one command."""

    argv: Sequence[str]
    env: Mapping[str, str]
    remark: str = ""
    """What the model must hear with the result; often empty."""


class CommandShell(Protocol):
    """What differs between shells."""

    hidden_advice: str
    """How a character that does not show is written in a command."""

    async def launch(self, command: str, folder_file: Path) -> Launch:
        """Return how to run a command that tells in a file in which folder it ended.

        Raises:
            ProcessError: There is no such shell.
        """
        ...

    def reads_only(self, command: str) -> bool:
        """Tell whether a command is known to change nothing, so that it may run beside others."""
        ...

    def only_waits(self, command: str) -> bool:
        """Tell whether a command begins by only waiting: it is over when its time is."""
        ...

    def meaning_of(self, command: str, exit_code: int | None) -> str | None:
        """Tell what an exit code means when it is no failure; None when it is one."""
        ...

    def hint(self, command: str, output_end: str) -> str:
        """Return what to do when a command wanted somebody at a terminal; empty when it did not."""
        ...


class ShellTool(Tool[ShellArgs]):
    """Runs commands in one shell; a subclass says which and describes itself."""

    args_type = ShellArgs

    def __init__(self, shell: CommandShell) -> None:
        self.shell = shell

    @override
    def title(self, args: ShellArgs, ctx: ToolContext) -> str:
        """Return the command."""
        return args.command

    def is_concurrency_safe(self, args: ShellArgs) -> bool:
        """Only commands that are known to change nothing may run beside others."""
        return self.shell.reads_only(args.command)

    async def effects(self, args: ShellArgs, ctx: ToolContext) -> Effects:
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
                f"could judge it. {self.shell.hidden_advice}"
            )
        if args.run_in_background and not ctx.background.allowed:
            raise ToolInputError(
                "Background commands are switched off (shell.background in the settings). Leave "
                "run_in_background out."
            )
        return Effects(
            command=CommandEffect(
                command=args.command, cwd=ctx.cwd, background=args.run_in_background
            ),
            read_only=self.is_concurrency_safe(args),
        )

    async def run(self, args: ShellArgs, ctx: CallContext) -> ToolResult:
        """Run the command, to its end or into the background."""
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
            job = await self._begin(args, ctx)
            why = await self._stay(job, args, ctx)
            if why:
                return await _move_away(job, args, ctx, why)
            result = job.process.result()
        except (ProcessError, SessionError) as error:
            return text_result(str(error), is_error=True)
        except OSError as error:
            return text_result(f"The command was not run: {error}.", is_error=True)
        return await self._ended(job, args, ctx, result)

    async def _begin(self, args: ShellArgs, ctx: CallContext) -> ShellJob:
        tools = ctx.tools
        await asyncio.to_thread(tools.results_dir.mkdir, parents=True, exist_ok=True)
        output = CommandOutput(result_file(tools.results_dir, ctx.tool_use_id))
        folder = FolderFile(result_file(tools.results_dir, ctx.tool_use_id, ".cwd"))
        launch = await self.shell.launch(args.command, folder.path)
        spec = ProcessSpec(
            argv=launch.argv,
            cwd=tools.cwd,
            purpose="shell",
            label=args.command[:60],
            env=launch.env,
            max_output_bytes=MAX_OUTPUT_BYTES,
            on_output=output.take,
            keep_output=False,
            limits=tools.command_limits,
        )
        job = ShellJob(
            output,
            folder,
            tools.clock,
            started_in=spec.cwd,
            meaning=lambda code: self.shell.meaning_of(args.command, code),
            remark=launch.remark,
        )
        limit_s = self._limit_s(args, tools.background)
        running = _run_to_end(job, spec, ctx, timeout_s=limit_s)
        job.begin(tools.background.start(running, name=spec.label))
        return job

    async def _stay(self, job: ShellJob, args: ShellArgs, ctx: CallContext) -> str:
        """Wait as long as the conversation may be held up; return why to go on without."""
        background = ctx.tools.background
        if args.run_in_background:
            limit = SETTLE_S
        else:
            limit = background.foreground_s if self._may_move(args, background) else None
        reports = TaskScope("command")
        with background.hold(ctx.tool_use_id) as wanted:
            asked = reports.start(wanted.wait(), name="asked to move")
            reports.start(_report(job, ctx), name="progress")
            try:
                try:
                    await asyncio.wait(
                        {job.process, asked}, timeout=limit, return_when=asyncio.FIRST_COMPLETED
                    )
                finally:
                    await reports.close()
            except (
                asyncio.CancelledError
            ):  # at whatever moment: nobody else knows of the command yet
                job.stop()
                raise
        if job.process.done():
            return ""
        if args.run_in_background:
            return "as asked"
        return "as the user wants" if wanted.is_set() else f"after {limit or 0:g} seconds"

    def _limit_s(self, args: ShellArgs, background: BackgroundPort) -> float:
        """Return when the command is ended: a limit that the model gave holds in the background, too."""
        if args.timeout is not None:
            return args.timeout / 1000
        return MAX_BACKGROUND_S if self._may_move(args, background) else DEFAULT_TIMEOUT_MS / 1000

    def _may_move(self, args: ShellArgs, background: BackgroundPort) -> bool:
        if args.run_in_background:
            return True
        return (
            background.allowed
            and background.foreground_s is not None
            and not self.shell.only_waits(args.command)
        )

    async def _ended(
        self, job: ShellJob, args: ShellArgs, ctx: CallContext, result: ProcessResult
    ) -> ToolResult:
        note = _move(ctx.tools, ctx.tools.cwd, job.folder_after)
        verdict = verdict_of(result, job.meaning)
        ending = f"[{verdict.text}]" if verdict.text else ""
        if result.ended_by == "timeout":
            ending = (
                f"[ended after {self._limit_s(args, ctx.tools.background) * 1000:,.0f} ms, its time limit; "
                f"give a longer timeout (at most {MAX_TIMEOUT_MS:,}) or do less at once]"
            )
        text = await asyncio.to_thread(job.output_text.text)
        hint = self.shell.hint(args.command, job.output_text.end())
        shown = _joined(text, ending, hint, note, job.remark) or "(no output)"
        return ToolResult(
            content=(TextBlock(text=shown),),
            is_error=verdict.failed,
            display=(TextDisplay(text=shown, is_cut=job.output_text.is_cut),),
        )


async def _run_to_end(
    job: ShellJob, spec: ProcessSpec, ctx: CallContext, *, timeout_s: float
) -> ProcessResult:
    tools = ctx.tools
    try:
        if tools.terminals is None:
            return await tools.processes.run(spec, timeout_s=timeout_s)

        def opened(terminal: str) -> None:
            job.terminal_id = terminal
            ctx.on_progress(ToolProgress(terminal_id=terminal))

        return await tools.terminals.run(
            tools.session_id, spec, timeout_s=timeout_s, on_open=opened
        )
    finally:
        await job.finish()


async def _move_away(job: ShellJob, args: ShellArgs, ctx: CallContext, why: str) -> ToolResult:
    """Hand the command to the session and tell the model how to follow it."""
    job.output_text.keep_all()
    try:
        task = ctx.tools.background.adopt(job, title=args.command, call=ctx.tool_use_id)
    except SessionError:
        job.stop()
        raise
    text = await asyncio.to_thread(job.output_text.text)
    brief = " It ends with this run at the latest." if ctx.tools.background.is_brief else ""
    note = (
        f"[in the background as {task.task_id}, {why}: it is still running. You are told when it "
        f"ends; TaskOutput waits for it, TaskStop ends it.{brief} All output goes to "
        f"{task.output_path}]"
    )
    for_people = f"[in the background as {task.task_id}]"
    return ToolResult(
        content=(TextBlock(text=_joined(text, note, job.remark)),),
        display=(TextDisplay(text=_joined(text, for_people)),),
    )


async def _report(job: ShellJob, ctx: CallContext) -> None:
    """Pass live output on, once a second while there is new one that no terminal shows."""
    output = job.output_text
    while True:
        await ctx.tools.clock.sleep(PROGRESS_EVERY_S)
        if output.has_news() and job.terminal_id is None:
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


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)
