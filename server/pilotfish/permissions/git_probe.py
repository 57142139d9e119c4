"""Whether reading a repository with git can run a program.

Owns: reading a repository's own configuration, as git would find it from a folder, and saying
whether it is harmless. Anything that is not known to be harmless is not.
Does not own: git itself: nothing is started here. The user's global configuration is the user's.
See also: design 00 §8 (b).
"""

import os
import posixpath
import re
import threading
from pathlib import Path

from pilotfish.workspace.git_config import reads_harmlessly

MAX_CONFIG_BYTES = 65_536
"""Larger configuration files count as harmful."""

MAX_INDEX_BYTES = 33_554_432
"""Larger indexes are not searched for submodules and count as holding some."""

MAX_CACHED = 64
"""Repositories whose answer is kept while their files stay as they are."""

_GITLINK = b"\x00\x00\xe0\x00"
"""File mode 160000 as the index stores it: another repository inside this one."""

_SECTION = re.compile(r'^\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(?:[#;].*)?$')
_ENTRY = re.compile(r"^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$")

_STARTED_BY_READERS = ("post-index-change", "fsmonitor-watchman", "query-watchman")
"""Hooks that a reading command may start."""

_Stamp = tuple[tuple[int, int], ...]


class GitProbe:
    """Answers for folders; remembers an answer while the files behind it stay the same.

    Touches the disk and blocks for some stat calls, longer after a change of a large index. Works
    on plain text, since it runs for every git command that is judged.
    """

    def __init__(self) -> None:
        self._answers: dict[str, tuple[_Stamp, bool]] = {}
        # Decisions of several sessions and agents run in threads.
        self._lock = threading.Lock()

    def is_quiet(self, folder: str) -> bool:
        """Tell whether reading git commands in a folder start nothing but git."""
        try:
            found = _repository_of(folder)
            if found is None:
                return True
            return found != _UNUSUAL and self._judge(*found)
        except (OSError, ValueError):
            return False

    def _judge(self, git_folder: str, common: str) -> bool:
        stamp = tuple(_stamp(path) for path in _watched(git_folder, common))
        with self._lock:
            known = self._answers.get(git_folder)
            if known and known[0] == stamp:
                return known[1]
            answer = _is_harmless(git_folder, common)
            if len(self._answers) >= MAX_CACHED:
                self._answers.pop(next(iter(self._answers)))
            self._answers[git_folder] = (stamp, answer)
            return answer


_UNUSUAL = ("", "")


def _repository_of(folder: str) -> tuple[str, str] | None:
    """Find the repository as git does: None when there is none, ``_UNUSUAL`` when we give up."""
    place: str = folder
    while True:
        entry = f"{place}/.git"
        if os.path.isdir(entry):  # noqa: PTH112 - text paths, see the class
            return (entry, _common_folder(entry))
        if os.path.isfile(entry):  # noqa: PTH113
            return _linked(place, _read(entry).strip())
        # A bare repository in the tree: git would take its configuration at once.
        if all(_exists(f"{place}/{name}") for name in ("HEAD", "objects", "refs")):
            return _UNUSUAL
        parent = os.path.dirname(place)  # noqa: PTH120
        if parent == place:
            return None
        place = parent


def _linked(place: str, pointer: str) -> tuple[str, str]:
    if not pointer.startswith("gitdir:"):
        return _UNUSUAL
    linked = posixpath.normpath(posixpath.join(place, pointer.removeprefix("gitdir:").strip()))
    return (linked, _common_folder(linked)) if _exists(linked) else _UNUSUAL


def _common_folder(git_folder: str) -> str:
    pointer = f"{git_folder}/commondir"
    if not _exists(pointer):
        return git_folder
    return posixpath.normpath(posixpath.join(git_folder, _read(pointer).strip()))


def _watched(git_folder: str, common: str) -> tuple[str, ...]:
    """Name the files on which the answer hangs; a folder changes when an entry comes or goes."""
    return (
        f"{common}/config",
        f"{git_folder}/config.worktree",
        f"{git_folder}/index",
        f"{common}/modules",
        f"{common}/hooks",
    )


def _exists(path: str) -> bool:
    return os.path.exists(path)  # noqa: PTH110


def _stamp(path: str) -> tuple[int, int]:
    try:
        status = os.stat(path)  # noqa: PTH116
    except FileNotFoundError:
        return (0, -1)
    return (status.st_mtime_ns, status.st_size)


def _is_harmless(git_folder: str, common: str) -> bool:
    if any(_exists(f"{common}/hooks/{name}") for name in _STARTED_BY_READERS):
        return False
    if _exists(f"{common}/modules") or _holds_repositories(Path(git_folder, "index")):
        return False
    return all(
        config_is_harmless(_read(file))
        for file in (f"{common}/config", f"{git_folder}/config.worktree")
        if _exists(file)
    )


def _holds_repositories(index: Path) -> bool:
    """Tell whether the index may name other repositories, whose configuration git also reads."""
    try:
        size = index.stat().st_size
    except FileNotFoundError:
        return False
    if size > MAX_INDEX_BYTES:
        return True
    # A split index keeps its entries in another file.
    if any(name.startswith("sharedindex.") for name in os.listdir(index.parent)):  # noqa: PTH208
        return True
    return _GITLINK in index.read_bytes()


def config_is_harmless(text: str) -> bool:
    """Tell whether no line of a git configuration can make a reading command run a program."""
    section = ""
    subsection: str | None = None
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        header = _SECTION.match(line)
        if header:
            section = header.group(1).lower()
            subsection = header.group(2)
            continue
        entry = _ENTRY.match(line)
        # A value that goes on in the next line could hide what that line is.
        if not entry or not section or line.endswith("\\"):
            return False
        if not reads_harmlessly(section, subsection, entry.group(1).lower(), entry.group(2)):
            return False
    return True


def _read(file: str) -> str:
    with Path(file).open("rb") as stream:
        data = stream.read(MAX_CONFIG_BYTES + 1)
    if len(data) > MAX_CONFIG_BYTES:
        raise ValueError(f"{file} is too large")
    return data.decode()
