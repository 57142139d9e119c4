"""Telling the model what its edits broke, each file judged by whoever looks at it.

Owns: which of several hear of an edit.
Does not own: what is new (``codeintel.semantic``), who looks at what (``session.code_servers``).
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pilotfish.codeintel.note_text import Section
from pilotfish.codeintel.semantic import SemanticDiagnostics, ToldProblems
from pilotfish.ports.editing import EditRecord

Teller = Literal["editor", "own", "light", "described"]
"""The editor's servers, or ours: all, those that may run beside the editor's, those of the settings."""


class SemanticByFile:
    """Hears of edits; one per agent. Used like ``SemanticDiagnostics``."""

    def __init__(
        self,
        tellers: Mapping[Teller, SemanticDiagnostics],
        choose: Callable[[Path], Awaitable[Sequence[Teller]]],
        told: ToldProblems,
    ) -> None:
        """Set it up.

        Args:
            tellers: Tell what one source finds.
            choose: Tells who looks at a file.
            told: What they have told, in common.
        """
        self._tellers = tellers
        self._choose = choose
        self._told = told
        self._chosen: dict[Path, tuple[SemanticDiagnostics, ...]] = {}
        """Who judges the files of this batch; the same before the edit and after it."""
        self._found: dict[Teller, Sequence[Section]] = {}
        """What those have found who were done when the others were still waited for, and a stop came."""

    def work_in(self, root: Path) -> None:
        """Show paths relative to another folder from now on."""
        for teller in self._tellers.values():
            teller.work_in(root)

    def begin_turn(self) -> None:
        """Expect nothing more of earlier edits."""
        for teller in self._tellers.values():
            teller.begin_turn()

    async def before_edit(self, path: Path, old_text: str | None) -> None:
        """Take down what is known before a write."""
        begins = not self._chosen
        if path not in self._chosen:
            names = await self._choose(path)
            self._chosen[path] = tuple(self._tellers[name] for name in names)
        await asyncio.gather(*(one.before_edit(path, old_text) for one in self._chosen[path]))
        if begins:
            # Not before: what comes late of the last batch is found as this one begins.
            self._told.clear()

    def edited(self, record: EditRecord) -> None:
        """Take note of a write."""
        for teller in self._chosen.get(record.path, ()):
            teller.edited(record)

    async def sections(self) -> Sequence[Section]:
        """Return what is new since the last call, for a report; all are waited for together.

        What was found by the end of a call that is cancelled is told by the next one.
        """
        self._chosen.clear()
        await asyncio.gather(*(self._ask(name) for name in self._tellers))
        found, self._found = self._found, {}
        return [section for name in self._tellers for section in found.get(name, ())]

    async def _ask(self, name: Teller) -> None:
        sections = await self._tellers[name].sections()
        self._found[name] = [*self._found.get(name, ()), *sections]
