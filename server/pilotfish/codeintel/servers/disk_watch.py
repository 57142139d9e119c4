"""What others change below a server's root: commands, the user, version control.

Owns: watching a folder and telling of what changed in it, in bundles; what came with a folder.
Does not own: who wants to know (``pool``).
"""

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from contextlib import aclosing
from pathlib import Path

from pilotfish.codeintel.servers.disk_state import DiskState
from pilotfish.codeintel.servers.watchers import CREATED, DELETED
from pilotfish.util.folder_watch import NOISY_FOLDERS, LostPauses, WatchLostError, load_awatch
from pilotfish.util.records import dataclass
from pilotfish.util.tasks import TaskScope

logger = logging.getLogger(__name__)

DEBOUNCE_MS = 200
"""How long a stream of changes is collected at most before it is told."""

STEP_MS = 30
"""How long it must be quiet to be told earlier."""

MAX_BUNDLE = 2_000
"""Changes that are told at once; more of them, as after a change of branch, follow in further bundles."""

MAX_CAME_ALONG = 10_000
"""Files of new folders that are told by name, of one stream of changes; the folders count, too."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bundle:
    """Changes that are told at once."""

    changes: Mapping[Path, int]
    """By path what became of it; see ``watchers``."""
    folders: frozenset[Path]
    """Those of the new ones that are folders."""


Tell = Callable[[Bundle], None]
Changes = set[tuple[int, str]]


async def watch_root(root: Path, tell: Tell) -> None:
    """Watch a folder until cancelled; where that is not possible, say so in the log and end.

    Args:
        root: The folder, with all below it.
        tell: Gets the changes, bundle by bundle.
    """

    def is_wanted(_: object, name: str) -> bool:
        return NOISY_FOLDERS.isdisjoint(Path(name).relative_to(root).parts)

    awatch = await asyncio.to_thread(load_awatch)
    state, pauses = DiskState(root), LostPauses()
    await asyncio.to_thread(state.look)
    while True:
        changes = awatch(
            root,
            watch_filter=is_wanted,
            debounce=DEBOUNCE_MS,
            step=STEP_MS,
            ignore_permission_denied=True,
        )
        try:
            async with aclosing(changes):
                await _follow(changes, state, tell)
        except WatchLostError as error:
            logger.info("%s is watched anew: %s", root, error)
            await asyncio.sleep(pauses.take())
        except (OSError, RuntimeError) as error:
            logger.warning("%s is not watched: %s", root, error)
            return
        else:
            return


async def _follow(changes: AsyncGenerator[Changes], state: DiskState, tell: Tell) -> None:
    """Tell of what changed while nobody watched, then of what a watcher sees."""
    tasks = TaskScope("disk watch")
    try:
        sign = tasks.start(_next(changes), name="sign", awaited=True)
        # From here on the watcher takes note.
        await asyncio.sleep(0)
        await _tell_all(await asyncio.to_thread(lambda: list(_in_parts(state.look()))), tell)
        while (seen := await sign) is not None:
            await _tell_all(await asyncio.to_thread(_take_in, seen, state), tell)
            sign = tasks.start(_next(changes), name="sign", awaited=True)
    finally:
        await tasks.close()


async def _next(changes: AsyncGenerator[Changes]) -> Changes | None:
    """Wait for what a watcher sees; None when there will be nothing."""
    return await anext(changes, None)


def _take_in(seen: Changes, state: DiskState) -> list[Bundle]:
    found = list(bundles(seen))
    for bundle in found:
        state.note(bundle.changes.keys() - bundle.folders)
    return found


async def _tell_all(several: Iterable[Bundle], tell: Tell) -> None:
    for bundle in several:
        tell(bundle)
        await asyncio.sleep(0)


def bundles(changes: Iterable[tuple[int, str]]) -> Iterator[Bundle]:
    """Put what a watcher saw into the order in which it must be told. Blocking: it looks at the disk.

    A file that went and came again, as at a change of branch, is seen as both, in no order: it is told as
    gone first, then as new. Of a folder that was moved here nobody names the files.
    """
    kinds: dict[Path, set[int]] = {}
    for kind, name in changes:
        kinds.setdefault(Path(name), set()).add(int(kind))
    came_again = [path for path, seen in kinds.items() if len(seen) > 1 and os.path.lexists(path)]
    first = {path: DELETED for path in came_again if DELETED in kinds[path]}
    then: dict[Path, int] = {}
    for path, seen in kinds.items():
        if path in first or (DELETED not in seen and CREATED in seen):
            then[path] = CREATED
        else:
            then[path] = max(seen)
    created = [path for path, kind in then.items() if kind == CREATED]
    # Unlike those of ``Path``, these raise nothing where one may not look, which would end the watching.
    folders = {path: None for path in created if os.path.isdir(path)}  # noqa: PTH112
    # What a link leads to may be anywhere and of any size.
    for path in _files_below(path for path in folders if not os.path.islink(path)):  # noqa: PTH114
        then.setdefault(path, CREATED)
    for several in (first, then):
        yield from _in_parts(several, folders)


def _in_parts(changes: Mapping[Path, int], folders: Iterable[Path] = ()) -> Iterator[Bundle]:
    items = list(changes.items())
    for at in range(0, len(items), MAX_BUNDLE):
        part = dict(items[at : at + MAX_BUNDLE])
        yield Bundle(changes=part, folders=frozenset(part.keys() & folders))


def _files_below(folders: Iterable[Path]) -> Iterator[Path]:
    room = MAX_CAME_ALONG
    for folder in folders:
        for parent, inner, names in os.walk(folder):
            inner[:] = [name for name in inner if name not in NOISY_FOLDERS]
            yield from (Path(parent, name) for name in names[:room])
            room -= len(names) + 1
            if room <= 0:
                return
