"""A server process and a fake model process, for measuring from outside."""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.wire_client import WireClient

ROOT = Path(__file__).resolve().parents[2]


def clean_environment(home: Path, base_url: str | None = None) -> dict[str, str]:
    """Return an environment that holds nothing of the user's own."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PILOTFISH_HOME": str(home / ".pilotfish"),
        "PYTHONPATH": f"{ROOT / 'server'}{os.pathsep}{ROOT}",
    }
    if base_url is not None:
        environment |= {"ANTHROPIC_BASE_URL": base_url, "ANTHROPIC_API_KEY": "bench"}
    return environment


class FakeProcess:
    """The fake model in a process of its own, so that it does not share our event loop."""

    def __init__(self, process: asyncio.subprocess.Process, url: str) -> None:
        self._process = process
        self.url = url

    async def requests(self, count: int) -> list[dict[str, Any]]:
        """Wait until ``count`` requests have ended and return their records."""
        script = (
            "import sys,urllib.request;"
            "print(urllib.request.urlopen(sys.argv[1], timeout=60).read().decode())"
        )
        url = f"{self.url}/__fake__/requests?ended={count}"
        reader = await asyncio.create_subprocess_exec(
            sys.executable, "-c", script, url, stdout=asyncio.subprocess.PIPE
        )
        output, _ = await reader.communicate()
        records: list[dict[str, Any]] = json.loads(output)["requests"]
        return records

    async def stop(self) -> None:
        """End the process."""
        self._process.terminate()
        await self._process.wait()


@asynccontextmanager
async def fake_model(scenario: dict[str, Any]) -> AsyncGenerator[FakeProcess]:
    """Run a fake model that plays a scenario."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(scenario, file)
        file.flush()
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tools.fake_model",
            "--port",
            "0",
            "--scenario",
            file.name,
            stdout=asyncio.subprocess.PIPE,
            cwd=ROOT,
        )
        assert process.stdout is not None
        ready = json.loads(await process.stdout.readline())
        fake = FakeProcess(process, ready["url"])
        try:
            yield fake
        finally:
            await fake.stop()


@asynccontextmanager
async def server(
    base_url: str | None, workspace: Path, home: Path | None = None
) -> AsyncGenerator[WireClient]:
    """Run a server with the handshake done; without a home it gets an empty one."""
    with tempfile.TemporaryDirectory() as empty:
        environment = clean_environment(home or Path(empty), base_url)
        client = await WireClient.start(environment, cwd=workspace)
        try:
            await client.initialize(workspace)
            yield client
        finally:
            await client.stop()
