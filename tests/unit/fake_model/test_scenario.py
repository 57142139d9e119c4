"""Reading scenarios, choosing turns and filling templates."""

from pathlib import Path

import pytest
from pydantic import JsonValue

from tests.unit.fake_model.conversations import (
    assistant,
    call,
    request,
    result,
    text,
    tool,
    user,
)
from tools.fake_model import (
    Cut,
    FakeModel,
    HttpError,
    Loop,
    Pace,
    Ping,
    RawEvent,
    RedactedThinking,
    Rules,
    Scenario,
    ScenarioError,
    Script,
    Stall,
    Text,
    Thinking,
    ToolUse,
    Turn,
    Usage,
    When,
    load_scenario,
    parse_scenario,
)
from tools.fake_model.blocks import to_items
from tools.fake_model.facts import RequestFacts
from tools.fake_model.jsontypes import JsonObject
from tools.fake_model.playlist import Playlist, Step, matches
from tools.fake_model.scenario import dump_scenario
from tools.fake_model.templates import fill_item, fill_json, fill_text

README = Path(__file__).parents[3] / "tools/fake_model/README.md"


def facts(*messages: JsonObject, key: str = "key", **fields: JsonValue) -> RequestFacts:
    return RequestFacts(request(*messages, **fields), api_key=key, size_bytes=1)


def take(playlist: Playlist, asked: RequestFacts) -> Step:
    step = playlist.take(asked)
    assert step is not None
    return step


def test_a_scenario_survives_json() -> None:
    scenario = Scenario(
        ["hello", Turn([Thinking("hm"), "so", ToolUse("Read", {"a": [1]}), Ping()], repeat=2)],
        scripts=[Script(when=When(model="m"), turns=[Turn(error="overloaded")])],
        variables={"cwd": "/w"},
        rules=Rules(models=["m"], count_tokens=HttpError(status=500)),
        pace=Pace(chunk_chars=3),
    )
    written = dump_scenario(scenario)
    assert dump_scenario(parse_scenario(written)) == written


def test_short_and_long_forms_of_content_mean_the_same() -> None:
    read = parse_scenario(
        '{"turns": ["a", {"content": "a"}, {"content": ["a"]},'
        ' {"content": [{"type": "text", "text": "a"}]}]}'
    )
    playlist = Playlist(read)
    for _ in range(4):
        assert to_items(take(playlist, facts()).content) == (Text("a"),)


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("{", "Invalid JSON"),
        ('{"turn": []}', "turn: Unexpected keyword argument"),
        ('{"turns": [{"contents": "a"}]}', "turns.0.contents: Unexpected"),
        ('{"turns": [{"content": [{"type": "tool_use", "nam": "R"}]}]}', "nam: Unexpected"),
        ('{"turns": [{"content": "a", "error": "overloaded"}]}', "has no content, loop or faults"),
        ('{"turns": [{"content": "a", "loop": {"times": 2}}]}', "needs a tool_use block"),
        ('{"turns": [{"error": {"status": 200}}]}', "greater than or equal to 400"),
        (
            '{"pace": {"coalesce": true, "between_events_ms": 1}}',
            "between_events_ms excludes coalesce",
        ),
    ],
)
def test_a_mistake_in_a_scenario_is_named(written: str, complaint: str) -> None:
    with pytest.raises(ScenarioError, match=complaint):
        parse_scenario(written)


def test_a_scenario_comes_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "scenario.json"
    path.write_text('{"turns": ["{{cwd}}"], "variables": {"cwd": "a", "x": 1}}', encoding="utf-8")
    assert load_scenario(path).with_variables({"cwd": "b"}).variables == {"cwd": "b", "x": 1}
    with pytest.raises(ScenarioError, match="cannot read"):
        FakeModel(tmp_path / "missing.json")


def test_turns_answer_in_order_and_as_often_as_they_repeat() -> None:
    playlist = Playlist(Scenario(["a", Turn("b", repeat=2), "c"]))
    asked = facts()
    steps = [take(playlist, asked) for _ in range(4)]
    assert [(step.turn.content, step.number) for step in steps] == [
        ("a", 1),
        ("b", 1),
        ("b", 2),
        ("c", 1),
    ]
    assert playlist.take(asked) is None


def test_the_first_turn_whose_conditions_hold_answers() -> None:
    playlist = Playlist(
        Scenario(
            [Turn("for x", when=When(last_user_text="x")), Turn("any", repeat="forever")],
            scripts=[Script(when=When(api_key="k2"), turns=["second session"])],
        )
    )
    assert take(playlist, facts(key="k2")).content == "second session"
    assert take(playlist, facts()).content == "any"
    assert playlist.unused() == [1]
    assert take(playlist, facts(user("axb"))).content == "for x"
    assert playlist.unused() == []


