"""A small loop that plays a model's calls for real on a copy of the example workspace.

Owns: simple local tools (Read, Edit, Glob, Grep, Bash, TodoWrite) and the conversation around
them. Does not own: the product's tools or engine; this only lets the demo be tested without them.
"""

import asyncio
import json
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pilotfish.core.messages import (
    AssistantBlock,
    AssistantMessage,
    Message,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserBlock,
    UserMessage,
    text_of,
)
from pilotfish.llm.events import BlockCompleted, DeltaReceived, ReplyCompleted, ReplyStarted
from pilotfish.llm.model import Model, ModelRequest, ToolSchema

EXAMPLE = Path(__file__).parents[2] / "server" / "example"
TOOL_NAMES = ("Read", "Edit", "Write", "Glob", "Grep", "Bash", "TodoWrite")
MAX_CALLS = 40
"""A demo that calls the model more often than this has lost its way."""

Refuse = Callable[[ToolUseBlock], str | None]
"""Returns the text of a refusal, or None to let a call run."""


def copy_example(folder: Path) -> Path:
    """Copy the example workspace to a folder of its own and return that."""
    target = folder / "example"
    shutil.copytree(EXAMPLE, target, ignore=shutil.ignore_patterns("__pycache__"))
    return target


@dataclass
class Played:
    """What happened in a turn."""

    final: str = ""
    texts: list[str] = field(default_factory=list[str])
    calls: list[ToolUseBlock] = field(default_factory=list[ToolUseBlock])
    results: list[ToolResultBlock] = field(default_factory=list[ToolResultBlock])

    def names(self) -> list[str]:
        """Return the names of the called tools, in order."""
        return [call.name for call in self.calls]


