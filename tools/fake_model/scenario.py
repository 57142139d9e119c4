"""A scenario: everything the fake model does, as data.

Owns: the top level of a scenario file and reading it.
Does not own: turns (``turns``), their content (``blocks``), playing them (``playlist``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, replace
from pathlib import Path
from typing import Literal

from pydantic import (
    Field,
    JsonValue,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    TypeAdapter,
    ValidationError,
)
from pydantic.dataclasses import dataclass

from tools.fake_model.blocks import STRICT
from tools.fake_model.turns import HttpError, Pace, Turn, When

MAX_REQUEST_BYTES = 32 * 1024 * 1024
"""The real API's limit for one request."""

MAX_IMAGE_BYTES = 5 * 1024 * 1024
"""The real API's limit for one image, before base64."""

CHARS_PER_TOKEN = 4.0
"""Rule of thumb behind every estimated token count here."""

ConversationKey = Literal["server", "api_key", "first_user_text"]


class ScenarioError(Exception):
    """A scenario cannot be read. Raised on loading; the caller shows the message."""


@dataclass(frozen=True, config=STRICT, kw_only=True)
class Rules:
    """What the server accepts."""

    api_key: str | None = None
    """The key that is expected. None: any that is not empty."""
    models: Sequence[str] = ()
    """Known models; others get 404. Empty: any."""
    validate: bool = True
    """Check requests at all. Off only for measuring clients that are not ours."""
    strict_roles: bool = True
    """Refuse neighbouring messages of one role, which the real API would merge."""
    prefill: bool | None = None
    """Accept requests that end with an assistant message. None: if a turn has ``pause_turn``."""
    known_tools: bool = True
    """Refuse calls in the history of tools that are not offered (unless we invented the call)."""
    version_header: bool = True
    """Require the ``anthropic-version`` header."""
    thinking_first: bool = False
    """With thinking ``enabled``, a running tool turn must begin with a thinking block."""
    max_request_bytes: PositiveInt = MAX_REQUEST_BYTES
    """Larger requests get 413."""
    max_image_bytes: PositiveInt = MAX_IMAGE_BYTES
    max_output_tokens: NonNegativeInt = 0
    """Upper limit for ``max_tokens``. 0: none."""
    context_window_tokens: NonNegativeInt = 0
    """Requests whose estimate is larger get "prompt is too long". 0: no limit."""
    chars_per_token: PositiveFloat = CHARS_PER_TOKEN
    """Bytes of request per estimated token."""
    count_tokens: NonNegativeInt | HttpError | None = None
    """Answer of the counting endpoint. None: the estimate."""


@dataclass(frozen=True, config=STRICT, kw_only=True)
class Script:
    """Turns that share a condition, for one of several sessions on a server."""

    when: When
    turns: Sequence[str | Turn]


@dataclass(frozen=True, config=STRICT)
class Scenario:
    """What the server answers, in order."""

    turns: Sequence[str | Turn] = ()
    """Used for requests that no script answers. A string is a turn with that text."""
    _: KW_ONLY
    scripts: Sequence[Script] = ()
    """Tried first, in order."""
    variables: Mapping[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    """Values for ``{{name}}`` in content."""
    rules: Rules = Field(default_factory=Rules)
    pace: Pace = Field(default_factory=Pace)
    """For turns that have none of their own."""
    conversation: ConversationKey = "server"
    """Requests with the same key consume the turns together; each key has its own copy."""

    def all_turns(self) -> list[Turn]:
        """Every turn in its long form, those of scripts first."""
        written = [*(item for script in self.scripts for item in script.turns), *self.turns]
        return [Turn(item) if isinstance(item, str) else item for item in written]

    def effective_rules(self) -> Rules:
        """The rules, with what depends on the turns filled in."""
        if self.rules.prefill is not None:
            return self.rules
        pauses = any(turn.stop_reason == "pause_turn" for turn in self.all_turns())
        return replace(self.rules, prefill=pauses)

    def with_variables(self, variables: Mapping[str, JsonValue]) -> "Scenario":
        """The same scenario with ``variables`` on top of its own."""
        return replace(self, variables={**self.variables, **variables})


ScenarioSource = Scenario | Sequence[str | Turn] | Path
"""A scenario, its turns alone, or the path of a JSON file."""

_ADAPTER = TypeAdapter(Scenario)


def load_scenario(source: ScenarioSource) -> Scenario:
    """Get a scenario from where it is.

    Raises:
        ScenarioError: The file cannot be read or is not a valid scenario.
    """
    if isinstance(source, Scenario):
        return source
    if not isinstance(source, Path):
        return Scenario(source)
    try:
        text = source.read_bytes()
    except OSError as error:
        raise ScenarioError(f"cannot read {source}: {error.strerror}") from error
    return parse_scenario(text)


def parse_scenario(text: bytes | str) -> Scenario:
    """Read a scenario from JSON.

    Raises:
        ScenarioError: The text is not JSON or not a valid scenario; says where.
    """
    try:
        return _ADAPTER.validate_json(text)
    except ValidationError as error:
        raise ScenarioError(_explain(error)) from error


def dump_scenario(scenario: Scenario) -> bytes:
    """Write a scenario as JSON that ``parse_scenario`` reads back."""
    return _ADAPTER.dump_json(scenario)


def _explain(error: ValidationError) -> str:
    """Keep the deepest complaints: unions also report every alternative that was not meant."""
    details = error.errors(include_url=False)
    depth = max(len(detail["loc"]) for detail in details)
    lines = [
        ".".join(str(part) for part in detail["loc"] if _is_field(part)) + ": " + detail["msg"]
        for detail in details
        if len(detail["loc"]) == depth
    ]
    return "; ".join(lines)


def _is_field(part: int | str) -> bool:
    """Whether a part of an error's location is a field or index, not a union alternative."""
    return isinstance(part, int) or (part.isidentifier() and part.islower() and part != "str")
