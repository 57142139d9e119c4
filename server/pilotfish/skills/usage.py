"""Which skills are used, and how often of late.

Owns: ``skill-usage.json`` in the state folder, and the score by which menus are sorted.
Does not own: using skills (``session.skill_use``). See also: design 03 §4.16.
"""

import asyncio
import logging
from pathlib import Path

from pilotfish.config.files import locked, read_object, write_object
from pilotfish.core.errors import SettingsError
from pilotfish.core.jsontypes import JsonObject
from pilotfish.ports.clock import ClockPort
from pilotfish.util.records import dataclass

logger = logging.getLogger(__name__)

FILE_NAME = "skill-usage.json"

HALF_LIFE_DAYS = 7

LEAST_WEIGHT = 0.1
"""What is left of a use, however long ago it was."""

TOGETHER_MS = 60_000
"""Uses of one skill within this time are one; the file is written once for them."""

MAX_SKILLS = 1_000
"""Skills that are remembered; those that were not used for the longest time go first."""

WRITE_LIMIT_S = 2.0
"""Nobody waits longer for a disk to take such a note."""

_DAY_MS = 24 * 60 * 60 * 1000


@dataclass(frozen=True, kw_only=True, slots=True)
class Use:
    """How often a skill was used."""

    count: int
    last_ms: int
    """Wall clock."""

    def score(self, now_ms: int) -> float:
        """Return how near at hand it should be: the more uses and the fewer days, the higher."""
        days = max(0, now_ms - self.last_ms) / _DAY_MS
        return self.count * max(0.5 ** (days / HALF_LIFE_DAYS), LEAST_WEIGHT)


class SkillUsage:
    """The user's habits, shared by all sessions and processes."""

    def __init__(self, home: Path, clock: ClockPort) -> None:
        """Know nothing; ``load`` reads the file.

        Args:
            home: The state folder.
            clock: For the times.
        """
        self._home = home
        self._file = home / FILE_NAME
        self._clock = clock
        self._uses: dict[str, Use] = {}

    def load(self) -> None:
        """Read what is known; a file that cannot be read says nothing. Blocks."""
        try:
            self._uses = _uses_of(read_object(self._file))
        except SettingsError as error:
            logger.warning("%s", error)

    def score(self, name: str) -> float:
        """Return a skill's score; 0 for one that was never used."""
        use = self._uses.get(name)
        return 0.0 if use is None else use.score(self._clock.now_ms())

    async def note(self, name: str) -> None:
        """Take note of a use."""
        now_ms = self._clock.now_ms()
        if _is_counted(self._uses.get(name), now_ms):
            return
        try:
            async with asyncio.timeout(WRITE_LIMIT_S):
                await asyncio.to_thread(self._write, name, now_ms)
        except (SettingsError, TimeoutError) as error:
            logger.warning("the use of the skill %s is not remembered: %s", name, error)

    def _write(self, name: str, now_ms: int) -> None:
        with locked(self._file, self._home):
            known = read_object(self._file)
            uses = _uses_of(known)
            old = uses.pop(name, None)
            if not _is_counted(old, now_ms):  # another process may have been quicker
                old = Use(count=1 if old is None else old.count + 1, last_ms=now_ms)
                uses[name] = old
                kept = sorted(uses.items(), key=lambda each: each[1].last_ms)[-MAX_SKILLS:]
                known["skillUsage"] = {
                    key: {"count": use.count, "lastUsedMs": use.last_ms} for key, use in kept
                }
                write_object(self._file, known)
            self._uses = uses | ({} if old is None else {name: old})


def _is_counted(use: Use | None, now_ms: int) -> bool:
    return use is not None and 0 <= now_ms - use.last_ms < TOGETHER_MS


def _uses_of(known: JsonObject) -> dict[str, Use]:
    """Return what a file says; entries that are no uses are left out."""
    found = known.get("skillUsage")
    uses: dict[str, Use] = {}
    for name, entry in found.items() if isinstance(found, dict) else ():
        count = entry.get("count") if isinstance(entry, dict) else None
        last_ms = entry.get("lastUsedMs") if isinstance(entry, dict) else None
        if isinstance(count, int) and isinstance(last_ms, int) and count > 0:
            uses[name] = Use(count=count, last_ms=last_ms)
    return uses