class Stage:
    """A session: conversation, tools and a workspace."""

    def __init__(
        self, model: Model, root: Path, *, report_syntax: bool = True, late: bool = False
    ) -> None:
        self.messages: list[Message] = []
        self.root = root
        self.tools: tuple[str, ...] = TOOL_NAMES
        self.dedup_reads = False
        """Answer a repeated Read of an unchanged file with a stub, as the real tool does."""
        self._model = model
        self._report_syntax = report_syntax
        self._late = late
        self._pending_note: str | None = None
        self._known: dict[Path, str] = {}
        """Content that the session knows, by reading or by its own edits."""
        self._shown: dict[Path, str] = {}
        """Content as Read last showed it, with no edit since."""

    async def play(self, prompt: str, refuse: Refuse = lambda _: None) -> Played:
        """Run one turn to its end."""
        played = Played()
        self.messages.append(UserMessage(content=(TextBlock(text=prompt),)))
        for _ in range(MAX_CALLS):
            reply = await self._reply()
            self.messages.append(reply)
            calls = [block for block in reply.content if isinstance(block, ToolUseBlock)]
            played.texts.append(text_of(reply.content))
            if not calls:
                played.final = text_of(reply.content)
                return played
            played.calls += calls
            self.messages.append(await self._answer(calls, played, refuse))
        raise AssertionError(f"no end after {MAX_CALLS} model calls: {played.names()}")

    async def _reply(self) -> AssistantMessage:
        request = ModelRequest(
            model="demo",
            system=(f"You are a test.\n\nWorking directory: {self.root}\nPlatform: test",),
            tools=[ToolSchema(name=n, description=n, input_schema={}) for n in self.tools],
            messages=self.messages,
            max_tokens=1000,
        )
        blocks: list[AssistantBlock] = []
        streamed: dict[int, str] = {}
        message_id = stop = None
        async for event in self._model.stream(request):
            match event:
                case ReplyStarted():
                    message_id = event.message_id
                case DeltaReceived():
                    streamed[event.index] = streamed.get(event.index, "") + event.text
                case BlockCompleted():
                    _check_streamed(event.block, streamed[event.index])
                    blocks.append(event.block)
                case ReplyCompleted():
                    stop = event.stop_reason
                case _:
                    raise AssertionError(f"unexpected {event}")
        assert message_id
        assert stop
        return AssistantMessage(id=message_id, content=tuple(blocks), stop_reason=stop)

    async def _answer(
        self, calls: list[ToolUseBlock], played: Played, refuse: Refuse
    ) -> UserMessage:
        content: list[UserBlock] = []
        note = self._pending_note
        self._pending_note = None
        for call in calls:
            refusal = refuse(call)
            text, is_error = (refusal, True) if refusal else await self._run(call)
            result = ToolResultBlock(
                tool_use_id=call.id, content=(TextBlock(text=text),), is_error=is_error
            )
            played.results.append(result)
            content.append(result)
            if call.name == "Edit" and not is_error and self._report_syntax:
                fresh = self._diagnose(Path(str(call.input["file_path"])))
                if self._late:
                    self._pending_note = fresh
                else:
                    note = fresh or note
        if note:
            content.append(TextBlock(text=f"<system-reminder>\n{note}\n</system-reminder>"))
        return UserMessage(content=tuple(content))

    async def _run(self, call: ToolUseBlock) -> tuple[str, bool]:
        match call.name:
            case "Read":
                return self._read_file(Path(str(call.input["file_path"])))
            case "Edit":
                return self._edit(call)
            case "Glob":
                paths = sorted(self._folder(call).glob(str(call.input["pattern"])))
                names = [str(path.relative_to(self.root)) for path in paths]
                return "\n".join(names) or "No files found", False
            case "Grep":
                return self._grep(call)
            case "Bash":
                return await self._bash(str(call.input["command"]))
            case "TodoWrite":
                assert json.dumps(call.input["todos"])
                return "Todos were updated.", False
            case _:
                raise AssertionError(f"no tool {call.name}")

    def _folder(self, call: ToolUseBlock) -> Path:
        return Path(str(call.input.get("path", self.root)))

    def _read_file(self, path: Path) -> tuple[str, bool]:
        assert path.is_absolute()
        if not path.is_file():
            return f"{path} does not exist.", True
        text = path.read_text(encoding="utf-8")
        if self.dedup_reads and self._shown.get(path) == text:
            return "File unchanged since the last read; see the earlier result.", False
        self._known[path] = self._shown[path] = text
        lines = text.removesuffix("\n").split("\n")
        return "\n".join(f"{n:>6}\t{line}" for n, line in enumerate(lines, 1)), False

    def _edit(self, call: ToolUseBlock) -> tuple[str, bool]:
        path = Path(str(call.input["file_path"]))
        old, new = str(call.input["old_string"]), str(call.input["new_string"])
        text = path.read_text(encoding="utf-8")
        if self._known.get(path) != text:
            return "File has not been read yet, or changed since. Read it first.", True
        count = text.count(old)
        if not count or (count > 1 and not call.input.get("replace_all")):
            return f"old_string was found {count} times", True
        path.write_text(text.replace(old, new), encoding="utf-8")
        # An edit counts as knowing the file, but a later Read shows it anew.
        self._known[path] = text.replace(old, new)
        self._shown.pop(path, None)
        return f"{path} was changed.", False

    def _grep(self, call: ToolUseBlock) -> tuple[str, bool]:
        assert call.input["output_mode"] == "files_with_matches"
        pattern = re.compile(str(call.input["pattern"]))
        files = self._folder(call).rglob(str(call.input["glob"]))
        hits = [p for p in files if pattern.search(p.read_text(encoding="utf-8"))]
        names = [str(path.relative_to(self.root)) for path in hits]
        return "\n".join(names) or "No files found", False

    async def _bash(self, command: str) -> tuple[str, bool]:
        command = re.sub(r"^python3?\b", f'"{sys.executable}" -B', command)
        process = await asyncio.create_subprocess_shell(
            command,
            cwd=self.root,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await process.communicate()
        text = output.decode()
        if process.returncode:
            return f"{text}\nExit code {process.returncode}", True
        return text, False

    def _diagnose(self, path: Path) -> str | None:
        try:
            compile(path.read_text(encoding="utf-8"), str(path), "exec")
        except SyntaxError as error:
            place = f"{path.relative_to(self.root)}:{error.lineno}:{error.offset}"
            return (
                "The edit was applied; these diagnostics are new (fresh, syntax):\n"
                f"{place} error: {error.msg}"
            )
        return None


def _check_streamed(block: AssistantBlock, streamed: str) -> None:
    """A block must be what was streamed before it."""
    if isinstance(block, ToolUseBlock):
        assert json.loads(streamed) == block.input
    elif isinstance(block, TextBlock):
        assert streamed == block.text
