"""The user's own status line: a command that is told of the session and writes a line.

Owns: when it runs, the gates before it, one process at a time, what of its output counts.
Does not own: the process (governor), what the session used (``session.usage``), showing the line.
See also: design 04 §7.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from pilotfish import __version__
from pilotfish.config.status_line import StatusLineSettings
from pilotfish.core.errors import ProcessError
from pilotfish.core.events import EventRecord, ModeChanged, ModelChanged, ReplyFinished
from pilotfish.core.passing_events import StatusLineChanged, UserWarned
from pilotfish.llm.rate_limits import RateLimits
from pilotfish.ports.processes import ProcessPort, ProcessSpec
from pilotfish.session.line_shell import LineShell
from pilotfish.session.log import EventLog
from pilotfish.session.model_options import ContextWindow
from pilotfish.session.state import SessionData
from pilotfish.util.records import dataclass
from pilotfish.util.tasks import TaskScope

logger = logging.getLogger(__name__)

DEBOUNCE_S = 0.3
"""Several events within this time are one (design 04 §7.6)."""

LIMIT_S = 5.0
"""How long the command may take (design 04 §7.4)."""

MAX_OUTPUT_BYTES = 8_192
"""More than any line; a command that writes more is ended."""

MIN_REFRESH_S = 1.0
"""A shorter interval counts as this one."""

OUTPUT_STYLE = "default"
"""There are no other styles yet; scripts expect the field (design 04 §7.3)."""

_BIG_CONTEXT = 200_000


@dataclass(frozen=True, kw_only=True, slots=True)
class StatusPlace:
    """Where a session works at this moment."""

    current: Path
    """Where its commands begin; a ``cd`` moves it."""
    root: Path
    """The project's folder, or what stands for it in a worktree."""
    added: tuple[Path, ...]
    """Further folders that count as the session's."""


class StatusModel(Protocol):
    """What tells of a session's model."""

    def context_window(self) -> ContextWindow:
        """Return the size of its window."""
        ...

    def rate_limits(self) -> RateLimits:
        """Return what is known of its provider's limits."""
        ...


