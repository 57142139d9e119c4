"""The fake model as a process.

Owns: the command line and the life of the process: ready line, signals, end of input.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from pydantic import JsonValue

from tools.fake_model.fake import FakeModel
from tools.fake_model.scenario import Scenario, ScenarioError

_USAGE_ERROR = 2
_STDIN = 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until told to stop.

    Returns:
        The exit code: 0, or 2 when the scenario cannot be used.
    """
    options = _parse(arguments)
    try:
        fake = FakeModel(
            options.scenario or Scenario(),
            variables=dict(options.var),
            host=options.host,
            port=options.port,
        )
    except ScenarioError as error:
        print(f"fake_model: {error}", file=sys.stderr)
        return _USAGE_ERROR
    asyncio.run(_serve(fake, until_stdin_closes=options.exit_on_stdin_close))
    return 0


async def _serve(fake: FakeModel, *, until_stdin_closes: bool) -> None:
    loop = asyncio.get_running_loop()
    stopped = asyncio.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(stopped.set)

    for number in (signal.SIGTERM, signal.SIGINT):
        # A plain handler, because loops on Windows have none of their own.
        signal.signal(number, stop)
    async with fake:
        if until_stdin_closes:
            threading.Thread(target=_watch_stdin, args=(loop, stopped), daemon=True).start()
        print(json.dumps({"url": fake.url, "pid": os.getpid()}), flush=True)
        await stopped.wait()


def _watch_stdin(loop: asyncio.AbstractEventLoop, stopped: asyncio.Event) -> None:
    """Read and drop input; at its end, stop.

    Reads the descriptor itself: a thread inside ``sys.stdin`` would hold a lock at exit.
    """
    while os.read(_STDIN, 4096):
        pass
    loop.call_soon_threadsafe(stopped.set)


def _variable(text: str) -> tuple[str, JsonValue]:
    """Parse ``NAME=VALUE``; a value that is JSON is taken as such, else as a string."""
    name, sign, value = text.partition("=")
    if not sign or not name.isidentifier():
        raise argparse.ArgumentTypeError("expected NAME=VALUE")
    try:
        parsed: JsonValue = json.loads(value)
    except ValueError:
        return name, value
    return name, parsed


class _Options(argparse.Namespace):
    """Command line options with their types."""

    scenario: Path | None
    host: str
    port: int
    var: list[tuple[str, JsonValue]]
    exit_on_stdin_close: bool


def _parse(arguments: Sequence[str] | None) -> _Options:
    parser = argparse.ArgumentParser(prog="python -m tools.fake_model", description=__doc__)
    parser.add_argument("--scenario", type=Path, help="JSON file; may also come by POST later")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument(
        "--var", type=_variable, action="append", default=[], metavar="NAME=VALUE",
        help="value for {{NAME}} in the scenario; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--exit-on-stdin-close", action="store_true", help="stop when standard input ends"
    )
    return parser.parse_args(arguments, namespace=_Options())


if __name__ == "__main__":
    sys.exit(main())
