"""The whole product on a stage: the real server, a scripted model, a folder to work in.

Owns: starting and checking them. Nothing that a test starts may be left when it ends.
Does not own: a session's talk (``chat``), the wire (``wire_client``).
"""

import json
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from tests.support.chat import Chat
from tests.support.waiting import until
from tests.support.wire_client import WAIT_S, Json, WireClient
from tests.support.wire_editor import WireEditor
from tools.fake_model import FakeModel
from tools.fake_model.scenario import ScenarioSource

KEY = "test-key-1234567890"
"""What stands for the user's key; it must not show up anywhere."""

SCRIPTED = "scripted"
"""Instead of a URL: the fake model of the stage."""


CLONE = Path(__file__).resolve().parents[2]

OWN_PROGRAMS = (CLONE / ".venv" / "bin", CLONE / "node_modules" / ".bin")
"""Where the clone's own language servers are; the server under test sees them only when a test says so."""


def usual_path() -> str:
    """Return the PATH without the clone's own programs, which would be found as language servers."""
    own = {str(folder) for folder in OWN_PROGRAMS}
    return os.pathsep.join(one for one in os.environ["PATH"].split(os.pathsep) if one not in own)


def path_with_own_programs() -> str:
    """Return the PATH with the clone's own programs in front."""
    return os.pathsep.join([*map(str, OWN_PROGRAMS), usual_path()])


def environment(home: Path, url: str | None = None, **more: str) -> dict[str, str]:
    """Return a clean environment: a home of its own, the model at ``url`` (None: the demo)."""
    home.mkdir(parents=True, exist_ok=True)
    found = {
        "PATH": usual_path(),
        "HOME": str(home),
        "PILOTFISH_HOME": str(home / ".pilotfish"),
        "LANG": "C.UTF-8",
    }
    if url is not None:
        found |= {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": KEY}
    return found | more


def alive(pids: set[int]) -> set[int]:
    """Return which of the processes still run; those that nobody has reaped do not count."""
    found: set[int] = set()
    for pid in pids:
        try:
            if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                found.add(pid)
        except psutil.NoSuchProcess:
            continue
    return found


def family(pid: int) -> set[int]:
    """Return the process and everything below it."""
    try:
        return {pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))}
    except psutil.NoSuchProcess:
        return set()


