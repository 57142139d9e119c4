"""The AskUserQuestion tool.

Owns: its arguments and what the model hears of the answers. Does not own: where the questions are
kept and shown (``session.inbox``, edges). See also: design 05 §9.2.
"""

from typing import ClassVar

from pydantic import Field, field_validator
from typing_extensions import override

from pilotfish.core.calls import InterruptBehavior
from pilotfish.core.dialogs import Choice, ChoiceQuestion, UserAnswer, UserQuestion
from pilotfish.core.effects import Effects
from pilotfish.core.ids import new_request_id
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import Tool, ToolArgs, ToolInputError, ToolResult, ToolSpec, text_result
from pilotfish.tools.descriptions import load_description

MAX_HEADER_CHARS = 12
"""Longest chip label; longer ones do not fit beside each other (design 05 §9.2)."""

_NOBODY = (
    "Nobody can be asked here. Decide yourself: take the most sensible choice, say which one you "
    "took and why, and go on."
)


class OptionArgs(ToolArgs):
    """One answer to choose."""

    label: str = Field(min_length=1, max_length=80, description="The choice in one to five words")
    description: str = Field(description="What it means, or what follows from it")
    preview: str | None = Field(
        default=None, description="Markdown to compare the choices by, such as a snippet or sketch"
    )


class QuestionArgs(ToolArgs):
    """One question."""

    question: str = Field(min_length=1, description="The whole question, with a question mark")
    header: str = Field(
        min_length=1, max_length=MAX_HEADER_CHARS, description="A word or two for a label"
    )
    options: tuple[OptionArgs, ...] = Field(min_length=2, max_length=4)
    multiSelect: bool = Field(  # noqa: N815 - the name that models know
        default=False, description="Whether several options may be chosen"
    )

    @field_validator("options")
    @classmethod
    def _labels_differ(cls, options: tuple[OptionArgs, ...]) -> tuple[OptionArgs, ...]:
        if len({option.label for option in options}) < len(options):
            raise ValueError("the labels of a question must differ")
        return options


class QuestionMetadata(ToolArgs):
    """Where the questions come from."""

    source: str | None = None


class AskUserQuestionArgs(ToolArgs):
    """Arguments of AskUserQuestion."""

    questions: tuple[QuestionArgs, ...] = Field(min_length=1, max_length=4)
    metadata: QuestionMetadata | None = None

    @field_validator("questions")
    @classmethod
    def _questions_differ(cls, questions: tuple[QuestionArgs, ...]) -> tuple[QuestionArgs, ...]:
        if len({each.question for each in questions}) < len(questions):
            raise ValueError("the questions of a call must differ")
        return questions


class AskUserQuestionTool(Tool[AskUserQuestionArgs]):
    """Asks the user to choose."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="AskUserQuestion", description=load_description("ask_user_question"), kind="other"
    )
    args_type = AskUserQuestionArgs

    @override
    def title(self, args: AskUserQuestionArgs, ctx: ToolContext) -> str:
        """Return the first question."""
        first, *others = args.questions
        return f"{first.question} (and {len(others)} more)" if others else first.question

    @override
    def interrupt_behavior(self, args: AskUserQuestionArgs) -> InterruptBehavior:
        """A question that is open is withdrawn at once."""
        return "cancel"

    @override
    async def effects(self, args: AskUserQuestionArgs, ctx: ToolContext) -> Effects:
        """State that nothing changes.

        Raises:
            ToolInputError: Nobody is there who could fill in the form.
        """
        if not ctx.dialogs.can_ask_forms:
            raise ToolInputError(_NOBODY)
        return Effects(internal=True)

    async def run(self, args: AskUserQuestionArgs, ctx: CallContext) -> ToolResult:
        """Put the questions and wait for the user."""
        answer = await ctx.tools.dialogs.ask_user(
            UserQuestion(
                request_id=new_request_id(),
                session_id=ctx.tools.session_id,
                agent_id=ctx.tools.agent_id,
                tool_use_id=ctx.tool_use_id,
                title=self.title(args, ctx.tools),
                questions=tuple(_question(each) for each in args.questions),
                created_at_ms=ctx.tools.clock.now_ms(),
            )
        )
        if answer.kind == "withdrawn":
            return text_result(_NOBODY, is_error=True)
        if answer.kind == "declined":
            return text_result(_declined(answer))
        return text_result(_answered(args, answer))


def _question(args: QuestionArgs) -> ChoiceQuestion:
    return ChoiceQuestion(
        question=args.question,
        header=args.header,
        choices=tuple(
            Choice(label=each.label, description=each.description, preview=each.preview or "")
            for each in args.options
        ),
        multi_select=args.multiSelect,
    )


def _answered(args: AskUserQuestionArgs, answer: UserAnswer) -> str:
    lines = ["The user answered:"]
    for each in args.questions:
        chosen = answer.selections.get(each.question, ())
        lines.append(f"- {each.question} {', '.join(chosen) or '(no answer)'}")
    return "\n".join(lines)


def _declined(answer: UserAnswer) -> str:
    if answer.feedback:
        return f"The user did not answer the questions and says instead: {answer.feedback}"
    return (
        "The user declined to answer. Do not ask the same again; go on with what you know, or say "
        "what you cannot do without the answer."
    )
