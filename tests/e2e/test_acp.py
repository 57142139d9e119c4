"""Another editor speaks pure ACP: its own library drives the real ``pilotfish acp``."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import acp
import pytest
import pytest_asyncio
from acp import schema
from acp.client.connection import ClientSideConnection
from pilotfish.core.jsontypes import JsonObject

from tests.support.stage import alive, assert_paired, body_of, environment, family, names_in
from tests.support.waiting import until
from tests.support.wire_client import WAIT_S
from tools.fake_model import FakeModel, Stall, ToolUse, Turn
from tools.fake_model import Usage as FakeUsage

pytestmark = pytest.mark.asyncio(loop_scope="session")


@dataclass
class EditorClient:
    """The editor's side: keeps the updates, answers questions as told."""

    updates: list[tuple[str, Any]] = field(default_factory=list[tuple[str, Any]])
    questions: list[Any] = field(default_factory=list[Any])
    answers: "asyncio.Queue[str | None]" = field(default_factory=asyncio.Queue[str | None])
    forms: list[tuple[str, Any]] = field(default_factory=list[tuple[str, Any]])
    content: dict[str, Any] = field(default_factory=dict[str, Any])
    """What every form is answered with."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.updates.append((session_id, update))
        self.changed.set()

    async def request_permission(
        self, session_id: str, tool_call: Any, options: list[Any], **_: Any
    ) -> schema.RequestPermissionResponse:
        self.questions.append((tool_call, options))
        self.changed.set()
        option = await self.answers.get()
        if option is None:
            return schema.RequestPermissionResponse(
                outcome=schema.DeniedOutcome(outcome="cancelled")
            )
        return schema.RequestPermissionResponse(
            outcome=schema.AllowedOutcome(outcome="selected", option_id=option)
        )

    async def create_elicitation(
        self, message: str, mode: Any, **_: Any
    ) -> schema.AcceptElicitationResponse:
        self.forms.append((message, mode))
        return schema.AcceptElicitationResponse(action="accept", content=self.content)

    def of(self, session_id: str, kind: str | None = None) -> list[Any]:
        """Return the updates of a session, all or of one kind."""
        return [
            update
            for session, update in self.updates
            if session == session_id and kind in (None, update.session_update)
        ]

    def text(self, session_id: str, kind: str = "agent_message_chunk") -> str:
        return "".join(update.content.text for update in self.of(session_id, kind))

    async def wait(self, condition: Any) -> None:
        async with asyncio.timeout(WAIT_S):
            while not condition():
                self.changed.clear()
                await self.changed.wait()


@dataclass
class Acp:
    """An editor connected with the agent."""

    fake: FakeModel
    client: EditorClient
    agent: ClientSideConnection
    initialized: schema.InitializeResponse
    pid: int

    async def new(self, cwd: Path) -> str:
        return (await self.agent.new_session(cwd=str(cwd), mcp_servers=[])).session_id

    async def prompt(self, session_id: str, text: str) -> str:
        answer = self.agent.prompt(session_id=session_id, prompt=[acp.text_block(text)])
        return (await asyncio.wait_for(answer, WAIT_S)).stop_reason


@asynccontextmanager
async def connect(
    fake: FakeModel,
    folder: Path,
    capabilities: schema.ClientCapabilities | None = None,
    client: Any = None,
    *,
    has_model: bool = True,
) -> AsyncGenerator[Acp]:
    client = client or EditorClient()
    async with acp.spawn_agent_process(
        client,
        sys.executable,
        *("-m", "pilotfish", "acp"),
        env=environment(folder / "home", fake.url if has_model else None),
        cwd=folder,
        use_unstable_protocol=True,
        transport_kwargs={"stderr": None, "shutdown_timeout": WAIT_S},
    ) as (agent, process):
        initialized = await agent.initialize(
            protocol_version=acp.PROTOCOL_VERSION, client_capabilities=capabilities
        )
        yield Acp(fake, client, agent, initialized, process.pid)
        processes = family(process.pid)
    assert process.returncode == 0
    await until(lambda: not alive(processes))


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def editor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Acp]:
    async with FakeModel() as fake, connect(fake, tmp_path_factory.mktemp("acp")) as found:
        yield found


@pytest_asyncio.fixture(loop_scope="session")
async def fake(editor: Acp) -> AsyncIterator[FakeModel]:
    editor.fake.reset()
    yield editor.fake
    assert editor.fake.problems == []
    assert editor.fake.unused_turns == []


async def test_the_agent_introduces_itself(editor: Acp) -> None:
    assert editor.initialized.protocol_version == 1
    assert editor.initialized.agent_info is not None
    assert editor.initialized.agent_info.name == "pilotfish"
    assert editor.initialized.agent_capabilities is not None
    assert editor.initialized.agent_capabilities.load_session is True
    assert editor.initialized.auth_methods == []


AUTH_REQUIRED = -32000


async def test_an_editor_is_told_how_to_come_to_a_model(tmp_path: Path) -> None:
    settings = tmp_path / "home" / ".pilotfish" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text('{"model": {"provider": "anthropic"}}')
    async with FakeModel() as fake, connect(fake, tmp_path, has_model=False) as editor:
        methods = editor.initialized.auth_methods or []
        assert [method.id for method in methods] == ["anthropic-api-key", "messages-api-address"]
        assert "ANTHROPIC_API_KEY" in (methods[0].description or "")
        with pytest.raises(acp.RequestError, match="wants a key") as refused:
            await editor.new(tmp_path)
        assert refused.value.code == AUTH_REQUIRED
        assert "ANTHROPIC_API_KEY" in str(refused.value)
        with pytest.raises(acp.RequestError) as still:
            await editor.agent.authenticate(method_id="anthropic-api-key")
        assert still.value.code == AUTH_REQUIRED
        with pytest.raises(acp.RequestError, match="methodId"):
            await editor.agent.authenticate(method_id="magic")

        settings.write_text(f'{{"model": {{"provider": "anthropic", "baseUrl": "{fake.url}"}}}}')
        await editor.agent.authenticate(method_id="messages-api-address")
        fake.play(["Hello."])
        session = await editor.new(tmp_path)
        assert await editor.prompt(session, "Hi") == "end_turn"
        assert editor.client.text(session) == "Hello."


async def test_without_any_model_the_demo_answers_and_the_ways_to_one_are_offered(
    tmp_path: Path,
) -> None:
    async with FakeModel() as fake, connect(fake, tmp_path, has_model=False) as editor:
        assert len(editor.initialized.auth_methods or []) == 2
        with pytest.raises(acp.RequestError, match="No model is configured") as refused:
            await editor.agent.authenticate(method_id="anthropic-api-key")
        assert refused.value.code == AUTH_REQUIRED
        session = await editor.new(tmp_path)
        assert await editor.prompt(session, "What is the weather?") == "end_turn"
        assert "ANTHROPIC_API_KEY" in editor.client.text(session)


async def test_a_prompt_streams_asks_and_ends(editor: Acp, fake: FakeModel, tmp_path: Path) -> None:
    fake.play(
        [
            Turn(["I write it.", ToolUse("Write", {"file_path": "a.txt", "content": "a\n"})]),
            "Written.",
        ]
    )
    session = await editor.new(tmp_path)
    editor.client.questions.clear()
    editor.client.answers.put_nowait("allow_once")

    assert await editor.prompt(session, "Write a.txt") == "end_turn"

    assert editor.client.text(session) == "I write it.Written."
    assert (tmp_path / "a.txt").read_text() == "a\n"
    ((call, options),) = editor.client.questions
    assert [one.option_id for one in options] == ["allow_once", "allow_always", "reject_once"]
    assert call.content[0].path == str(tmp_path / "a.txt")
    statuses = [one.status for one in editor.client.of(session, "tool_call_update")]
    assert statuses == ["in_progress", "completed"]
    # The editor shows what its user typed by itself.
    assert editor.client.of(session, "user_message_chunk") == []


async def test_a_cancelled_prompt_says_so(editor: Acp, fake: FakeModel, tmp_path: Path) -> None:
    fake.play([Turn("Slowly spoken.", faults=[Stall(after_events=3)]), "Again."])
    session = await editor.new(tmp_path)
    prompt = asyncio.ensure_future(editor.prompt(session, "Talk"))
    await fake.wait_for_stall(timeout_s=WAIT_S)
    await editor.agent.cancel(session_id=session)
    assert await prompt == "cancelled"
    assert await editor.prompt(session, "Once more") == "end_turn"


async def test_a_cancel_withdraws_the_question(
    editor: Acp, fake: FakeModel, tmp_path: Path
) -> None:
    fake.play([Turn([ToolUse("Bash", {"command": "touch a"})]), "As you like."])
    session = await editor.new(tmp_path)
    editor.client.questions.clear()
    prompt = asyncio.ensure_future(editor.prompt(session, "Touch"))
    await editor.client.wait(lambda: editor.client.questions)
    await editor.agent.cancel(session_id=session)
    assert await prompt == "cancelled"
    editor.client.answers.put_nowait(None)
    assert await editor.prompt(session, "Go on") == "end_turn"
    assert_paired(body_of(fake))
    assert names_in(tmp_path) == []


async def test_a_mode_can_be_chosen(editor: Acp, fake: FakeModel, tmp_path: Path) -> None:
    fake.play([Turn([ToolUse("Write", {"file_path": "a", "content": "a"})]), "Planned."])
    session = await editor.new(tmp_path)
    await editor.agent.set_session_mode(session_id=session, mode_id="plan")
    assert await editor.prompt(session, "Plan") == "end_turn"
    assert names_in(tmp_path) == []


async def test_a_closed_session_is_listed_and_replayed(
    editor: Acp, fake: FakeModel, tmp_path: Path
) -> None:
    fake.play(["First answer.", "Second answer."])
    session = await editor.new(tmp_path)
    assert await editor.prompt(session, "First prompt") == "end_turn"
    await editor.agent.close_session(session_id=session)
    editor.client.updates.clear()

    listed = await editor.agent.list_sessions(cwd=str(tmp_path))
    assert [(one.session_id, one.title) for one in listed.sessions] == [(session, "First prompt")]
    await editor.agent.load_session(cwd=str(tmp_path), session_id=session, mcp_servers=[])

    assert editor.client.text(session, "user_message_chunk") == "First prompt"
    assert editor.client.text(session) == "First answer."
    assert await editor.prompt(session, "Second prompt") == "end_turn"
    assert len(body_of(fake)["messages"]) == 3
    assert editor.client.text(session, "user_message_chunk") == "First prompt"


async def test_why_a_turn_failed_is_said_in_the_conversation_and_again_when_it_is_loaded(
    editor: Acp, fake: FakeModel, tmp_path: Path
) -> None:
    fake.play([Turn(error="unauthorized"), "I am here."])
    session = await editor.new(tmp_path)
    assert await editor.prompt(session, "Hello") == "end_turn"
    said = editor.client.text(session)
    assert said.startswith("\n\n[Pilotfish] ")
    assert "did not accept the key" in said
    assert await editor.prompt(session, "Once more") == "end_turn"
    assert editor.client.text(session) == f"{said}I am here."
    # It is no word of the model's.
    assert "did not accept" not in json.dumps(body_of(fake)["messages"])
    await editor.agent.close_session(session_id=session)
    editor.client.updates.clear()
    await editor.agent.load_session(cwd=str(tmp_path), session_id=session, mcp_servers=[])
    assert editor.client.text(session) == f"{said}I am here."


async def test_wrong_requests_are_errors_and_the_connection_lives(
    editor: Acp, tmp_path: Path
) -> None:
    for call in (
        editor.agent.new_session(cwd="relative", mcp_servers=[]),
        editor.agent.load_session(cwd=str(tmp_path), session_id="nope", mcp_servers=[]),
        editor.agent.prompt(session_id="nope", prompt=[acp.text_block("x")]),
        editor.agent.ext_method("no_such", {}),
    ):
        with pytest.raises(acp.RequestError):
            await call
    # An id that is not running (any more) is no reason to hang up.
    await editor.agent.ext_notification("no_such", {})
    assert (await editor.agent.list_sessions(cwd=str(tmp_path))).sessions == []


async def test_lines_that_make_no_sense_are_refused_one_by_one(tmp_path: Path) -> None:
    lines = [
        b"{nonsense",
        b"[1]",
        b"{}",
        b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":77}}',
        b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":[1]}}',
        b'{"jsonrpc":"2.0","id":[1],"method":"session/list"}',
        b'{"jsonrpc":"2.0","id":null,"result":1}',
        b"\xff\xfe",
        b" " * (11 * 1024 * 1024),
        b'{"jsonrpc":"2.0","id":5,"method":"session/prompt","params":{"sessionId":"far-away","prompt":"'
        + b"x" * (11 * 1024 * 1024),
        b'{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}',
    ]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pilotfish", "acp"),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE, env=environment(tmp_path / "home"),
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"\n".join(lines) + b"\n")
    found: list[bytes] = []
    while not found or b'"result"' not in found[-1]:
        found.append(await asyncio.wait_for(process.stdout.readline(), WAIT_S))
    process.stdin.close()
    _, log = await asyncio.wait_for(process.communicate(), WAIT_S)
    assert process.returncode == 0
    assert [b"-32700" in one for one in found].count(True) == 2
    assert [b"-32600" in one for one in found].count(True) == 5
    [refused] = [one for one in found if b'"id":5' in one]
    assert b"session/prompt has 11,534," in refused
    assert b"the limit is 10,485,760" in refused
    assert b"session far-away: session/prompt has 11,534," in log


FORM: JsonObject = {
    "questions": [
        {
            "question": "Which way?",
            "header": "Way",
            "options": [{"label": one, "description": ""} for one in ("Left", "Right")],
        }
    ]
}


async def test_an_editor_with_forms_shows_the_models_questions(tmp_path: Path) -> None:
    forms = schema.ElicitationCapabilities(form=schema.ElicitationFormCapabilities())
    capabilities = schema.ClientCapabilities(elicitation=forms)
    turns = [Turn([ToolUse("AskUserQuestion", FORM)]), "Left, then."]
    async with FakeModel(turns) as fake, connect(fake, tmp_path, capabilities) as editor:
        session = await editor.new(tmp_path)
        editor.client.content = {"question_1": "Left"}
        assert await editor.prompt(session, "Turn") == "end_turn"
        ((message, _),) = editor.client.forms
        assert message == "Which way?"
        assert "- Which way? Left" in str(body_of(fake)["messages"][-1])


async def test_without_forms_the_model_decides_itself(
    editor: Acp, fake: FakeModel, tmp_path: Path
) -> None:
    fake.play([Turn([ToolUse("AskUserQuestion", FORM)]), "Left, then."])
    session = await editor.new(tmp_path)
    assert await editor.prompt(session, "Turn") == "end_turn"
    assert editor.client.forms == []
    assert "Decide yourself" in str(body_of(fake)["messages"][-1])


async def test_a_plan_is_approved_with_acps_own_options(
    editor: Acp, fake: FakeModel, tmp_path: Path
) -> None:
    session = await editor.new(tmp_path)
    home = next(path for path in tmp_path.parent.glob("acp*/home/.pilotfish") if path.is_dir())
    plan = home / "plans" / f"plan.{session}.md"
    fake.play(
        [
            Turn([ToolUse("Write", {"file_path": str(plan), "content": "# Turn left\n"})]),
            Turn([ToolUse("ExitPlanMode", {})]),
            "I begin.",
        ]
    )
    await editor.agent.set_session_mode(session_id=session, mode_id="plan")
    editor.client.questions.clear()
    editor.client.answers.put_nowait("start_accept_edits")
    assert await editor.prompt(session, "Plan") == "end_turn"
    ((call, options),) = editor.client.questions
    assert call.kind == "switch_mode"
    assert call.content[0].content.text == "# Turn left\n"
    kinds = [one.kind for one in options]
    assert kinds == ["allow_once", "allow_always", "allow_once", "reject_once"]
    modes = [one.current_mode_id for one in editor.client.of(session, "current_mode_update")]
    assert modes == ["plan", "acceptEdits"]


async def test_the_editor_is_told_what_was_used(
    editor: Acp, fake: FakeModel, tmp_path: Path
) -> None:
    fake.play([Turn("Done.", usage=FakeUsage(input=900, output=100))])
    session = await editor.new(tmp_path)
    await editor.prompt(session, "Hello")
    (update,) = editor.client.of(session, "usage_update")
    assert update.used == 1_000
    assert update.size >= 200_000
    assert update.cost.currency == "USD"
    assert update.cost.amount > 0