@dataclass
class Stage:
    """A server and its model; sessions of several tests may share it."""

    fake: FakeModel
    client: WireClient
    editor: WireEditor
    home: Path
    project: Path
    """Where sessions begin; each test has its own."""
    initialized: Json = field(default_factory=dict[str, Any])
    """The server's answer to ``initialize``."""
    chats: list[Chat] = field(default_factory=list[Chat])
    """Sessions that were begun or loaded."""

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        folder: Path,
        *,
        url: str | None = SCRIPTED,
        variables: Mapping[str, str] | None = None,
        locale: str | None = None,
        options: Json | None = None,
        **capabilities: Any,
    ) -> AsyncGenerator["Stage"]:
        """Start everything in a folder; at the end the server must leave without a trace.

        Args:
            folder: Gets the home and the workspace, which may be there already.
            url: Where the server looks for its model; None for the demo.
            variables: On top of the server's environment.
            locale: The editor's language; None leaves it open.
            options: On top of the usual ``initializationOptions``.
            capabilities: On top of the client's usual ones.
        """
        root = folder / "workspace"
        root.mkdir(exist_ok=True)
        async with FakeModel() as fake:
            home = folder / "home"
            client = await WireClient.start(
                environment(home, fake.url if url == SCRIPTED else url, **(variables or {})),
                cwd=folder,
            )
            stage = cls(fake, client, WireEditor(client), home, root)
            try:
                stage.initialized = await client.initialize(
                    root, locale=locale, options=options, **capabilities
                )
                yield stage
                await stage._leave()
            finally:
                if client.process.returncode is None:
                    client.process.kill()
                    await client.wait_for_exit()

    async def _leave(self) -> None:
        processes = family(self.client.process.pid)
        assert await self.client.stop() == 0
        await until(lambda: not alive(processes))
        self.check_log()

    def check_log(self) -> None:
        """Fail when the server's log tells of a fault, or shows the key."""
        log = "\n".join(self.client.stderr)
        assert "Traceback" not in log, log
        assert KEY not in log

    def play(self, source: ScenarioSource) -> None:
        """Set what the model says from here on."""
        self.fake.reset()
        self.fake.play(source)

    async def chat(self, **meta: Any) -> Chat:
        """Begin a session in the project; ``meta`` is that of ``session/new``."""
        params: Json = {"cwd": str(self.project), "mcpServers": []}
        if meta:
            params["_meta"] = {"pilotfish": meta}
        result = await self.client.request("session/new", params)
        return self._chat(result["sessionId"])

    async def reload(self, session_id: str, how: str = "load") -> tuple[Chat, Json]:
        """Load or resume a session; returns it with the answer."""
        params: Json = {"sessionId": session_id, "cwd": str(self.project), "mcpServers": []}
        result = await self.client.request(f"session/{how}", params)
        return self._chat(session_id), result

    async def clear(self) -> None:
        """Take back what a test opened or set; fails when a child is left then."""
        for chat in self.chats:
            await self.client.request("session/close", {"sessionId": chat.id})
        self.chats.clear()
        for path in list(self.editor.documents):
            self.editor.close(path)
        (self.home / ".pilotfish" / "settings.json").unlink(missing_ok=True)
        left = {one["pid"] for one in await self.children()}
        await until(lambda: not alive(left))

    def _chat(self, session_id: str) -> Chat:
        chat = Chat(self.client, session_id, self.project)
        self.chats.append(chat)
        return chat

    def write(self, name: str, text: str) -> Path:
        """Put a file into the project."""
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path

    def settings(self, name: str = "settings.json", **permissions: Any) -> Path:
        """Put a settings file with permissions into the project."""
        return self.write(f".pilotfish/{name}", json.dumps({"permissions": permissions}))

    async def stalled(self, count: int = 1) -> None:
        """Wait until the model has fallen silent as its script says."""
        await self.fake.wait_for_stall(count=count, timeout_s=WAIT_S)

    # --- what the model saw ---

    def body(self, number: int = -1) -> Json:
        """Return the body of a request to the model: the newest, or counted from 0."""
        return body_of(self.fake, number)

    def results(self, number: int = -1) -> list[Json]:
        """Return the tool results in the newest message of a request."""
        return [one for one in self.said(number) if one["type"] == "tool_result"]

    def said(self, number: int = -1) -> list[Json]:
        """Return the content of the newest message of a request."""
        content = self.body(number)["messages"][-1]["content"]
        return [{"type": "text", "text": content}] if isinstance(content, str) else content

    async def children(self) -> list[Json]:
        """Return the server's children."""
        stats = await self.client.request("_pilotfish/testing/stats", {})
        return stats["children"]


def body_of(fake: FakeModel, number: int = -1) -> Json:
    """Return the body of a request to a fake model: the newest, or counted from 0."""
    return dict(fake.requests[number].body)


def names_in(folder: Path) -> list[str]:
    """Return the names of what is in a folder, sorted."""
    return sorted(one.name for one in folder.iterdir())


def text_of(block: Json) -> str:
    """Return the text of a content block or tool result."""
    content: Any = block.get("content", block.get("text"))
    if isinstance(content, str):
        return content
    parts: list[Json] = content or []
    return "\n".join(one["text"] for one in parts if one["type"] == "text")


def all_text(body: Json) -> str:
    """Return everything that a request says, as JSON."""
    return json.dumps(body["messages"], ensure_ascii=False)


def assert_paired(body: Json) -> None:
    """Fail unless every call in a request has exactly one result, in the next message, in order."""
    messages = body["messages"]
    for at, message in enumerate(messages):
        if message["role"] != "assistant" or isinstance(message["content"], str):
            continue
        calls = [one["id"] for one in message["content"] if one["type"] == "tool_use"]
        after: Any = messages[at + 1]["content"] if at + 1 < len(messages) else ""
        blocks: list[Json] = [] if isinstance(after, str) else after
        results = [one["tool_use_id"] for one in blocks if one["type"] == "tool_result"]
        assert results == calls
