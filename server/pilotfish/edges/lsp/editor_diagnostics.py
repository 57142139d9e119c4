"""What the editor's own language servers find.

Owns: ``ports.diagnostics.DiagnosticsSource`` over ``_pilotfish/editor/diagnostics``.
Does not own: what becomes of it (``codeintel.semantic``), how the editor knows when it is quiet.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import ValidationError

from pilotfish.edges.channel import ChannelError, describe_invalid
from pilotfish.edges.lsp.addresses import real_path_of
from pilotfish.edges.peer import Peer
from pilotfish.ports.diagnostics import Problem, ProblemReport
from pilotfish.wire import methods
from pilotfish.wire.editor import DiagnosticsParams, DiagnosticsResponse

logger = logging.getLogger(__name__)

NOW_LIMIT_S = 0.5
"""How long the editor may take to say what it knows already."""

QUIET_MS = 300
"""So long must nothing change for the editor to count as done (design §6.3)."""

GRACE_S = 0.5
"""What the way there and back may take on top of the wait that was asked for."""


class EditorDiagnostics:
    """The connected editor's diagnostics."""

    name = "the editor's language servers"

    def __init__(self, peer: Callable[[], Peer]) -> None:
        self._peer = peer

    async def now(self) -> ProblemReport | None:
        """Return what the editor shows now."""
        return await self._ask(DiagnosticsParams(), NOW_LIMIT_S)

    def begin_batch(self) -> None:
        """Do nothing: the editor tells what it knows, whenever."""

    async def expect(self, path: Path, old_text: str | None) -> None:
        """Do nothing: the editor sees every write itself."""

    def written(self, path: Path, new_text: str) -> None:
        """Do nothing: the editor sees every write itself."""

    async def after(
        self, paths: Sequence[Path], *, since: int, limit_s: float
    ) -> ProblemReport | None:
        """Wait until the editor has judged the files anew."""
        params = DiagnosticsParams(
            uris=[path.as_uri() for path in paths],
            since=since,
            quiet_ms=QUIET_MS,
            limit_ms=round(limit_s * 1000),
        )
        return await self._ask(params, limit_s + GRACE_S)

    async def judges(self, path: Path) -> bool:
        """Tell whether the editor is known to look at a file all the time; True: it does not tell."""
        params = DiagnosticsParams(uris=[path.as_uri()], only=True)
        response = await self._response(params, NOW_LIMIT_S)
        # Nothing else was asked about, and an editor may write the address in another way.
        told = () if response is None else response.files
        return all(one.watched is not False and not one.unseen for one in told)

    async def _ask(self, params: DiagnosticsParams, limit_s: float) -> ProblemReport | None:
        response = await self._response(params, limit_s)
        return None if response is None else await asyncio.to_thread(_report, response)

    async def _response(
        self, params: DiagnosticsParams, limit_s: float
    ) -> DiagnosticsResponse | None:
        try:
            async with asyncio.timeout(limit_s):
                answer = await self._peer().ask(
                    methods.EDITOR_DIAGNOSTICS.name, params.model_dump(by_alias=True)
                )
            return DiagnosticsResponse.model_validate(answer)
        except TimeoutError:
            return None
        except ChannelError as error:
            logger.warning("the editor did not tell its diagnostics: %s", error)
            return None
        except ValidationError as error:
            logger.warning("%s", describe_invalid("the editor's diagnostics", error))
            return None


def _report(response: DiagnosticsResponse) -> ProblemReport:
    problems: dict[Path, tuple[Problem, ...]] = {}
    published: set[Path] = set()
    unseen: set[Path] = set()
    watched: set[Path] = set()
    for file in response.files:
        path = real_path_of(file.uri)
        if path is None:
            continue
        if file.published:
            published.add(path)
        if file.unseen:
            unseen.add(path)
        if file.watched:
            watched.add(path)
        problems[path] = tuple(
            Problem(
                severity=each.severity,
                line=each.line + 1,
                column=each.character + 1,
                message=each.message,
                source=each.source,
                code=each.code,
            )
            for each in file.diagnostics
        )
    return ProblemReport(
        revision=response.revision,
        problems=problems,
        published=frozenset(published),
        unseen=frozenset(unseen),
        watched=frozenset(watched),
        cut=response.cut,
    )
