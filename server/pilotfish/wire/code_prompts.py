"""Prompts about places in code."""

from typing import Annotated, Literal

from pydantic import Field

from pilotfish.wire.base import WireModel
from pilotfish.wire.editor import EditorRange
from pilotfish.wire.method import Method

MAX_PROBLEMS = 500
"""A document with more has another problem."""

MAX_MESSAGE_CHARS = 4_000
"""Longest message of a problem; a client cuts longer ones."""

Message = Annotated[str, Field(max_length=MAX_MESSAGE_CHARS)]


class CodeProblemPlace(WireModel):
    """A place that belongs to a problem."""

    uri: str
    line: int = Field(ge=0)
    message: Message


class CodeProblem(WireModel):
    """A diagnostic as the editor shows it."""

    range: EditorRange
    message: Message
    source: str = ""
    code: str = ""
    related: list[CodeProblemPlace] = Field(default_factory=list[CodeProblemPlace], max_length=20)


class CodePromptParams(WireModel):
    """``_pilotfish/code/prompt``: the prompt for something that is to be done with code."""

    what: Literal["ask", "edit", "explain", "document", "test", "fix"]
    uri: str
    range: EditorRange
    """What is selected; empty for a cursor, then the symbol around it is meant."""
    problems: list[CodeProblem] = Field(default_factory=list[CodeProblem], max_length=MAX_PROBLEMS)
    """The document's, for ``fix``."""


class CodePromptResponse(WireModel):
    """The prompt, as a code action of that place has it."""

    prompt: str
    """Empty when there is nothing that it could be about."""
    problem: str = ""
    """Why there is none; for the user."""
    send: bool = False
    """Whether it is sent at once; else the user goes on writing."""
    inline: bool = False
    """Whether it is best written at the place, where the client has inline chats."""
    range: EditorRange
    """The lines that it is about."""


class CodeRelatedParams(WireModel):
    """``_pilotfish/code/related``: code that belongs to the symbol at a place."""

    uri: str
    range: EditorRange
    session_id: str | None = None
    """The session whose rules count; those of the project where there is none yet."""


class CodeRelatedResponse(WireModel):
    """The answer."""

    name: str = ""
    """The symbol, such as ``Cart.total``; empty when there is none at the place."""
    text: str = ""
    """Callers and what is used, one place a line, for the model; empty when nothing is known."""


CODE_PROMPT = Method(
    name="_pilotfish/code/prompt",
    direction="client_to_server",
    kind="request",
    params=CodePromptParams,
    result=CodePromptResponse,
    doc="The prompt for what is to be done with a selection or the symbol at the cursor.",
)
CODE_RELATED = Method(
    name="_pilotfish/code/related",
    direction="client_to_server",
    kind="request",
    params=CodeRelatedParams,
    result=CodeRelatedResponse,
    doc="Code that belongs to the symbol at a place, to go along with a prompt about it.",
)

CODE_METHODS: tuple[Method, ...] = (CODE_PROMPT, CODE_RELATED)
