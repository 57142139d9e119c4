"""Every event reaches the client in words of the protocol."""

from dataclasses import dataclass
from typing import Any, get_args

import pytest
from acp import schema
from pilotfish.core.agent_events import (
    AgentBackgrounded,
    AgentEnded,
    AgentResumed,
    AgentSpent,
    AgentStarted,
    AgentTold,
    AgentTreeSettled,
)
from pilotfish.core.agents import AgentFacts, AgentOutcome
from pilotfish.core.background import BackgroundTask
from pilotfish.core.calls import DiffDisplay, Location, TextDisplay
from pilotfish.core.commands import CommandAnswered, CommandTyped, SkillInvoked
from pilotfish.core.events import (
    BackgroundEnded,
    BackgroundKept,
    BackgroundStarted,
    BackgroundTold,
    BlockFinished,
    ContextCleared,
    ConversationRewound,
    DecisionMade,
    EffortChanged,
    EventRecord,
    FileChanged,
    KeptEvent,
    MediaDropped,
    ModeChanged,
    ModelChanged,
    NoteAdded,
    PlanApproved,
    PriceMissing,
    PromptDropped,
    PromptQueued,
    PromptSubmitted,
    QuestionAsked,
    QuestionResolved,
    ReplyDiscarded,
    ReplyFinished,
    ResultShortened,
    RuleGranted,
    RuleRevoked,
    SessionCreated,
    SessionEvent,
    SideCallFinished,
    TitleChanged,
    TodosChanged,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from pilotfish.core.ids import (
    MAIN_AGENT,
    AgentId,
    CheckpointId,
    MessageId,
    RequestId,
    SessionId,
    TaskId,
    ToolUseId,
    TurnId,
)
from pilotfish.core.messages import (
    AssistantBlock,
    ImageBlock,
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from pilotfish.core.passing_events import (
    PASSING,
    AgentsChanged,
    BlockDelta,
    CommandsChanged,
    PassingEvent,
    RetryScheduled,
    ReviewChanged,
    StateChanged,
    StatusLineChanged,
    ToolOutput,
    UserWarned,
)
from pilotfish.core.permission import PermissionQuestion, PermissionRule
from pilotfish.core.queue_events import PromptMoved, PromptRevised
from pilotfish.core.todos import TodoItem
from pilotfish.core.worktree_events import SessionWorktree, WorktreeEntered, WorktreeLeft
from pilotfish.edges.updates import UpdateMapper, notice_of
from pilotfish.wire.session import UpdateMeta

SESSION = SessionId("s-1")
MESSAGE = MessageId("m-1")
CALL = ToolUseId("toolu_1")
TURN = TurnId("t-1")
FOREIGN: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "no-name": None, "": [True, {"method": "x"}]}
RULE = PermissionRule(source="session", behavior="allow", tool="Bash", content="ls:*")
IMAGE = ImageBlock(media_type="image/png", data="aGk=")

TASK = BackgroundTask(
    task_id=TaskId("bash_1"), title="make", tool_use_id=CALL, output_path="/o.txt", started_ms=1
)

TREE = SessionWorktree(
    slug="pond",
    path="/w/.pilotfish/worktrees/pond",
    branch="worktree/pond",
    repository="/w",
    base=None,
    folder="/w/.pilotfish/worktrees/pond",
)

AGENT = AgentFacts(
    agent_id=AgentId("a1"),
    agent_type="Explore",
    description="find the parser",
    prompt="Where is it?",
    name=None,
    parent=MAIN_AGENT,
    parent_call=CALL,
    depth=1,
    model="m",
    color="",
    is_background=True,
    cwd="/w",
    started_ms=1,
)

QUESTION = PermissionQuestion(
    request_id=RequestId("r-1"),
    session_id=SESSION,
    agent_id=MAIN_AGENT,
    tool_use_id=CALL,
    tool="Bash",
    title="ls",
    input=FOREIGN,
    reason="because",
    risk="normal",
    suggestions=(),
    hide_always=False,
)


def finished(block: AssistantBlock) -> BlockFinished:
    return BlockFinished(message_id=MESSAGE, block_index=0, block=block)


def tool_finished(status: Any, *display: Any) -> ToolFinished:
    content = (TextBlock(text="said"), IMAGE)
    return ToolFinished(tool_use_id=CALL, status=status, content=content, display=display)


@dataclass(frozen=True)
class Case:
    """An event, and the ACP update and our kind that it must become."""

    event: SessionEvent
    updates: tuple[str, ...]
    kind: str = "other"


INFO = ("session_info_update",)

CASES = [
    Case(
        SessionCreated(session_id=SESSION, cwd="/w", version="1", mode="default", model="m"), INFO
    ),
    Case(
        PromptSubmitted(
            message_id=MESSAGE,
            content=(TextBlock(text="hi"), IMAGE),
            context=(TextBlock(text="not shown"),),
        ),
        ("user_message_chunk", "user_message_chunk"),
        "prompt",
    ),
    Case(
        PromptQueued(message_id=MESSAGE, content=(TextBlock(text="hi"),)),
        ("user_message_chunk",),
        "queued",
    ),
    Case(PromptDropped(message_id=MESSAGE), ("user_message_chunk",), "discarded"),
    Case(PromptRevised(message_id=MESSAGE, text="more", revision=1), INFO, "queue"),
    Case(PromptMoved(message_id=MESSAGE, before=None), INFO, "queue"),
    Case(TurnStarted(turn_id=TURN, model="m"), INFO, "turn_started"),
    Case(finished(TextBlock(text="hello")), ("agent_message_chunk",), "text"),
    Case(finished(ThinkingBlock(text="hm", signature="s")), ("agent_thought_chunk",), "thinking"),
    Case(finished(RedactedThinkingBlock(data="x")), INFO),
    Case(finished(ToolUseBlock(id=CALL, name="Bash", input=FOREIGN)), ("tool_call",), "tool"),
    Case(
        ReplyFinished(
            message_id=MESSAGE, model="m", stop_reason="end_turn", usage=Usage(), cost_usd=None
        ),
        INFO,
    ),
    Case(EffortChanged(effort="high"), INFO, "other"),
    Case(SideCallFinished(purpose="title", model="m", usage=Usage(), cost_usd=None), INFO, "other"),
    Case(ReplyDiscarded(message_id=MESSAGE), ("agent_message_chunk",), "discarded"),
    Case(
        ToolStarted(
            tool_use_id=CALL,
            tool="Bash",
            title="ls",
            kind="execute",
            input=FOREIGN,
            locations=(Location(path="/w/a", line=3), Location(path="/w/b")),
        ),
        ("tool_call_update",),
        "tool",
    ),
    Case(ResultShortened(tool_use_id=CALL, content=(TextBlock(text="head"),)), INFO),
    Case(MediaDropped(why="too large"), INFO),
    Case(tool_finished("completed"), ("tool_call_update",), "tool"),
    Case(tool_finished("failed", TextDisplay(text="shown")), ("tool_call_update",), "tool"),
    Case(tool_finished("denied"), ("tool_call_update",), "tool"),
    Case(
        tool_finished(
            "interrupted",
            DiffDisplay(path="/w/a", old_text=None, new_text="n"),
            DiffDisplay(path="/w/a", old_text="o", new_text="n"),
        ),
        ("tool_call_update",),
        "tool",
    ),
    Case(NoteAdded(text="mind this", origin="diagnostics"), INFO, "note"),
    Case(PriceMissing(model="m", text="no price"), INFO, "notice"),
    Case(QuestionAsked(question=QUESTION), INFO),
    Case(QuestionResolved(request_id=RequestId("r-1"), answer="allow_once"), INFO),
    Case(
        DecisionMade(
            tool_use_id=CALL, tool="Bash", behavior="allow", phase="user", reason="so", rule=RULE
        ),
        INFO,
        "decision",
    ),
    Case(RuleGranted(rule=RULE), INFO),
    Case(RuleRevoked(rule=RULE), INFO),
    Case(UserWarned(text="not saved"), ()),
    Case(ModeChanged(mode="plan", previous="default", cause="user"), ("current_mode_update",)),
    Case(PlanApproved(plan_path="/p.md", allowed_prompts=("run the tests",)), INFO),
    Case(ContextCleared(), INFO, "context_cleared"),
    Case(ConversationRewound(message_id=MESSAGE), INFO, "rewound"),
    Case(ReviewChanged(paths=("/w/a",)), ()),
    Case(AgentsChanged(revision=3), ()),
    Case(ModelChanged(model="n"), INFO),
    Case(
        TodosChanged(todos=(TodoItem(content="a", status="in_progress", active_form="doing a"),)),
        ("plan",),
    ),
    Case(TodosChanged(todos=()), ("plan",)),
    Case(
        FileChanged(
            path="/w/a",
            tool_use_id=CALL,
            checkpoint_id=CheckpointId("c"),
            added_lines=1,
            removed_lines=2,
            created=True,
        ),
        INFO,
        "file_changed",
    ),
    Case(BackgroundStarted(task=TASK), INFO, "task"),
    Case(
        BackgroundEnded(task_id=TASK.task_id, status="failed", outcome="exit code 1"), INFO, "task"
    ),
    Case(BackgroundKept(task_id=TASK.task_id, kept=True), INFO, "task"),
    Case(BackgroundTold(task_id=TASK.task_id), INFO),
    Case(AgentStarted(facts=AGENT), INFO, "agent"),
    Case(AgentBackgrounded(agent_id=AGENT.agent_id), INFO, "agent"),
    Case(AgentSpent(agent_id=AGENT.agent_id, model="m", usage=Usage(), cost_usd=None), INFO),
    Case(
        AgentEnded(
            agent_id=AGENT.agent_id, outcome=AgentOutcome(status="completed", text="found it")
        ),
        INFO,
        "agent",
    ),
    Case(AgentTreeSettled(agent_id=AGENT.agent_id, kept=True), INFO),
    Case(AgentTold(agent_id=AGENT.agent_id), INFO),
    Case(AgentResumed(agent_id=AGENT.agent_id), INFO, "agent"),
    Case(WorktreeEntered(worktree=TREE), INFO),
    Case(WorktreeLeft(path=TREE.path, how="kept"), INFO),
    Case(TitleChanged(title="a name"), INFO),
    Case(
        TurnEnded(turn_id=TURN, reason="model_error", message="no", usage=Usage(input_tokens=3)),
        INFO,
        "turn_ended",
    ),
    Case(
        BlockDelta(message_id=MESSAGE, block_index=1, kind="text", text="he"),
        ("agent_message_chunk",),
        "text",
    ),
    Case(
        BlockDelta(message_id=MESSAGE, block_index=0, kind="thinking", text="h"),
        ("agent_thought_chunk",),
        "thinking",
    ),
    Case(ToolOutput(tool_use_id=CALL, text="so far"), ("tool_call_update",), "output"),
    Case(RetryScheduled(attempt=1, max_attempts=3, delay_ms=5, message="busy"), INFO, "retry"),
    Case(StateChanged(state="idle"), ()),
    Case(StatusLineChanged(text="line"), ()),
    Case(CommandsChanged(), ()),
    Case(SkillInvoked(skill="tdd", path="/s", arguments="", message_id=MESSAGE, text="Do."), INFO),
    Case(
        CommandTyped(message_id=MESSAGE, command="mode", content=(TextBlock(text="/mode"),)),
        ("user_message_chunk",),
        "prompt",
    ),
    Case(
        CommandAnswered(message_id=MESSAGE, command="mode", text="plan"),
        ("agent_message_chunk",),
        "text",
    ),
]


def record(event: SessionEvent, seq: int = 7) -> EventRecord:
    return EventRecord(seq=seq, time_ms=1, event=event, turn_id=TURN, agent_id=MAIN_AGENT)


def test_there_is_a_case_for_every_kind_of_event() -> None:
    known = {*get_args(KeptEvent), *get_args(PassingEvent)}
    assert set(PASSING) == set(get_args(PassingEvent))
    assert {type(case.event) for case in CASES} == known
    blocks = {type(case.event.block) for case in CASES if isinstance(case.event, BlockFinished)}
    assert blocks == set(get_args(AssistantBlock))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.event.type)
