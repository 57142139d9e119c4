"""Reminders after refusals."""

from pilotfish.core.ids import MAIN_AGENT, AgentId
from pilotfish.permissions.denials import MAX_TOTAL, DenialTracker


async def test_three_refusals_of_one_tool_in_a_row_lead_to_one_reminder() -> None:
    tracker = DenialTracker()
    source = tracker.source(MAIN_AGENT)
    tracker.refused(MAIN_AGENT, "Bash")
    tracker.refused(MAIN_AGENT, "Bash")
    assert await source.collect() == []
    tracker.refused(MAIN_AGENT, "Bash")

    (note,) = await source.collect()
    assert note.origin == "denials"
    assert "Bash" in note.text
    assert await source.collect() == []


async def test_success_starts_the_count_anew() -> None:
    tracker = DenialTracker()
    for _ in range(2):
        tracker.refused(MAIN_AGENT, "Bash")
    tracker.succeeded(MAIN_AGENT)
    for _ in range(2):
        tracker.refused(MAIN_AGENT, "Bash")

    assert await tracker.source(MAIN_AGENT).collect() == []


async def test_many_refusals_of_different_tools_lead_to_a_reminder_too() -> None:
    tracker = DenialTracker()
    for index in range(MAX_TOTAL):
        tracker.refused(MAIN_AGENT, f"tool{index}")

    (note,) = await tracker.source(MAIN_AGENT).collect()
    assert str(MAX_TOTAL) in note.text


async def test_agents_are_counted_apart() -> None:
    tracker = DenialTracker()
    for index in range(6):
        tracker.refused(AgentId(f"agent{index % 3}"), "Bash")

    assert await tracker.source(AgentId("agent0")).collect() == []
