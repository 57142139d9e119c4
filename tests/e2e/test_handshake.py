"""The first words, and words that make no sense: the connection lives through all of them."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter

from tests.support.stage import Stage, alive, environment, family
from tests.support.waiting import until
from tests.support.wire_client import WAIT_S, WireClient, WireError
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

MIB = 1024 * 1024
NO_SESSION = "00000000-0000-0000-0000-000000000000"


async def start(folder: Path) -> WireClient:
    return await WireClient.start(environment(folder / "home"), cwd=folder)


async def code_of(client: WireClient, method: str, params: Any) -> tuple[int, str]:
    """Send a request that must fail; returns the error's code and text."""
    with pytest.raises(WireError) as failure:
        await client.request(method, params)
    return failure.value.code, failure.value.message


async def test_initialize_is_answered_in_the_words_of_lsp(stage: Stage) -> None:
    answer = stage.initialized
    result = get_converter().structure(answer, types.InitializeResult)
    assert result.server_info is not None
    assert result.server_info.name == "pilotfish"
    assert result.capabilities.position_encoding == "utf-16"
    experimental = answer["capabilities"]["experimental"]["pilotfish"]
    assert experimental["protocolVersion"] == 1
    assert "_pilotfish/testing/stats" in experimental["methods"]


GREETING = """
import io, json, sys
from pilotfish.app.serve import greet
body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                   "params": {"capabilities": {}}}).encode()
out = io.BytesIO()
greet(io.BytesIO(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body), out, testing=False)
assert b"capabilities" in out.getvalue()
heavy = {"pydantic", "lsprotocol", "pygls", "acp", "anthropic", "asyncio", "attrs", "psutil"}
print(sorted(heavy & set(sys.modules)))
"""


async def test_initialize_is_answered_before_anything_heavy_is_loaded() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", GREETING, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    assert process.returncode == 0
    assert output.decode().strip() == "[]"


async def test_requests_before_initialize_are_told_to_wait(tmp_path: Path) -> None:
    client = await start(tmp_path)
    assert (await code_of(client, "session/list", {}))[0] == -32002
    client.notify("textDocument/didOpen", {})
    assert (await code_of(client, "initialize", None))[0] == -32602
    client.send_bytes(b"{nonsense")
    await client.wait_for("$error", lambda one: one["error"]["code"] == -32700)
    assert (await client.initialize(tmp_path))["serverInfo"]["name"] == "pilotfish"
    await client.settle()

    # An exit without shutdown is a failure; with one it is none, as every other test shows.
    processes = family(client.process.pid)
    client.notify("exit", None)
    assert await client.wait_for_exit() == 1
    await until(lambda: not alive(processes))


WRONG_GREETINGS: list[tuple[Any, str]] = [
    ([], "params"),
    ({}, "capabilities"),
    ({"capabilities": 5}, "capabilities"),
    ({"capabilities": {}, "processId": "abc"}, "processId"),
    ({"capabilities": {}, "processId": True}, "processId"),
    ({"capabilities": {}, "rootUri": 5}, "rootUri"),
    ({"capabilities": {}, "locale": 5}, "locale"),
    ({"capabilities": {}, "workspaceFolders": 5}, "workspaceFolders"),
    ({"capabilities": {}, "workspaceFolders": [{"uri": 5}]}, "workspaceFolders[0].uri"),
    ({"capabilities": {}, "workspaceFolders": [{"uri": "file:///"}]}, "workspaceFolders[0].name"),
    ({"capabilities": {"textDocument": []}}, "capabilities.textDocument"),
    (
        {"capabilities": {"general": {"positionEncodings": 5}}},
        "capabilities.general.positionEncodings",
    ),
    (
        {"capabilities": {"experimental": {"pilotfish": {"editor": 5}}}},
        "capabilities.experimental.pilotfish.editor",
    ),
]


async def test_a_wrong_initialize_is_refused_and_the_next_one_is_heard(tmp_path: Path) -> None:
    client = await start(tmp_path)
    for params, path in WRONG_GREETINGS:
        code, text = await code_of(client, "initialize", params)
        assert code == -32602, params
        assert f"{path}: " in text
    assert (await client.initialize(tmp_path))["serverInfo"]["name"] == "pilotfish"
    await client.settle()
    assert await client.stop() == 0