def test_an_event_becomes_valid_updates(case: Case) -> None:
    found = UpdateMapper(SESSION).map(record(case.event))
    assert tuple(one["update"]["sessionUpdate"] for one in found) == case.updates
    for params in found:
        notification = schema.SessionNotification.model_validate(params)
        back = notification.model_dump(mode="json", by_alias=True, exclude_unset=True)
        assert back == params, "every field is one of the protocol's"
        meta = UpdateMeta.model_validate(params["_meta"]["pilotfish"])
        assert meta.seq == 7
        assert meta.turn_id == TURN
        assert meta.kind == case.kind


@pytest.mark.parametrize("kind", get_args(KeptEvent))
def test_every_kept_event_carries_its_seq_to_the_client(kind: type[KeptEvent]) -> None:
    for case in CASES:
        if isinstance(case.event, kind):
            found = UpdateMapper(SESSION).map(record(case.event, seq=41))
            assert found
            assert {one["_meta"]["pilotfish"]["seq"] for one in found} == {41}


def test_streamed_text_is_not_sent_twice() -> None:
    mapper = UpdateMapper(SESSION)
    delta = BlockDelta(message_id=MESSAGE, block_index=0, kind="text", text="hello")
    block = finished(TextBlock(text="hello"))
    texts = [
        one["update"]["content"]["text"]
        for event in (delta, block)
        for one in mapper.map(record(event))
    ]
    assert texts == ["hello", ""]
    (again,) = UpdateMapper(SESSION).map(record(block))
    assert again["update"]["content"]["text"] == "hello"
    assert again["_meta"]["pilotfish"]["final"] is True


