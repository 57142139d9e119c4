"""Which files the editor's own language servers look at.

Owns: asking ``_pilotfish/editor/serves`` once for each kind of file.
Does not own: how the editor finds out, what follows from it (``session.code_servers``).
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from pilotfish.edges.channel import ChannelError
from pilotfish.edges.lsp.editor_code import named_path
from pilotfish.edges.peer import Peer
from pilotfish.wire import methods
from pilotfish.wire.editor import ServesParams, ServesResponse

logger = logging.getLogger(__name__)

LIMIT_S = 0.5
"""How long the editor may take; then it is believed to serve the file."""

MAX_KINDS = 200
"""Kinds of files whose answers are kept."""


class EditorCover:
    """What the connected editor serves."""

    def __init__(self, peer: Callable[[], Peer]) -> None:
        self._peer = peer
        self._known: dict[str, bool] = {}
        """By suffix, or by name for a file without one."""
        self._asking: Counter[Path] = Counter()
        """How many questions about a document are under way."""

    async def serves(self, path: Path) -> bool:
        """Tell whether somebody in the editor looks at files like this one."""
        kind = path.suffix.lower() or path.name
        known = self._known.get(kind)
        if known is not None:
            return known
        served = await self._ask(path)
        if served is None:
            return True
        if len(self._known) >= MAX_KINDS:
            self._known.clear()
        self._known[kind] = served
        return served

    def is_asking(self, uri: str | None) -> bool:
        """Tell whether the editor is finding out who serves a document: we are not meant."""
        return uri is not None and bool(self._asking) and Path(named_path(uri)) in self._asking

    def forget(self) -> None:
        """Ask anew: the editor has found out more."""
        self._known.clear()

    async def _ask(self, path: Path) -> bool | None:
        params = ServesParams(uri=path.as_uri())
        self._asking[path] += 1
        try:
            async with asyncio.timeout(LIMIT_S):
                answer = await self._peer().ask(
                    methods.EDITOR_SERVES.name, params.model_dump(by_alias=True)
                )
            return ServesResponse.model_validate(answer).served
        except (TimeoutError, ChannelError, ValidationError) as error:
            logger.info("the editor did not tell who serves %s: %s", path.name, error or "too slow")
            return None
        finally:
            self._asking -= Counter([path])