@pytest.mark.parametrize(
    "envelope",
    [
        {"jsonrpc": "1.0", "id": 1},
        {"jsonrpc": 2.0, "id": 1},
        {"jsonrpc": "2.0"},
        {"jsonrpc": "2.0", "id": True},
    ],
    ids=json.dumps,
)
async def test_an_initialize_that_is_no_request_is_refused_and_the_next_one_is_heard(
    tmp_path: Path, envelope: dict[str, Any]
) -> None:
    client = await start(tmp_path)
    params: dict[str, Any] = {"capabilities": {}}
    message: dict[str, Any] = {**envelope, "method": "initialize", "params": params}
    body = json.dumps(message).encode()
    client.send_bytes(body)
    await client.wait_for("$error", lambda one: one["error"]["code"] == -32600)
    assert (await client.initialize(tmp_path))["serverInfo"]["name"] == "pilotfish"
    await client.settle()
    assert await client.stop() == 0


@pytest.mark.parametrize(
    ("capabilities", "rest", "told"),
    [
        ({"later": {"a": [1]}}, {"later": 1}, ""),
        ({"textDocument": {"hover": 5}}, {}, "capabilities.textDocument"),
        ({}, {"trace": "chatty"}, "chatty"),
    ],
    ids=json.dumps,
)
async def test_an_editor_is_served_that_says_what_the_protocol_does_not_know_yet(
    tmp_path: Path, capabilities: Any, rest: dict[str, Any], told: str
) -> None:
    client = await start(tmp_path)
    capabilities = {"workspace": {"applyEdit": True}, **capabilities}
    folders = [{"uri": tmp_path.as_uri(), "name": "here"}]
    params = {"processId": None, "capabilities": capabilities, "workspaceFolders": folders, **rest}
    assert (await client.request("initialize", params))["serverInfo"]["name"] == "pilotfish"
    client.notify("initialized", {})
    await client.settle()
    assert await client.stop() == 0
    assert not told or any(told in line for line in client.stderr)


async def test_a_second_initialize_is_refused_and_forgets_nothing(stage: Stage) -> None:
    path = stage.write("open.py", "x = 1\n")
    stage.editor.open(path)
    before = (await stage.client.request("_pilotfish/testing/stats", {}))["openDocuments"]
    assert before > 0
    greeting: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": {}}
    code, text = await code_of(stage.client, "initialize", greeting)
    assert code == -32600
    assert "already" in text
    after = (await stage.client.request("_pilotfish/testing/stats", {}))["openDocuments"]
    assert after == before
    stage.client.stderr.clear()  # it is logged


async def test_exit_before_initialize_is_a_failure(tmp_path: Path) -> None:
    client = await start(tmp_path)
    client.notify("exit", None)
    assert await client.wait_for_exit() == 1


HANDLED_ELSEWHERE = {
    "positionEncoding": "test_language_client",
    "textDocumentSync": "test_language_client, test_documents",
    "notebookDocumentSync": "test_notebooks",
    "codeActionProvider": "test_language_client, test_code_prompts, test_settings_language",
    "codeLensProvider": "test_code_prompts",
    "hoverProvider": "test_settings_language, test_code_features",
    "completionProvider": "test_settings_language",
    "documentSymbolProvider": "test_code_features",
    "foldingRangeProvider": "test_code_features",
    "selectionRangeProvider": "test_code_features",
    "definitionProvider": "test_code_features",
    "referencesProvider": "test_code_features",
    "callHierarchyProvider": "test_code_features",
    "renameProvider": "test_own_servers_in_an_editor",
    "workspaceSymbolProvider": "test_code_features",
    "workspace": "test_language_client",
    "experimental": "below",
}
"""Where each announced capability is proved; a new one needs a proof, too."""


