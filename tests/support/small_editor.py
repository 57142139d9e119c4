"""An editor of a few lines, started as a process so that a test can kill it.

It starts the server, sends a prompt and prints the server's process id. With ``--keeper`` it first
starts a process that holds the server's input open, and prints that one's id before.

    python small_editor.py FOLDER [--keeper]
"""

import json
import os
import subprocess
import sys
from typing import IO, Any

KEEPER_S = "60"
"""Life of the keeper, in case that nobody ends it."""


def main(folder: str, *, keeper: bool) -> None:
    """Send a prompt and wait for its answer, which never comes if all goes well."""
    server = subprocess.Popen(
        [sys.executable, "-m", "pilotfish", "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    if keeper:
        os.set_inheritable(server.stdin.fileno(), True)
        holder = subprocess.Popen(["sleep", KEEPER_S], close_fds=False, stdout=subprocess.DEVNULL)
        _tell(holder.pid)
    ask = _Asker(server.stdin, server.stdout)
    ask("initialize", {"processId": os.getpid(), "capabilities": {}, "rootUri": None})
    meta = {"pilotfish": {"allowedTools": ["Bash(sleep:*)"]}}
    session = ask("session/new", {"cwd": folder, "mcpServers": [], "_meta": meta})["sessionId"]
    _tell(server.pid)
    ask("session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": "Sleep"}]})


def _tell(pid: int) -> None:
    sys.stdout.write(f"{pid}\n")
    sys.stdout.flush()


class _Asker:
    def __init__(self, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self._stdin = stdin
        self._stdout = stdout
        self._number = 0

    def __call__(self, method: str, params: dict[str, Any]) -> Any:
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        body = json.dumps(message).encode()
        self._stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._stdin.flush()
        while (answer := self._read()).get("id") != self._number:
            pass
        return answer["result"]

    def _read(self) -> dict[str, Any]:
        size = 0
        while line := self._stdout.readline().strip():
            if line.lower().startswith(b"content-length"):
                size = int(line.split(b":")[1])
        return json.loads(self._stdout.read(size))


if __name__ == "__main__":
    main(sys.argv[1], keeper="--keeper" in sys.argv)