class StatusLine:
    """The line of one session."""

    def __init__(
        self,
        log: EventLog,
        processes: ProcessPort,
        environment: Mapping[str, str],
        shell: LineShell,
        model: StatusModel,
        place: Callable[[], StatusPlace],
    ) -> None:
        """Follow a session.

        Args:
            log: Its events.
            processes: Runs the command.
            environment: What the command inherits, without secrets.
            shell: Says what runs the command.
            model: Tells of its model.
            place: Returns where the session works.
        """
        self._log = log
        self._processes = processes
        self._environment = environment
        self._shell = shell
        self._model = model
        self._place = place
        self._settings = StatusLineSettings()
        self._trusted: bool = False
        self._warned = False
        self._logs_next = False
        """Whether the next failure is worth a line in the log: the command is new."""
        self._scope = TaskScope("status line")
        self._latest: asyncio.Task[None] | None = None
        """What was asked for last, whether it waits, runs or is over."""
        self._one_at_a_time = asyncio.Lock()
        self._ticking: asyncio.Task[None] | None = None
        self._remove = log.listen(self._hear)
        self.text = ""
        """What is shown."""

    def take(self, settings: StatusLineSettings, *, trusted: bool) -> None:
        """Take over settings, and whether commands may run in this folder."""
        is_new = settings.command != self._settings.command or trusted != self._trusted
        timer_changed = settings.refresh_s != self._settings.refresh_s
        self._settings, self._trusted = settings, trusted
        if timer_changed:
            self._rebuild_timer()
        if not is_new:
            return
        self._logs_next = True
        if settings.command and trusted:
            self._schedule(0.0)
        else:
            self._give_way()
            self._show("")

    async def close(self) -> None:
        """End the command and the timer."""
        self._remove()
        self._give_way()
        # The first cancel lets the command end in its time; the second one waits for nothing.
        await asyncio.sleep(0)
        await self._scope.close()

    def _hear(self, record: EventRecord) -> None:
        if isinstance(record.event, ReplyFinished | ModeChanged | ModelChanged):
            self._schedule(DEBOUNCE_S)

    def _rebuild_timer(self) -> None:
        if self._ticking is not None:
            self._ticking.cancel()
            self._ticking = None
        if self._settings.refresh_s > 0:
            self._ticking = self._scope.start(self._tick(), name="refresh")

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(max(self._settings.refresh_s, MIN_REFRESH_S))
            self._schedule(DEBOUNCE_S)

    def _schedule(self, delay_s: float) -> None:
        """Run soon; what waits or runs gives way."""
        if not self._settings.command or not self._may_run():
            return
        self._give_way()
        self._latest = self._scope.start(self._run(delay_s), name="run")

    def _give_way(self) -> None:
        """Let what was asked for last count no more."""
        if self._latest is not None:
            self._latest.cancel()
            self._latest = None

    def _may_run(self) -> bool:
        if self._trusted:
            return True
        if not self._warned:
            self._warned = True
            self._log.tell(
                UserWarned(text="Your status line does not run here until the folder is trusted.")
            )
        return False

    async def _run(self, delay_s: float) -> None:
        await asyncio.sleep(delay_s)
        # A command that does not listen takes a while to end: two never run side by side.
        async with self._one_at_a_time:
            text = await self._output()
        if text is not None:
            self._show(text)

    async def _output(self) -> str | None:
        """Run the command; None: what it wrote does not count."""
        try:
            result = await self._processes.run(await self._spec(), timeout_s=LIMIT_S)
        except ProcessError as error:
            logger.warning("the status line cannot run: %s", error)
            return None
        logs, self._logs_next = self._logs_next, False
        if result.ended_by != "itself" or result.exit_code != 0:
            if logs:
                logger.warning("the status line ended with %s", result.exit_code or result.ended_by)
            return None
        return self._line_of(result.output.decode("utf-8", "replace"))

    async def _spec(self) -> ProcessSpec:
        return ProcessSpec(
            argv=await self._shell(self._settings.command),
            cwd=self._place().root,
            purpose="hook",
            label="status line",
            env=self._environment,
            max_output_bytes=MAX_OUTPUT_BYTES,
            merge_stderr=False,
            stdin=json.dumps(self._facts()).encode(),
            gone_on_cancel=True,
        )

    def _line_of(self, output: str) -> str:
        lines = [line.strip() for line in output.strip().split("\n")]
        text = "\n".join(line for line in lines if line)
        pad = " " * self._settings.padding
        return f"{pad}{text}{pad}" if text else ""

    def _show(self, text: str) -> None:
        if text != self.text:
            self.text = text
            self._log.tell(StatusLineChanged(text=text))

    def _facts(self) -> dict[str, object]:
        """Return what the command gets to know (design 04 §7.3)."""
        data, window, place = self._log.data, self._model.context_window(), self._place()
        total, last = data.used.total, data.last_usage
        # The size of a window that is not known is a guess, which a conversation may exceed.
        used = min(100.0, 100.0 * last.context_tokens / window.tokens) if window.tokens else 0.0
        seen = last.context_tokens > 0
        return {
            "session_id": data.session_id,
            "session_name": data.title or None,
            "model": {"id": data.model, "display_name": data.model},
            "workspace": {
                "current_dir": str(place.current),
                "project_dir": str(data.cwd),
                "added_dirs": [str(folder) for folder in place.added],
            },
            "version": __version__,
            "output_style": {"name": OUTPUT_STYLE},
            "permission_mode": data.mode,
            "cost": {
                "total_cost_usd": total.cost_usd,
                "total_duration_ms": data.worked.duration_ms,
                "total_api_duration_ms": data.worked.api_ms,
                "total_api_duration_without_retries_ms": data.worked.answer_ms,
                "total_tool_duration_ms": data.worked.tool_ms,
                "total_lines_added": data.worked.added_lines,
                "total_lines_removed": data.worked.removed_lines,
            },
            "context_window": {
                "total_input_tokens": total.usage.context_tokens - total.usage.output_tokens,
                "total_output_tokens": total.usage.output_tokens,
                "context_window_size": window.tokens,
                "current_usage": {
                    "input_tokens": last.input_tokens,
                    "cache_creation_input_tokens": last.cache_write_tokens,
                    "cache_read_input_tokens": last.cache_read_tokens,
                    "output_tokens": last.output_tokens,
                }
                if seen
                else None,
                "used_percentage": used,
                "remaining_percentage": 100.0 - used,
            },
            "exceeds_200k_tokens": last.context_tokens > _BIG_CONTEXT,
            "worktree": _worktree_facts(data),
            **_limit_facts(self._model.rate_limits()),
        }


def _limit_facts(limits: RateLimits) -> dict[str, object]:
    """Return the provider's limits, nothing where it tells of none."""
    told = {
        window: {"used_percentage": limit.used_percentage, "resets_at": limit.resets_at}
        for window, limit in limits.items()
    }
    return {"rate_limits": told} if told else {}


def _worktree_facts(data: SessionData) -> dict[str, str | None] | None:
    tree = data.worktree
    if tree is None:
        return None
    return {
        "name": tree.slug,
        "path": tree.path,
        "branch": tree.branch,
        "original_cwd": str(data.cwd),
        "original_branch": tree.original_branch or None,
    }