def test_a_tools_input_passes_whatever_its_keys_are() -> None:
    for event in (
        finished(ToolUseBlock(id=CALL, name="Bash", input=FOREIGN)),
        ToolStarted(tool_use_id=CALL, tool="B", title="t", kind="other", input=FOREIGN),
    ):
        (params,) = UpdateMapper(SESSION).map(record(event))
        assert params["update"]["rawInput"] == FOREIGN


def test_what_the_editor_added_to_a_prompt_is_not_shown() -> None:
    event = PromptSubmitted(
        message_id=MESSAGE, content=(TextBlock(text="hi"),), context=(TextBlock(text="secret"),)
    )
    assert "secret" not in str(UpdateMapper(SESSION).map(record(event)))


def test_later_events_of_an_agent_say_which_one_it_is() -> None:
    mapper = UpdateMapper(SESSION)
    mapper.map(record(AgentStarted(facts=AGENT)))
    outcome = AgentOutcome(status="killed", text="", error="it was stopped")
    [params] = mapper.map(record(AgentEnded(agent_id=AGENT.agent_id, outcome=outcome), 8))
    assert params["_meta"]["pilotfish"]["agent"] == {
        "agentId": "a1",
        "agentType": "Explore",
        "description": "find the parser",
        "change": "ended",
        "status": "stopped",
        "isBackground": False,
        "outcome": "it was stopped",
    }


def test_where_no_update_tells_it_people_hear_of_ends_and_long_waits_in_words() -> None:
    def wait(delay_ms: int) -> str:
        busy = "The model is busy."
        return notice_of(RetryScheduled(attempt=1, max_attempts=3, delay_ms=delay_ms, message=busy))

    assert wait(500) == ""
    assert wait(32_000) == "The model is busy. Trying again in 32 s."
    assert notice_of(TurnEnded(turn_id=TURN, reason="model_error", message="No key.")) == "No key."
    assert notice_of(TurnEnded(turn_id=TURN, reason="completed")) == ""
