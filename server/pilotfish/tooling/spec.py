"""What a tool is.

Owns: the interface that every tool implements and the facts that do not depend on a call.
See also: design 06 §1, ``tooling.context``.
"""

from typing import ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from pilotfish.core.calls import InterruptBehavior, Location, ToolDisplay, ToolKind
from pilotfish.core.effects import Effects
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.messages import ImageBlock, TextBlock
from pilotfish.core.permission import FilePreview
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.util.records import dataclass

DEFAULT_MAX_RESULT_CHARS = 100_000
"""Longest result in characters before it is kept in a file and previewed (design 06 §3)."""


_LOSE_NOTHING: frozenset[ToolKind] = frozenset(
    {"read", "search", "fetch", "execute", "switch_mode"}
)
"""Kinds of calls that end at once when the user stops: they only look or wait, or may take for ever."""


class ToolArgs(BaseModel):
    """Base of every tool's arguments. Unknown keys are an error that the model sees."""

    # Built when the model is told of a tool, or calls it: most tools are deferred.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


ArgsT = TypeVar("ArgsT", bound=ToolArgs)


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolSpec:
    """What does not depend on a call."""

    name: str
    description: str
    """For the model: what it does, when to use it, limits."""
    kind: ToolKind
    aliases: tuple[str, ...] = ()
    concurrency_safe: bool = False
    """Whether a call may run beside any other. The careful answer is False."""
    max_result_chars: int = DEFAULT_MAX_RESULT_CHARS
    """0 means no limit here: the tool has one of its own."""
    deferred: bool = False
    """Whether the model has to look for it with ToolSearch: for what is rarely used or large."""
    search_hint: str = ""
    """Three to ten words that a search may use."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolResult:
    """What a tool returns."""

    content: tuple[TextBlock | ImageBlock, ...]
    is_error: bool = False
    display: tuple[ToolDisplay, ...] = ()
    is_refusal: bool = False
    """True when the user said no to what the tool asked."""
    stops_turn: bool = False
    """True when that no ends the turn."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Survey:
    """What is known of a call before it runs."""

    effects: Effects
    preview: FilePreview | None = None
    batch: tuple[FilePreview, ...] = ()
    """For a change of several files in one; ``preview`` is None then."""
    title: str = ""
    """A better title than can be told from the arguments; empty when there is none."""
    plan: object = None
    """Comes back to the tool when the call runs, so that what was agreed to is what is done."""


class ToolInputError(Exception):
    """The arguments cannot work; the text tells the model what is wrong and what to do."""


class Tool(Generic[ArgsT]):
    """Base class of tools. One instance serves all sessions: state lives in the context."""

    spec: ClassVar[ToolSpec]
    args_type: type[ArgsT]

    def description(self) -> str:
        """Return the text for the model; the same for the life of the tool."""
        return self.spec.description

    def title(self, args: ArgsT, ctx: ToolContext) -> str:
        """Return one line for people: the command, or the path relative to the project."""
        raise NotImplementedError

    def is_concurrency_safe(self, _args: ArgsT) -> bool:
        """Tell whether the call may run beside others. No I/O. For most tools all calls are the same."""
        return self.spec.concurrency_safe

    def starts_early(self) -> bool:
        """Tell whether a call that may run beside others may begin before its reply is complete.

        A reply that breaks off is void: what has effects must not have begun by then.
        """
        return True

    def kind(self, _args: ArgsT) -> ToolKind:
        """Return what the call is; for most tools all calls are the same."""
        return self.spec.kind

    def interrupt_behavior(self, args: ArgsT) -> InterruptBehavior:
        """Return what the user's Stop does while the call runs (design 06 §1.1).

        A short call that changes something comes to its end, so that what is told of it is true.
        """
        return "cancel" if self.kind(args) in _LOSE_NOTHING else "block"

    async def survey(self, args: ArgsT, ctx: ToolContext) -> Survey:
        """Find out everything that must be known before the call may run.

        Tools for which facts and preview are one piece of work override this.

        Raises:
            ToolInputError: The call cannot work.
        """
        effects = await self.effects(args, ctx)
        return Survey(effects=effects, preview=await self.preview(args, ctx))

    async def effects(self, args: ArgsT, ctx: ToolContext) -> Effects:
        """State the facts of the call.

        Raises:
            ToolInputError: The call cannot work (missing file, not read yet, no match).
        """
        raise NotImplementedError

    async def preview(self, _args: ArgsT, _ctx: ToolContext) -> FilePreview | None:
        """Return exactly what an edit would change; None for everything else.

        Raises:
            ToolInputError: As ``effects``.
        """
        return None

    def locations(self, _args: ArgsT, _ctx: ToolContext) -> tuple[Location, ...]:
        """Return the places that the call is about."""
        return ()

    def input_for_text(self, _args: ArgsT, _preview: FilePreview, _text: str) -> JsonObject | None:
        """Return the input that would write the text instead of the proposal; None if not an edit.

        Used when the user changed the proposal in the diff.
        """
        return None

    async def run(self, args: ArgsT, ctx: CallContext) -> ToolResult:
        """Do it. Expected failures are results with ``is_error``; cancellation passes through."""
        raise NotImplementedError


def text_result(
    text: str, *, is_error: bool = False, is_refusal: bool = False, stops_turn: bool = False
) -> ToolResult:
    """Build a result that is one text."""
    return ToolResult(
        content=(TextBlock(text=text or "(no output)"),),
        is_error=is_error,
        is_refusal=is_refusal,
        stops_turn=stops_turn,
    )
