"""A language server that does what a test says; run as a program of its own.

Usage: ``python fake_language_server.py SCRIPT.json LOG``. The script is read again for every message,
so that a test can change it. What it finds in a text: ``ERR(message)`` is an error, ``WARN(message)`` a
warning, and ``USE(name)`` an error unless some open document holds ``DEF(name)``.
Texts that hold ``silent_on`` are never judged; it refuses to judge those that hold ``refuses``.
"""

import json
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

USUAL: dict[str, Any] = {
    "pull": False,
    "versions": True,
    "holds": False,
    "silent": False,
    "silent_on": "",
    "refuses": "",
    "stale": False,
    "flood": 0,
    "crash_on": "",
    "say_on_start": "",
    "hang_on": "",
    "can": {},
    "answers": {},
    "mute": [],
    "refuse_first": {},
    "loads": "",
    "asks": [],
}
"""``holds``: finds, and tells it once the script holds no more. ``loads``: finds nothing before it has loaded the project: ``unseen`` it has not said so when it is
asked first, ``until asked`` and ``for good`` it has. ``asks``: methods and parameters of what it asks when
the handshake is over; the log has the answers under the name ``answer``."""


class FakeServer:
    """The server."""

    def __init__(self, script: Path, log: Path) -> None:
        self.script_file = script
        self.log_file = log
        self.texts: dict[str, tuple[int, str]] = {}
        self.lock = threading.Lock()
        self.asked: Counter[str] = Counter()
        self.loading = ""
        self.held: list[Callable[[], None]] = []

    @property
    def script(self) -> dict[str, Any]:
        return USUAL | json.loads(self.script_file.read_text(encoding="utf-8"))

    def run(self) -> None:
        sys.stdout.write(self.script["say_on_start"])
        sys.stdout.flush()
        while (message := self.read()) is not None:
            method = message.get("method", "")
            if method:
                self.log(method, message.get("params"))
            script = self.script
            if method and method == script["crash_on"]:
                sys.stderr.write("I cannot go on\n")
                sys.stderr.flush()
                sys.exit(3)
            if method and method == script["hang_on"]:
                time.sleep(3600)
            if method == "exit":
                return
            if not method:
                self.log("answer", message)
            if method == "initialized":
                self.begin_to_load(script["loads"])
                for number, (name, params) in enumerate(script["asks"]):
                    self.send({"id": f"q{number}", "method": name, "params": params})
            self.handle(method, message, script)

    def log(self, name: str, what: Any) -> None:
        with self.log_file.open("a", encoding="utf-8") as log:
            log.write(json.dumps([name, what]) + "\n")

    def read(self) -> dict[str, Any] | None:
        size = 0
        while line := sys.stdin.buffer.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                size = int(value)
        return json.loads(sys.stdin.buffer.read(size)) if size else None

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        with self.lock:
            sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            sys.stdout.buffer.flush()

    def handle(self, method: str, message: dict[str, Any], script: dict[str, Any]) -> None:
        params: dict[str, Any] = message.get("params") or {}
        match method:
            case "initialize":
                capabilities: dict[str, Any] = {"textDocumentSync": 1, **script["can"]}
                if script["pull"]:
                    usual = {"interFileDependencies": True, "workspaceDiagnostics": False}
                    capabilities.setdefault("diagnosticProvider", usual)
                result = {"capabilities": capabilities, "serverInfo": {"name": "fake"}}
                self.send({"id": message["id"], "result": result})
            case "textDocument/didOpen":
                document = params["textDocument"]
                self.texts[document["uri"]] = document["version"], document["text"]
                self.publish_all(script, document["uri"])
            case "textDocument/didChange":
                document = params["textDocument"]
                text = params["contentChanges"][0]["text"]
                self.texts[document["uri"]] = document["version"], text
                self.publish_all(script, document["uri"])
            case "textDocument/didClose":
                self.texts.pop(params["textDocument"]["uri"], None)
            case "textDocument/diagnostic":
                uri = params["textDocument"]["uri"]
                self.later(script, lambda: self.answer(message["id"], uri, script))
            case "workspace/diagnostic" if method not in script["mute"]:
                self.later(script, lambda: self.answer_all(message["id"], script))
            case "shutdown":
                self.send({"id": message["id"], "result": None})
            case _:
                if "id" in message and method:
                    self.answer_as_told(method, message["id"], script)

    def begin_to_load(self, how: str) -> None:
        self.loading = how
        if how not in {"", "unseen"}:
            self.progress({"kind": "begin", "title": "Reading all"})

    def progress(self, value: dict[str, Any]) -> None:
        params = {"token": "load", "value": value}
        self.send({"method": "$/progress", "params": params})

    def answer_as_told(self, method: str, number: Any, script: dict[str, Any]) -> None:
        if self.loading and method in script["answers"]:
            self.send({"id": number, "result": None})
            if self.loading == "until asked":
                self.progress({"kind": "end"})
            self.loading = "for good" if self.loading == "for good" else ""
            return
        codes = script["refuse_first"].get(method, [])
        if (asked := self.asked[method]) < len(codes):
            self.asked[method] += 1
            self.send({"id": number, "error": {"code": codes[asked], "message": "not now"}})
        elif method in script["answers"]:
            self.send({"id": number, "result": script["answers"][method]})
        elif method not in script["mute"]:
            self.send({"id": number, "error": {"code": -32601, "message": "unknown"}})

    def later(self, script: dict[str, Any], act: Callable[[], None]) -> None:
        if script["silent"]:
            return
        if script["holds"]:
            self.held.append(act)
            if len(self.held) == 1:
                threading.Thread(target=self.let_go, daemon=True).start()
        else:
            act()

    def let_go(self) -> None:
        while self.script["holds"]:
            time.sleep(0.01)
        while self.held:
            self.held.pop(0)()

    def answer(self, number: Any, uri: str, script: dict[str, Any]) -> None:
        _, text = self.texts.get(uri, (0, ""))
        if is_said_of(text, script["silent_on"]):
            return
        if is_said_of(text, script["refuses"]):
            self.send({"id": number, "error": {"code": -32803, "message": "not this one"}})
            return
        result = {"kind": "full", "items": self.found(text, script)}
        self.send({"id": number, "result": result})

    def answer_all(self, number: Any, script: dict[str, Any]) -> None:
        items = [
            {"uri": uri, "kind": "full", "items": self.found(text, script)}
            for uri, (_, text) in self.texts.items()
        ]
        self.send({"id": number, "result": {"items": items}})

    def publish_all(self, script: dict[str, Any], changed: str) -> None:
        if script["pull"]:
            return
        now = dict(self.texts)
        for uri in sorted(now, key=lambda one: one != changed):
            version, text = now[uri]
            self.later(script, lambda u=uri, v=version, t=text: self.publish(u, v, t, script))

    def publish(self, uri: str, version: int, text: str, script: dict[str, Any]) -> None:
        if is_said_of(text, script["silent_on"]):
            return
        params: dict[str, Any] = {"uri": uri, "diagnostics": self.found(text, script)}
        if script["versions"]:
            params["version"] = version
        self.send({"method": "textDocument/publishDiagnostics", "params": params})
        if script["stale"]:
            lie = one_error(0, "a lie about an old version", 1)
            params = {"uri": uri, "version": version - 1, "diagnostics": [lie]}
            self.send({"method": "textDocument/publishDiagnostics", "params": params})

    def found(self, text: str, script: dict[str, Any]) -> list[dict[str, Any]]:
        everything = "\n".join(one for _, one in self.texts.values())
        found: list[dict[str, Any]] = []
        for number, line in enumerate(text.split("\n")):
            for kind, what in re.findall(r"(ERR|WARN|USE)\(([^)]*)\)", line):
                if kind != "USE":
                    found.append(one_error(number, what, 2 if kind == "WARN" else 1))
                elif f"DEF({what})" not in everything:
                    found.append(one_error(number, f"nobody defines {what}", 1))
        if "FLOOD" in text:
            found += [one_error(0, f"flood {number}", 1) for number in range(script["flood"])]
        return found


def is_said_of(text: str, mark: str) -> bool:
    return bool(mark) and mark in text


def one_error(line: int, message: str, severity: int) -> dict[str, Any]:
    place = {"line": line, "character": 0}
    return {
        "range": {"start": place, "end": place},
        "message": message,
        "severity": severity,
        "source": "fake",
        "code": "E1",
    }


if __name__ == "__main__":
    FakeServer(Path(sys.argv[1]), Path(sys.argv[2])).run()
