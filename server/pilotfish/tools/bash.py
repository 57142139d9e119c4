"""The Bash tool.

Owns: running one command, the current folder that carries over, progress, the result's text.
Does not own: processes (``ports.processes``), judging commands (permissions), keeping long output
(``tools.bash_output``), the environment (``tools.bash_shell``).
See also: design 06 §10.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from pilotfish.core.calls import TextDisplay, ToolProgress
from pilotfish.core.effects import CommandEffect, Effects
from pilotfish.core.errors import ProcessError, SessionError
from pilotfish.core.messages import TextBlock
from pilotfish.ports.background import BackgroundPort
from pilotfish.ports.processes import ProcessResult, ProcessSpec
from pilotfish.tooling.budget import result_file
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import Tool, ToolArgs, ToolInputError, ToolResult, ToolSpec, text_result
from pilotfish.tools.bash_interactive import interactive_hint
from pilotfish.tools.bash_job import MAX_OUTPUT_BYTES, ShellJob, verdict_of
from pilotfish.tools.bash_meaning import is_wait
from pilotfish.tools.bash_output import CommandOutput
from pilotfish.tools.bash_shell import FolderFile, find_shell, shell_environment
from pilotfish.tools.descriptions import load_description
from pilotfish.tools.shell_profile import NO_PROFILE, Profile, with_profile_path
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


class BashArgs(ToolArgs):
    """Arguments of Bash."""

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
        profile: Callable[[], Awaitable[Profile]] | None = None,
    ) -> None:
        """Set it up.

        Args:
            environment: What commands inherit; secrets of the server are left out.
            is_read_only: Tells whether a command changes nothing; None means: never known.
            profile: Returns what the user's shell knows; None means: nothing.
        """
        self._profile = profile
        self._told = False
        """Whether a problem with the profile has been told."""
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

    async def run(self, args: BashArgs, ctx: CallContext) -> ToolResult:
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
        return await _ended(job, args, ctx, result)

    async def _begin(self, args: BashArgs, ctx: CallContext) -> ShellJob:
        tools = ctx.tools
        await asyncio.to_thread(tools.results_dir.mkdir, parents=True, exist_ok=True)
        output = CommandOutput(result_file(tools.results_dir, ctx.tool_use_id))
        folder = FolderFile(result_file(tools.results_dir, ctx.tool_use_id, ".cwd"))
        shell = await asyncio.to_thread(find_shell, self._environment)
        profile = NO_PROFILE if self._profile is None else await self._profile()
        spec = ProcessSpec(
            argv=folder.argv(shell, args.command, profile.file),
            cwd=tools.cwd,
            purpose="shell",
            label=args.command[:60],
            env=with_profile_path(self._environment, profile),
            max_output_bytes=MAX_OUTPUT_BYTES,
            on_output=output.take,
            keep_output=False,
            limits=tools.command_limits,
        )
        job = ShellJob(
            args.command, output, folder, tools.clock, remark=self._remark(profile.problem)
        )
        running = _run_to_end(job, spec, ctx, timeout_s=_limit_s(args, tools.background))
        job.begin(tools.background.start(running, name=spec.label))
        return job

    def _remark(self, problem: str) -> str:
        """Tell of a profile that could not be read, once."""
        if not problem or self._told:
            return ""
        self._told = True
        return (
            f"[commands run without the functions and aliases of the user's shell profile: {problem}; "
            "shell.profile in the settings switches the profile off]"
        )

    async def _stay(self, job: ShellJob, args: BashArgs, ctx: CallContext) -> str:
        """Wait as long as the conversation may be held up; return why to go on without."""
        background = ctx.tools.background
        if args.run_in_background:
            limit = SETTLE_S
        else:
            limit = background.foreground_s if _may_move(args, background) else None
        reports = TaskScope("bash")
        with background.hold(ctx.tool_use_id) as wanted:
            asked = reports.start(wanted.wait(), name="asked to move")
            reports.start(_report(job, ctx), name="progress")
            try:
                await asyncio.wait(
                    {job.process, asked}, timeout=limit, return_when=asyncio.FIRST_COMPLETED
                )
            except asyncio.CancelledError:
                job.stop()
                raise
            finally:
                await reports.close()
        if job.process.done():
            return ""
        if args.run_in_background:
            return "as asked"
        return "as the user wants" if wanted.is_set() else f"after {limit or 0:g} seconds"


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


def _limit_s(args: BashArgs, background: BackgroundPort) -> float:
    """Return when the command is ended: a limit that the model gave holds in the background, too."""
    if args.timeout is not None:
        return args.timeout / 1000
    return MAX_BACKGROUND_S if _may_move(args, background) else DEFAULT_TIMEOUT_MS / 1000


def _may_move(args: BashArgs, background: BackgroundPort) -> bool:
    if args.run_in_background:
        return True
    return background.allowed and background.foreground_s is not None and not is_wait(args.command)


async def _move_away(job: ShellJob, args: BashArgs, ctx: CallContext, why: str) -> ToolResult:
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


async def _ended(
    job: ShellJob, args: BashArgs, ctx: CallContext, result: ProcessResult
) -> ToolResult:
    note = _move(ctx.tools, ctx.tools.cwd, job.folder_after)
    verdict = verdict_of(args.command, result)
    ending = f"[{verdict.text}]" if verdict.text else ""
    if result.ended_by == "timeout":
        ending = (
            f"[ended after {_limit_s(args, ctx.tools.background) * 1000:,.0f} ms, its time limit; "
            f"give a longer timeout (at most {MAX_TIMEOUT_MS:,}) or do less at once]"
        )
    text = await asyncio.to_thread(job.output_text.text)
    hint = interactive_hint(args.command, job.output_text.end())
    shown = _joined(text, ending, hint, note, job.remark) or "(no output)"
    return ToolResult(
        content=(TextBlock(text=shown),),
        is_error=verdict.failed,
        display=(TextDisplay(text=shown),),
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
