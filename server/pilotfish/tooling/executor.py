"""Runs one tool call.

Owns: look-up, validation, gathering facts, running, and turning every failure into an outcome.
Does not own: whether the call may run (gates in front) or when (``scheduler``).
See also: ``ports.tool_runner.ToolRunner``, which this implements as the innermost runner.
"""

import asyncio
import logging

from pydantic import ValidationError
from typing_extensions import override

from pilotfish.core.calls import (
    CallScope,
    PreparedCall,
    RejectedCall,
    ToolCall,
    ToolOutcome,
    ToolStatus,
    text_outcome,
)
from pilotfish.core.errors import PilotfishError
from pilotfish.core.jsontypes import JsonObject
from pilotfish.ports.tool_runner import ToolRunner
from pilotfish.tooling.arguments import explain_problems, read_arguments
from pilotfish.tooling.budget import ResultBudget
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.registry import AnyTool, ToolRegistry
from pilotfish.tooling.spec import ToolArgs, ToolInputError, ToolResult, text_result
from pilotfish.util.text_span import opening, shortened
from pilotfish.util.visible import visible
from pilotfish.workspace.proposal import Agreed

logger = logging.getLogger(__name__)

MAX_TITLE_CHARS = 200
"""A title is one line; longer commands are cut for display only."""


class ToolExecutor(ToolRunner):
    """The innermost runner of an agent's tool chain."""

    def __init__(self, registry: ToolRegistry, context: ToolContext, budget: ResultBudget) -> None:
        self._registry = registry
        self._context = context
        self._budget = budget

    def is_concurrency_safe(self, call: ToolCall) -> bool:
        """Tell whether the call may run beside others; invalid calls are not."""
        meant = self._registry.stands_for(call)
        tool = None if isinstance(meant, str) else self._registry.find(meant.name)
        if isinstance(meant, str) or tool is None or meant.input_error is not None:
            return False
        try:
            return tool.is_concurrency_safe(read_arguments(tool, meant.input))
        except ValidationError:
            return False

    def starts_early(self, call: ToolCall) -> bool:
        """Tell whether the call may begin before its reply is complete."""
        meant = self._registry.stands_for(call)
        tool = None if isinstance(meant, str) else self._registry.find(meant.name)
        return tool is not None and tool.starts_early()

    @override
    async def prepare(self, call: ToolCall, scope: CallScope) -> PreparedCall | RejectedCall:
        """Validate the arguments and gather facts, or say what is wrong with the call."""
        # From here on it is the tool that is meant: gates, hooks and views see no stand-in.
        meant = self._registry.stands_for(call)
        read = meant if isinstance(meant, str) else self._read(meant)
        if isinstance(meant, str) or isinstance(read, str):
            return RejectedCall(call=call, message=str(read))
        call = meant
        tool, args = read
        try:
            survey = await tool.survey(args, self._context)
        except (ToolInputError, PilotfishError) as error:
            return RejectedCall(call=call, message=str(error))
        except OSError as error:
            return RejectedCall(call=call, message=_explain_os_error(error))
        return PreparedCall(
            call=call,
            tool=tool.spec.name,
            title=_one_line(survey.title or tool.title(args, self._context)),
            kind=tool.kind(args),
            args=args,
            effects=survey.effects,
            preview=survey.preview,
            batch=survey.batch,
            plan=survey.plan,
            locations=tool.locations(args, self._context),
            interrupt_behavior=tool.interrupt_behavior(args),
        )

    def _read(self, call: ToolCall) -> tuple[AnyTool, ToolArgs] | str:
        """Return the tool and its arguments, or what is wrong with the call."""
        tool = self._registry.find(call.name)
        if tool is None:
            return self._registry.explain_unknown(call.name)
        if call.input_error is not None:
            return _explain_broken_input(tool, call.input_error)
        try:
            return tool, read_arguments(tool, call.input)
        except ValidationError as error:
            return explain_problems(tool, error)

    async def run(self, call: PreparedCall, scope: CallScope) -> ToolOutcome:
        """Run the call; only cancellation escapes."""
        tool = self._registry.find(call.tool)
        if tool is None:
            return text_outcome(self._registry.explain_unknown(call.tool), status="failed")
        scope.on_running()
        context = CallContext(
            tools=self._context,
            turn_id=scope.turn_id,
            tool_use_id=call.call.id,
            on_progress=scope.on_progress,
            agreed=None
            if call.preview is None
            else Agreed(preview=call.preview, places=call.effects.writes),
            agreed_batch=tuple(
                Agreed(preview=each, places=call.effects.writes) for each in call.batch
            ),
            plan=call.plan,
            deferred=self._registry.deferred(),
            listed_tools=self._registry.listed,
        )
        result = await _run_guarded(tool, call, context)
        fitted = await self._budget.fit(
            call.call.id, result.content, max_chars=tool.spec.max_result_chars
        )
        does_fit = fitted is result.content or not result.content
        display = result.display or (() if does_fit else (self._budget.for_people(result.content),))
        return ToolOutcome(
            status=_status_of(result),
            content=fitted,
            display=display,
            stops_turn=result.stops_turn,
        )

    def input_for_text(self, call: PreparedCall, text: str) -> JsonObject | None:
        """Return the input that writes ``text`` instead of the call's own proposal."""
        tool = self._registry.find(call.tool)
        if tool is None or call.preview is None:
            return None
        return tool.input_for_text(call.args, call.preview, text)


async def _run_guarded(tool: AnyTool, call: PreparedCall, context: CallContext) -> ToolResult:
    """Run the tool; whatever it raises becomes a result, so that the pair is always complete."""
    try:
        return await tool.run(call.args, context)
    except asyncio.CancelledError:
        raise
    except (ToolInputError, PilotfishError) as error:
        return _error_result(str(error))
    except OSError as error:
        return _error_result(_explain_os_error(error))
    except Exception as error:  # the boundary of 08 §1.18: a tool's bug is a result
        logger.exception("tool %s failed", tool.spec.name)
        return _error_result(
            f"{tool.spec.name} failed inside: {type(error).__name__}: {error}. "
            "This is a fault of the tool, not of the call; try another way."
        )


def _status_of(result: ToolResult) -> ToolStatus:
    if result.is_refusal:
        return "denied"
    return "failed" if result.is_error else "completed"


def _error_result(text: str) -> ToolResult:
    return text_result(text, is_error=True)


def _explain_broken_input(tool: AnyTool, problem: str) -> str:
    return (
        f"The input of {tool.spec.name} was not a JSON object: {problem}. "
        "Nothing was run. Send the call again with valid JSON."
    )


def _explain_os_error(error: OSError) -> str:
    where = f" ({error.filename})" if error.filename else ""
    return f"The system refused: {error.strerror or error}{where}."


def _one_line(text: str) -> str:
    return shortened(visible(opening(text, MAX_TITLE_CHARS + 1)), MAX_TITLE_CHARS)
