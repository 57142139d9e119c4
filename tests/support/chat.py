"""A user's side of one session, over the wire.

Owns: prompts, questions and answers, and finding things among a session's updates.
Does not own: the server and the model (``stage``), the wire (``wire_client``).
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.wire_client import WAIT_S, Json, WireClient

ASK = "session/request_permission"
FORM = "elicitation/create"


@dataclass(frozen=True)
class Prompt:
    """A prompt on its way."""

    request_id: int
    answer: asyncio.Future[Any]

    async def stop_reason(self) -> str:
        """Wait for the turn's end."""
        result = await asyncio.wait_for(asyncio.shield(self.answer), WAIT_S)
        return str(result["stopReason"])


@dataclass(frozen=True)
class Question:
    """A permission question as the client gets it."""

    client: WireClient
    message: Json

    @property
    def id(self) -> str:
        """Id of the request."""
        return str(self.message["id"])

    @property
    def call(self) -> Json:
        """The tool call that is asked about."""
        return self.message["params"]["toolCall"]

    @property
    def meta(self) -> Json:
        """What is said beside ACP."""
        return self.message["params"]["_meta"]["pilotfish"]

    @property
    def options(self) -> list[str]:
        """Ids of the options."""
        return [option["optionId"] for option in self.message["params"]["options"]]

    def fill(self, content: Json) -> None:
        """Send a form off."""
        self.client.reply(self.id, {"action": "accept", "content": content})

    def decline(self, feedback: str = "") -> None:
        """Say no to a form."""
        meta = {"_meta": {"pilotfish": {"feedback": feedback}}} if feedback else {}
        self.client.reply(self.id, {"action": "decline", **meta})

    def answer(self, option: str, **meta: Any) -> None:
        """Choose an option; ``meta`` is in the wire's spelling."""
        result: Json = {"outcome": {"outcome": "selected", "optionId": option}}
        if meta:
            result["_meta"] = {"pilotfish": meta}
        self.client.reply(self.id, result)

    @property
    def is_withdrawn(self) -> bool:
        """Whether the server has cancelled the request."""
        return any(
            one["method"] == "$/cancelRequest" and one["params"]["id"] == self.id
            for one in self.client.notifications
        )

    async def withdrawn(self) -> None:
        """Wait until the server has cancelled the request."""
        await self.client.wait_until(lambda: self.is_withdrawn or None, "withdrawal")


class Chat:
    """One session."""

    def __init__(self, client: WireClient, session_id: str, cwd: Path) -> None:
        self.client = client
        self.id = session_id
        self.cwd = cwd

    def send(self, text: str) -> Prompt:
        """Send a prompt."""
        content = [{"type": "text", "text": text}]
        params = {"sessionId": self.id, "prompt": content}
        return Prompt(*self.client.send_request("session/prompt", params))

    async def ask(self, text: str) -> str:
        """Send a prompt and wait for its stop reason."""
        return await self.send(text).stop_reason()

    def stop(self) -> None:
        """Stop the turn, as the Stop button does."""
        self.client.notify("session/cancel", {"sessionId": self.id})

    async def set_mode(self, mode: str) -> None:
        """Switch the permission mode."""
        await self.client.request("session/set_mode", {"sessionId": self.id, "modeId": mode})

    def agree(self) -> None:
        """Say yes to whatever is asked from here on."""
        answer = {"outcome": {"outcome": "selected", "optionId": "allow_once"}}
        self.client.answerers[ASK, self.id] = lambda _: answer

    async def snapshot(self, since: int = 0) -> Json:
        """Return what a fresh view gets."""
        params = {"sessionId": self.id, "sinceSeq": since}
        return await self.client.request("_pilotfish/session/snapshot", params)

    # --- what came ---

    def updates(self, kind: str | None = None) -> list[Json]:
        """Return the main agent's updates so far: all, or those of one ACP kind."""
        return self._updates_of("main", kind)

    def agent_facts(self, agent: str) -> list[Json]:
        """Return what ``_meta.pilotfish`` says in an agent's updates."""
        return [one["meta"] for one in self._updates_of(agent)]

    def agent_text(self, agent: str) -> str:
        """Return an agent's text so far, as it was sent."""
        found = self._updates_of(agent, "agent_message_chunk")
        return "".join(one["content"]["text"] for one in found)

    def _updates_of(self, agent: str, kind: str | None = None) -> list[Json]:
        # What stands for no event, such as the list of commands, has no place among them.
        found = [
            one
            for one in self.client.updates(kind)
            if one["sessionId"] == self.id and "_meta" in one
        ]
        updates = [{**one["update"], "meta": one["_meta"]["pilotfish"]} for one in found]
        return [one for one in updates if one["meta"]["agentId"] == agent]

    def facts(self, kind: str) -> list[Json]:
        """Return what ``_meta.pilotfish`` says in updates of one of our kinds."""
        return [one["meta"] for one in self.updates() if one["meta"]["kind"] == kind]

    def text(self) -> str:
        """Return the agent's text so far."""
        return "".join(one["content"]["text"] for one in self.updates("agent_message_chunk"))

    def commands(self) -> dict[str, Json]:
        """Return what can be typed behind a slash by name, as last told."""
        told = [
            one["update"]["availableCommands"]
            for one in self.client.updates("available_commands_update")
            if one["sessionId"] == self.id
        ]
        return {one["name"]: one for one in told[-1]} if told else {}

    def answers(self) -> list[Json]:
        """Return what Pilotfish itself has answered to commands so far."""
        return [one for one in self.updates("agent_message_chunk") if "command" in one["meta"]]

    def turns(self) -> list[Json]:
        """Return how the turns ended so far."""
        return [one["turn"] for one in self.facts("turn_ended")]

    def tool_updates(self, call_id: str) -> list[Json]:
        """Return the updates of a call."""
        return [one for one in self.updates() if one.get("toolCallId") == call_id]

    def questions(self) -> list[Question]:
        """Return the questions so far."""
        return [
            Question(self.client, one)
            for one in self.client.requests
            if one["method"] in (ASK, FORM) and one["params"]["sessionId"] == self.id
        ]

    async def question(self, number: int = 1) -> Question:
        """Wait for the session's n-th question."""
        return await self.client.wait_until(
            lambda: (self.questions()[number - 1 :] or [None])[0], f"question {number}"
        )

    async def wait_for_text(self, text: str) -> None:
        """Wait until the agent's text contains ``text``."""
        await self.client.wait_until(lambda: text in self.text() or None, f"text {text!r}")

    async def wait_for_call(self, call_id: str, status: str) -> Json:
        """Wait until a call has a status."""
        return await self.client.wait_until(
            lambda: next(
                (one for one in self.tool_updates(call_id) if one.get("status") == status), None
            ),
            f"{call_id} {status}",
        )

    async def wait_for_state(self, state: str) -> None:
        """Wait until the newest state that the server told is ``state``."""

        def newest() -> bool | None:
            states = [
                one["params"]["state"]
                for one in self.client.notifications
                if one["method"] == "_pilotfish/session/state"
                and one["params"]["sessionId"] == self.id
            ]
            return states[-1:] == [state] or None

        await self.client.wait_until(newest, f"state {state}")
