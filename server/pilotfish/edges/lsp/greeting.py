"""Answering ``initialize`` before anything heavy is loaded.

Owns: the first exchange. Importing the protocol's types alone takes longer than an editor should
wait, so the answer is made from plain data and the server proper is loaded behind it.
Does not own: the capabilities (``edges.lsp.capabilities``), every later message (``server``).

Imported first: keep to the standard library.
"""

import json
from typing import Any, BinaryIO

from pilotfish.edges.localise import localise, translator
from pilotfish.edges.lsp.capabilities import initialize_result
from pilotfish.edges.lsp.framing import (
    ConnectionClosed,
    Malformed,
    read_frame,
    write_frame,
)
from pilotfish.edges.lsp.greeting_check import envelope_problem, initialize_problem
from pilotfish.edges.oversized import Oversized

SERVER_NOT_INITIALIZED = -32002
PARSE_ERROR = -32700
INVALID_PARAMS = -32602
INVALID_REQUEST = -32600


def greet(stdin: BinaryIO, stdout: BinaryIO, *, testing: bool) -> dict[str, Any] | None:
    """Read messages until ``initialize`` and answer it.

    Returns:
        The ``initialize`` message; None when the client left, or said ``exit``, before it.
    """
    while True:
        try:
            frame = read_frame(stdin)
        except ConnectionClosed:
            return None
        if isinstance(frame, Oversized):
            _refuse(stdout, frame.id, INVALID_REQUEST, frame.refusal)
        elif isinstance(frame, Malformed):
            _refuse(stdout, None, PARSE_ERROR, frame.problem)
        elif frame.get("method") == "exit":
            return None
        elif frame.get("method") != "initialize":
            _refuse(stdout, frame.get("id"), SERVER_NOT_INITIALIZED, "initialize comes first")
        elif problem := envelope_problem(frame):
            _refuse(stdout, None, INVALID_REQUEST, problem, always=True)
        elif problem := initialize_problem(frame.get("params")):
            text = f"Invalid parameters of initialize: {problem}"
            _refuse(stdout, frame.get("id"), INVALID_PARAMS, text)
        else:
            result = initialize_result(frame["params"], testing=testing)
            answer = {"jsonrpc": "2.0", "id": frame.get("id"), "result": result}
            _send(stdout, localise(answer, translator(frame["params"].get("locale"))))
            return frame


def _refuse(
    stdout: BinaryIO, message_id: Any, code: int, text: str, *, always: bool = False
) -> None:
    if message_id is not None or code == PARSE_ERROR or always:
        error = {"code": code, "message": text}
        _send(stdout, {"jsonrpc": "2.0", "id": message_id, "error": error})


def _send(stdout: BinaryIO, message: dict[str, Any]) -> None:
    write_frame(stdout, json.dumps(message, separators=(",", ":")).encode())
