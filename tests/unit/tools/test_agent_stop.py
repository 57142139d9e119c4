"""TaskStop of an agent that ends in that very moment."""

from dataclasses import replace
from pathlib import Path

from pilotfish.core.agents import AgentEntry
from pilotfish.core.ids import AgentId
from pilotfish.ports.agents import NoAgents
from pilotfish.tools.task_stop import TaskStopTool

from tests.support.made_up_agents import facts
from tests.support.tool_context import text_of, tool_bench


class Ending(NoAgents):
    """One agent, which runs until somebody wants to stop it."""

    async def recall(self, address: str) -> AgentEntry | None:
        return self.find(address)

    def find(self, address: str) -> AgentEntry | None:
        return AgentEntry(facts=facts(address), is_background=True)

    async def stop(self, agent: AgentId) -> bool:
        return False


async def test_an_agent_that_ends_as_it_is_stopped_is_told_to_have_ended(tmp_path: Path) -> None:
    async with tool_bench(tmp_path) as bench:
        bench.context = replace(bench.context, agents=Ending())
        result = await bench.call(TaskStopTool(), task_id="scout")
        assert (text_of(result), result.is_error) == ("scout has ended already.", True)