@pytest.mark.parametrize(
    ("when", "holds"),
    [
        (When(), True),
        (When(last_user_text="second"), True),
        (When(last_user_text="first"), False),
        (When(first_user_text="first"), True),
        (When(first_user_text="second"), False),
        (When(system_text="kind"), True),
        (When(system_text="rude"), False),
        (When(last_tool_result="42"), True),
        (When(last_tool_result="43"), False),
        (When(offers_tool="Read"), True),
        (When(offers_tool="Edit"), False),
        (When(offers_tool="!Edit"), True),
        (When(offers_tool="!Read"), False),
        (When(api_key="key"), True),
        (When(api_key="ke"), False),
        (When(model="m"), True),
        (When(model="n"), False),
        (When(stream=False), True),
        (When(stream=True), False),
        (When(model="m", api_key="other"), False),
    ],
)
def test_every_condition_must_hold(when: When, *, holds: bool) -> None:
    asked = facts(
        user("the first"),
        assistant("ho"),
        user(text("the"), text("second")),
        assistant(call()),
        user(result(content=[text("it is 42")])),
        system=[text("be kind")],
        tools=[tool("Read")],
    )
    assert matches(when, asked) is holds


@pytest.mark.parametrize(
    ("conversation", "keys", "texts", "expected"),
    [
        ("server", "aab", "xxx", ["1", "2", None]),
        ("api_key", "aabb", "xxxx", ["1", "2", "1", "2"]),
        ("first_user_text", "aaaa", "xyxy", ["1", "1", "2", "2"]),
    ],
)
def test_each_conversation_has_its_own_position(
    conversation: str, keys: str, texts: str, expected: list[str | None]
) -> None:
    playlist = Playlist(
        parse_scenario(f'{{"turns": ["1", "2"], "conversation": "{conversation}"}}')
    )
    steps = [
        playlist.take(facts(user(said), key=key)) for key, said in zip(keys, texts, strict=True)
    ]
    assert [None if step is None else step.content for step in steps] == expected


def test_a_loop_follows_the_rounds_of_the_request() -> None:
    turn = Turn([ToolUse("Read")], loop=Loop(2, then="over"), repeat=2)
    playlist = Playlist(Scenario([turn, "after"]))
    first = (user("go"),)
    second = (*first, assistant(call("t1")), user(result("t1"), text("a reminder")))
    third = (*second, assistant(call("t2")), user(result("t2")))
    again = (*third, assistant("over"), user("again"))
    rounds = [first, second, second, third, again, third, first]
    steps = [take(playlist, facts(*messages)) for messages in rounds]
    assert [step.number for step in steps] == [1, 2, 2, 3, 1, 3, 1]
    assert [step.content for step in steps[3:]] == ["over", turn.content, "over", "after"]


def test_facts_of_a_malformed_request_are_empty() -> None:
    bodies: list[JsonObject] = [
        {},
        {"messages": "x", "tools": 3},
        {"messages": [3, {"role": "user"}]},
    ]
    for body in bodies:
        asked = RequestFacts(body, api_key="", size_bytes=0)
        assert asked.last_user_text == asked.first_user_text == asked.last_tool_result == ""
        assert asked.tool_rounds == 0
        assert asked.model == ""


def lookup(name: str) -> JsonValue:
    values: JsonObject = {"n": 3, "cwd": "/w", "list": [1]}
    return values[name]


def test_templates_fill_what_is_known() -> None:
    assert fill_text("{{cwd}}/{{ n }} {{other}} {x}", lookup) == "/w/3 {{other}} {x}"
    value: JsonValue = {"{{n}}": ["{{n}}", "n={{n}}", {"a": "{{list}}"}, "{{other}}", 1, None]}
    assert fill_json(value, lookup) == {"{{n}}": [3, "n=3", {"a": [1]}, "{{other}}", 1, None]}


def test_templates_apply_to_what_the_model_says_and_does() -> None:
    used = ToolUse("Read", {"limit": "{{n}}"}, id="t{{n}}", raw_json='{"a": {{n}}}')
    filled = ToolUse("Read", {"limit": 3}, id="t3", raw_json='{"a": 3}')
    assert fill_item(used, lookup) == filled
    assert fill_item(Text("{{n}}"), lookup) == Text("3")
    assert fill_item(Thinking("{{n}}"), lookup) == Thinking("3")
    for opaque in (RedactedThinking("{{n}}"), RawEvent("{{n}}"), Ping()):
        assert fill_item(opaque, lookup) == opaque


def test_faults_and_usage_come_from_json() -> None:
    read = parse_scenario(
        '{"turns": [{"content": "a", "usage": {"cache_read": 5},'
        ' "faults": [{"kind": "stall", "max_s": 0.5}, {"kind": "cut", "after_events": 2}]}]}'
    )
    turn = read.turns[0]
    assert isinstance(turn, Turn)
    assert turn.usage == Usage(cache_read=5)
    assert list(turn.faults) == [Stall(max_s=0.5), Cut(after_events=2)]


def test_the_examples_in_the_readme_are_valid() -> None:
    blocks = README.read_text(encoding="utf-8").split("```json\n")[1:]
    assert blocks
    for block in blocks:
        parse_scenario(block.partition("```")[0])