async def test_every_announced_method_has_a_handler(stage: Stage) -> None:
    capabilities = stage.initialized["capabilities"]
    assert set(capabilities) == set(HANDLED_ELSEWHERE)
    methods = capabilities["experimental"]["pilotfish"]["methods"]
    assert len(methods) > 10
    # What test_stop and test_testing_methods prove, and requests that need no parameters.
    elsewhere = {"session/cancel", "_pilotfish/testing/reset"}
    others = elsewhere | {"session/list", "_pilotfish/testing/stats", "_pilotfish/testing/clock"}
    for method in others - elsewhere:
        assert await stage.client.request(method, {})
    for method in set(methods) - others:
        assert (await code_of(stage.client, method, {}))[0] == -32602, method


async def test_a_message_over_the_limit_is_refused_by_name_and_size(stage: Stage) -> None:
    client = stage.client
    params = {"sessionId": NO_SESSION, "prompt": [{"type": "text", "text": "x" * (11 * MIB)}]}
    code, text = await code_of(client, "session/prompt", params)
    assert code == -32803
    assert "session/prompt" in text
    assert "10,485,760" in text
    client.notify("textDocument/didOpen", {"textDocument": {"text": "x" * (11 * MIB)}})
    await client.wait_for(
        "window/showMessage", lambda shown: "textDocument/didOpen" in shown["message"]
    )
    await client.settle()
    wanted = f"session {NO_SESSION}: session/prompt has 11,534,"
    await until(lambda: any(wanted in line for line in client.stderr))


@pytest.mark.parametrize("body", [b"{nonsense", b"[1, 2]", b"5", b'"x"', b"", b"\xff\xfe{}"])
async def test_what_is_no_json_object_gets_a_parse_error(stage: Stage, body: bytes) -> None:
    stage.client.notifications.clear()
    stage.client.send_bytes(body)
    await stage.client.wait_for("$error", lambda one: one["error"]["code"] == -32700)
    await stage.client.settle()


