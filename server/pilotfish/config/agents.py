"""``agents`` of a settings file: how many sub-agents there may be, and how long one is waited for.

Owns: the section, its merged form, which layer wins.
Does not own: running agents (``session.subagents``), their mode (``permissions.subagentMode``).
"""

from collections.abc import Iterable

from pydantic import Field

from pilotfish.config.layers_order import strongest
from pilotfish.config.section import Section
from pilotfish.util.records import dataclass

MOST_AT_ONCE = 500
"""What ``agents.maxRunning`` may say at most: each agent holds a conversation in memory."""


class AgentsSection(Section):
    """``agents`` of a settings file."""

    max_depth: int | None = Field(default=None, ge=0, le=10)
    max_running: int | None = Field(default=None, ge=0, le=MOST_AT_ONCE)
    max_turns: int | None = Field(default=None, ge=1)
    background: bool | None = None
    auto_background_ms: int | None = Field(default=None, ge=0, le=3_600_000)


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentSettings:
    """What sub-agents may do."""

    max_depth: int = 3
    """How deep they may start each other; 0 means: there are none."""
    max_running: int = 64
    """How many of a session may run at once."""
    max_turns: int | None = None
    """Model calls that one may make for a task; None: as many as any turn."""
    background: bool = True
    """Whether they may go on while the conversation does."""
    auto_background_ms: int = 120_000
    """How long one may hold up the conversation; 0 means: until its end."""


def merge_agents(sections: Iterable[AgentsSection]) -> AgentSettings:
    """Merge sections, weakest first; none of an untrusted project is among them."""
    given, usual = tuple(sections), AgentSettings()
    return AgentSettings(
        max_depth=strongest((one.max_depth for one in given), usual.max_depth),
        max_running=strongest((one.max_running for one in given), usual.max_running),
        max_turns=strongest((one.max_turns for one in given), usual.max_turns),
        background=strongest((one.background for one in given), usual.background),
        auto_background_ms=strongest(
            (one.auto_background_ms for one in given), usual.auto_background_ms
        ),
    )
