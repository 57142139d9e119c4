"""What has changed in a repository, as text for a model.

Owns: which files, their differences within a limit, without private files and without secrets.
Does not own: starting git (``workspace.git``), what is done with the text.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from pilotfish.core.errors import SessionError
from pilotfish.util.records import dataclass
from pilotfish.util.redact import Redactor
from pilotfish.workspace.git import Git
from pilotfish.workspace.repository import find_repository

MAX_FILE_CHARS = 4_000
"""Of one file's changes, what is shown: a lock file must not hide the rest."""

MAX_FILES = 300
"""Files whose changes are looked at; of more, the names."""

_DIFF = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "-M")

HiddenFiles = Callable[[Iterable[Path]], frozenset[Path]]
"""Returns those of some absolute paths that the model may not see. Blocking."""


@dataclass(frozen=True, slots=True)
class GitChanges:
    """Reads the changes of repositories."""

    git: Git
    hidden: HiddenFiles
    redactor: Redactor

    async def repository(self, folder: Path) -> Path:
        """Return the repository around a folder, in which git may be run.

        Raises:
            SessionError: There is none.
            GitError: It configures programs that git would run.
        """
        found = await asyncio.to_thread(find_repository, folder)
        if found is None:
            raise SessionError(f"{folder} is in no git repository.")
        await self.git.require_harmless(found.here)
        return found.here

    async def names(self, here: Path, *side: str) -> list[str]:
        """Return the files that differ; ``side`` as ``git diff`` has it."""
        listed = await self.git.run(here, *_DIFF, "--name-only", "-z", *side)
        return [name for name in listed.text.decode("utf-8", "replace").split("\0") if name]

    async def uncommitted(self, folder: Path, max_chars: int) -> str:
        """Return all that is not committed, as text; empty when there is nothing.

        Raises:
            SessionError: The folder is in no repository.
            GitError: Git failed, or the repository configures programs that it would run.
        """
        here = await self.repository(folder)
        begun = await self.git.run(here, "rev-parse", "--verify", "--quiet", "HEAD", check=False)
        side = ("HEAD",) if begun.code == 0 else ("--cached",)
        names = await self.names(here, *side)
        listed = await self.git.run(here, "ls-files", "--others", "--exclude-standard", "-z")
        new = [one for one in listed.text.decode("utf-8", "replace").split("\0") if one]
        text = await self.text(here, names, side, max_chars) if names else ""
        more = f"\nFiles that git does not follow yet: {', '.join(new[:MAX_FILES])}" if new else ""
        return (text + more).strip()

    async def text(
        self, here: Path, names: Sequence[str], side: Sequence[str], max_chars: int
    ) -> str:
        """Return the names and differences of files.

        Raises:
            GitError: Git failed.
        """
        hidden = await asyncio.to_thread(self.hidden, [here / name for name in names])
        shown = [name for name in names if here / name not in hidden]
        parts = [f"Files: {', '.join(shown[:MAX_FILES])}"]
        left = len(names) - len(shown)
        if left:
            parts.append(f"({left} more, whose content is private)")
        room = max_chars - len(parts[0])
        for name in shown[:MAX_FILES]:
            if room <= 0:
                break
            diff = await self.git.run(here, *_DIFF, *side, "--", f":(literal){name}")
            text = self.redactor.text(diff.text.decode("utf-8", "replace"))[:MAX_FILE_CHARS]
            parts.append(text)
            room -= len(text)
        return "\n".join(parts)