ODD_MESSAGES: list[Any] = [
    {},
    {"jsonrpc": "2.0"},
    {"method": "session/list"},
    {"id": 1_000_001, "method": "session/list"},
    {"jsonrpc": "1.0", "id": 1_000_002, "method": "textDocument/hover"},
    {"jsonrpc": "2.0", "method": 5},
    {"jsonrpc": "2.0", "id": 1_000_003, "method": 5},
    {"jsonrpc": "2.0", "id": [1], "method": "session/list"},
    {"jsonrpc": "2.0", "id": {"a": 1}, "method": "textDocument/codeAction"},
    {"jsonrpc": "2.0", "id": 1.5, "method": "session/list"},
    {"jsonrpc": "2.0", "id": None, "method": "session/list"},
    {"jsonrpc": "2.0", "id": [1], "result": None},
    {"jsonrpc": "2.0", "id": "pilotfish-999", "result": None},
    {"jsonrpc": "2.0", "id": 1_000_004, "error": "broken"},
    {"jsonrpc": "2.0", "method": "$/cancelRequest"},
    {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": [1]}},
    {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": {}}},
    {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": 7},
    {"jsonrpc": "2.0", "method": "session/cancel", "params": [1]},
    {"jsonrpc": "2.0", "method": "session/no_such_thing", "params": {}},
    {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": 5}},
    {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {}},
    {
        "jsonrpc": "2.0",
        "method": "textDocument/didChange",
        "params": {
            "textDocument": {"uri": "file:///never/opened.py", "version": 2},
            "contentChanges": [
                {
                    "range": {
                        "start": {"line": 9, "character": 0},
                        "end": {"line": 99, "character": 0},
                    },
                    "text": "x",
                }
            ],
        },
    },
]


@pytest.mark.parametrize("message", ODD_MESSAGES, ids=json.dumps)
async def test_a_message_that_makes_no_sense_ends_nothing(stage: Stage, message: Any) -> None:
    stage.client.send(message)
    await stage.client.settle()
    stage.client.stderr.clear()  # such messages may be logged


@pytest.mark.parametrize("method", ["session/nothing", "_pilotfish/no", "nothing", "fs/read"])
async def test_an_unknown_method_is_called_so(stage: Stage, method: str) -> None:
    assert (await code_of(stage.client, method, {}))[0] == -32601


async def test_a_method_of_lsp_that_was_not_announced_is_unknown(stage: Stage) -> None:
    place = {"textDocument": {"uri": "file:///a.py"}, "position": {"line": 0, "character": 0}}
    assert (await code_of(stage.client, "textDocument/linkedEditingRange", place))[0] == -32601


def place(uri: Any, line: Any, character: Any) -> dict[str, Any]:
    """Return the parameters of a question about a place."""
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}


@pytest.mark.parametrize(
    ("method", "params", "field"),
    [
        ("session/new", {}, "cwd"),
        ("session/new", None, "cwd"),
        ("session/new", [], "params"),
        ("session/new", {"cwd": 5, "mcpServers": []}, "cwd"),
        ("session/new", {"cwd": "/", "mcpServers": 5}, "mcpServers"),
        (
            "session/new",
            {"cwd": "/", "mcpServers": [], "_meta": {"pilotfish": {"permissionMode": "root"}}},
            "_meta.pilotfish.permissionMode: ",
        ),
        ("session/new", {"cwd": "/", "mcpServers": [], "_meta": 5}, " _meta: "),
        (
            "session/new",
            {"cwd": "/", "mcpServers": [], "_meta": {"pilotfish": 5}},
            "_meta.pilotfish: ",
        ),
        ("session/close", {"sessionId": "x", "_meta": {"pilotfish": 5}}, "_meta.pilotfish: "),
        (
            "session/new",
            {"cwd": "/", "mcpServers": [], "additionalDirectories": ["/", "relative"]},
            " additionalDirectories.1: 'relative' is not an absolute path",
        ),
        (
            "session/new",
            {"cwd": "/", "mcpServers": [], "additionalDirectories": ["/", "/no/such/folder"]},
            " additionalDirectories.1: '/no/such/folder' is not a folder",
        ),
        (
            "session/prompt",
            {"sessionId": "x", "prompt": [{"type": "text", "text": "x"}] * 1_001},
            " prompt: it holds 1,001 things; 1,000 is the limit",
        ),
        (
            "session/new",
            {"cwd": "/", "mcpServers": [], "_meta": {"pilotfish": {"allowedTools": [5]}}},
            "_meta.pilotfish.allowedTools.0: ",
        ),
        ("session/prompt", {"sessionId": "x", "prompt": "hello"}, "prompt"),
        ("session/prompt", {"sessionId": "x", "prompt": [{"type": "text"}]}, "prompt.0"),
        ("session/prompt", {"prompt": []}, "sessionId"),
        ("session/load", {"sessionId": "x"}, "cwd"),
        ("session/set_mode", {"sessionId": "x"}, "modeId"),
        ("_pilotfish/session/snapshot", {"sessionId": 7}, "sessionId"),
        ("_pilotfish/session/snapshot", {"sessionId": "x", "sinceSeq": "y"}, "sinceSeq"),
        ("_pilotfish/session/snapshot", {"sessionId": "x", "sinceSeq": "0"}, "sinceSeq"),
        ("_pilotfish/session/snapshot", {"sessionId": "x", "sinceSeq": True}, "sinceSeq"),
        ("_pilotfish/inbox/answer", {"requestId": "r", "optionId": "maybe"}, "optionId"),
        (
            "_pilotfish/inbox/answer",
            {"requestId": "r", "optionId": "allow_once", "answer": {"updatedInput": 5}},
            "answer.updatedInput",
        ),
        ("_pilotfish/permissions/explain", {"sessionId": "x", "tool": "Read"}, "input"),
        ("textDocument/codeAction", {"textDocument": 5}, "textDocument"),
        ("textDocument/hover", place("file:///a", "0", 0), " position.line: must be an integer"),
        ("textDocument/hover", place("file:///a", True, 0), " position.line: must be an integer"),
        ("textDocument/hover", place("file:///a", 0, 1.7), " position.character: must be an int"),
        ("textDocument/hover", place(7, 0, 0), " textDocument.uri: must be a string"),
        ("textDocument/hover", {"textDocument": {"uri": "file:///a"}}, " position: is missing"),
    ],
)
async def test_wrong_parameters_are_named(
    stage: Stage, method: str, params: Any, field: str
) -> None:
    code, text = await code_of(stage.client, method, params)
    assert code == -32602
    assert field in text
    stage.client.stderr.clear()  # pygls logs what it cannot read


async def test_a_folder_that_cannot_be_is_refused(stage: Stage) -> None:
    for cwd in ("relative", "/no/such/folder", "/" + "x" * 5_000, "/a\0b"):
        code, text = await code_of(stage.client, "session/new", {"cwd": cwd, "mcpServers": []})
        assert code in (-32602, -32803)
        assert "cwd" in text


async def test_fields_that_nobody_knows_pass(stage: Stage) -> None:
    params: dict[str, Any] = {"cwd": str(stage.project), "mcpServers": [], "future": {"a": 1}}
    result = await stage.client.request("session/new", params)
    closing = {"sessionId": result["sessionId"], "why": "done"}
    assert await stage.client.request("session/close", closing) == {}
    assert "questions" in await stage.client.request("_pilotfish/inbox/list", {"later": True})


async def test_a_cancel_that_crosses_with_the_answer_is_no_news(stage: Stage) -> None:
    path = stage.write("a.py", "x = 1\n")
    stage.editor.open(path)
    params = {"textDocument": {"uri": path.as_uri()}}
    asked, answer = stage.client.send_request("textDocument/documentSymbol", params)
    await answer
    stage.client.stderr.clear()
    stage.client.notify("$/cancelRequest", {"id": asked})
    stage.client.notify("$/cancelRequest", {"id": "never asked"})
    await stage.client.request("textDocument/documentSymbol", params)  # it has read them by then
    assert [line for line in stage.client.stderr if "ancel" in line] == []


async def test_what_holds_up_the_server_is_logged_with_a_stack(tmp_path: Path) -> None:
    """Many changes of a document of a million lines in one message: they are taken together."""
    client = await start(tmp_path)
    await client.initialize(tmp_path)
    uri = (tmp_path / "long.txt").as_uri()
    named = {"uri": uri, "languageId": "plaintext", "version": 1, "text": ""}
    client.notify("textDocument/didOpen", {"textDocument": named})
    place = {"line": 1, "character": 0}
    changes = [
        {"text": "x\n" * 1_000_000},
        *[{"range": {"start": place, "end": place}, "text": "y"}] * 500,
    ]

    async def is_told() -> bool:
        document = {"uri": uri, "version": 2}
        change = {"textDocument": document, "contentChanges": changes}
        client.notify("textDocument/didChange", change)
        await client.settle()
        log = "\n".join(client.blocked)
        return "loop has been blocked for" in log and "apply_change" in log

    async with asyncio.timeout(2 * WAIT_S):
        while not await is_told():  # the log names no more than one each few seconds
            assert client.process.returncode is None
    assert await client.stop() == 0


FOREIGN: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": 7,
    "method": "exit",
    "type_name": "x",
    "no-identifier": {"1": [None, True, {"jsonrpc": "2.0", "class": 1}]},
    "": "empty",
    "schön": "\N{GRINNING FACE}",
}


async def test_foreign_json_reaches_the_dialog_unharmed(stage: Stage) -> None:
    """Whatever keys a tool's input has, they are the input's business."""
    content = {"file_path": "a.json", "content": FOREIGN}
    bad = ToolUse("Read", {"file_path": "a", **FOREIGN}, id="toolu_bad")
    stage.play([Turn([ToolUse("Write", content, id="toolu_foreign"), bad]), "Done."])
    chat = await stage.chat()
    prompt = chat.send("Write it")
    question = await chat.question()
    assert question.call["rawInput"] == content
    question.answer("allow_once", ignored=FOREIGN)
    assert await prompt.stop_reason() == "end_turn"
    for call, wanted in (("toolu_foreign", content), ("toolu_bad", bad.input)):
        inputs = [one["rawInput"] for one in chat.tool_updates(call) if "rawInput" in one]
        assert inputs
        assert all(one == wanted for one in inputs)
    assert json.loads((stage.project / "a.json").read_text()) == FOREIGN
