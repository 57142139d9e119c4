"""A scriptable server for the Anthropic Messages API.

Owns: answering HTTP requests from a scenario, refusing what the real API refuses, and recording
what came. Used by engine tests, end-to-end tests and benchmarks.
Does not know: anything about Pilotfish; it serves any client of the API.

See also: ``README.md`` for writing scenarios.
"""

from tools.fake_model.blocks import (
    Ping,
    RawBlock,
    RawEvent,
    RedactedThinking,
    Text,
    Thinking,
    ToolUse,
)
from tools.fake_model.fake import FakeModel
from tools.fake_model.journal import RequestRecord
from tools.fake_model.scenario import (
    Rules,
    Scenario,
    ScenarioError,
    Script,
    load_scenario,
    parse_scenario,
)
from tools.fake_model.turns import (
    Cut,
    ErrorEvent,
    HttpError,
    Loop,
    Pace,
    Refusal,
    Stall,
    Turn,
    Usage,
    When,
)

__all__ = [
    "Cut",
    "ErrorEvent",
    "FakeModel",
    "HttpError",
    "Loop",
    "Pace",
    "Ping",
    "RawBlock",
    "RawEvent",
    "RedactedThinking",
    "Refusal",
    "RequestRecord",
    "Rules",
    "Scenario",
    "ScenarioError",
    "Script",
    "Stall",
    "Text",
    "Thinking",
    "ToolUse",
    "Turn",
    "Usage",
    "When",
    "load_scenario",
    "parse_scenario",
]
