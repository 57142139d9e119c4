"""The making of an index as the editor shows it.

Owns: LSP's work-done progress for the passes over a workspace, and their cancel.
Does not own: the index (``codeintel.index``).
"""

import asyncio
import itertools
import logging
from concurrent.futures import Future
from pathlib import Path
from typing import Any, cast

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from pilotfish.codeintel.index.hub import IndexHub
from pilotfish.codeintel.index.state import IndexState
from pilotfish.edges.localise import Translate
from pilotfish.util.tasks import TaskScope

logger = logging.getLogger(__name__)

MIN_FILES = 100
"""A pass over fewer files is over before anybody could read of it."""

REPORT_S = 0.25
"""How often the editor is told."""

CREATE_LIMIT_S = 5.0
"""How long the editor may take to make room for the progress."""

_PASSES = frozenset({"names", "full"})


class IndexProgress:
    """Shows the passes of all indexes."""

    def __init__(
        self, server: LanguageServer, hub: IndexHub, tasks: TaskScope, translate: Translate
    ) -> None:
        self._server = server
        self._translate = translate
        self._hub = hub
        self._tasks = tasks
        self._latest: dict[Path, IndexState] = {}
        self._shown: set[Path] = set()
        self._tokens = itertools.count(1)
        window = server.client_capabilities.window
        if window is not None and window.work_done_progress:
            hub.listen(self._take)

    def _take(self, root: Path, state: IndexState) -> None:
        self._latest[root] = state
        if root not in self._shown and state.phase in _PASSES and state.total >= MIN_FILES:
            self._shown.add(root)
            self._tasks.start(self._show(root), name="index progress")

    async def _show(self, root: Path) -> None:
        token = f"pilotfish-index-{next(self._tokens)}"
        # pygls leaves open what its futures hold.
        progress = cast("Any", self._server.work_done_progress)
        try:
            async with asyncio.timeout(CREATE_LIMIT_S):
                await progress.create_async(token)
            title = self._translate(f"Pilotfish: index of {root.name}", "index")
            begin = types.WorkDoneProgressBegin(title=title, cancellable=True, percentage=0)
            progress.begin(token, begin)
            await self._report(root, token, progress.tokens[token])
            message = self._said(self._latest[root])
            progress.end(token, types.WorkDoneProgressEnd(message=message))
        except TimeoutError:
            logger.warning("the editor made no room for the progress of the index")
        finally:
            self._shown.discard(root)

    async def _report(self, root: Path, token: str, asked_to_end: "Future[object]") -> None:
        while (state := self._latest[root]).phase in _PASSES:
            if asked_to_end.cancelled():
                self._hub.pause(root)
                return
            share = 100 * state.done // max(1, state.total)
            report = types.WorkDoneProgressReport(message=self._said(state), percentage=share)
            self._server.work_done_progress.report(token, report)
            await asyncio.sleep(REPORT_S)

    def _said(self, state: IndexState) -> str:
        return self._translate(state.describe(), "index")
