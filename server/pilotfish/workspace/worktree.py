"""Worktrees: a folder and a branch of its own for a session or an agent.

Owns: making one under ``<repository>/.pilotfish/worktrees``, finding it again, telling whether it
holds work, removing it where it holds none. Where that cannot be told, it holds some.
Does not own: who works in it (``workspace.worktree_guests``), how git is run (``workspace.git``).
See also: design 02 §1, 01 §10.
"""

import asyncio
import logging
import os
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from pilotfish.config.home import FOLDER_NAME
from pilotfish.config.trees import WORKTREES
from pilotfish.core.errors import WorktreeError
from pilotfish.util.records import dataclass
from pilotfish.util.regular_file import read_regular
from pilotfish.util.visible import visible
from pilotfish.workspace.git import Git, GitError
from pilotfish.workspace.repository import (
    MAX_POINTER_BYTES,
    Repository,
    admin_folder,
    find_repository,
)
from pilotfish.workspace.slug import slug_problem
from pilotfish.workspace.worktree_guests import WorktreeGuests

logger = logging.getLogger(__name__)

BRANCH_PREFIX = "worktree/"

ADD_LIMIT_S = 300.0
"""How long writing or deleting all files of a worktree may take."""

_BASE_FILE = "pilotfish-base"
"""In git's own folder of a worktree: the commit that it began with. It goes with the worktree."""

_UNFINISHED = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge",
               "rebase-apply", "modules")  # fmt: skip
"""Entries of that folder which tell of work under way, or of repositories inside this one."""


_SUBMODULE = b"160000 "
"""How git's index marks the entry of another repository."""

_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


@dataclass(frozen=True, kw_only=True, slots=True)
class Worktree:
    """A folder with a branch of its own."""

    slug: str
    path: Path
    branch: str
    repository: Path
    """The main folder of its repository."""
    base: str | None
    """The commit that it began with; None: nobody knows any more."""
    reused: bool = False
    """Whether it was there already."""
    empty: tuple[str, ...] = ()
    """Folders of submodules, which are empty in it; made fit to be read by people."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Changes:
    """What a worktree holds that is nowhere else."""

    files: int = 0
    """Uncommitted files."""
    commits: int = 0
    """Commits since its beginning."""
    unknown: str = ""
    """Why it cannot be told; then the numbers mean nothing."""
    workers: tuple[str, ...] = ()
    """Other conversations that work in it; then it was not looked at."""

    @property
    def is_clean(self) -> bool:
        """Whether it is certain that nothing is lost with the worktree."""
        return not (self.files or self.commits or self.unknown or self.workers)

    def describe(self) -> str:
        """Say it in a few words."""
        if self.workers:
            return f"other conversations work in it ({', '.join(self.workers)})"
        if self.unknown:
            return f"its state is unknown ({self.unknown})"
        parts = [
            f"{count} {name}{'' if count == 1 else 's'}"
            for count, name in ((self.files, "uncommitted file"), (self.commits, "new commit"))
            if count
        ]
        return " and ".join(parts) or "no changes"


@dataclass(frozen=True, kw_only=True, slots=True)
class Kept:
    """It is still there, with its branch."""

    worktree: Worktree
    changes: Changes


@dataclass(frozen=True, kw_only=True, slots=True)
class Removed:
    """It is gone, and so is its branch as a rule."""

    worktree: Worktree
    branch_stays: bool = False
    """Whether its branch is there still, for commits that are nowhere else."""


Finished: TypeAlias = Kept | Removed


class Worktrees:
    """Makes and removes the worktrees of all repositories."""

    def __init__(self, git: Git) -> None:
        self.git = self._git = git
        """How they run git."""
        self._guests = WorktreeGuests()

    async def enter(self, path: Path, guest: str) -> Worktree | None:
        """Note that somebody works in a worktree until they leave it: nobody removes it meanwhile.

        Returns:
            The worktree; None when there is none of ours at that path (any more).
        """
        known = await self.reopen(path)
        if known is None:
            return None
        try:
            async with self._guests.hold(known.repository):
                found = await self.reopen(path)
                if found is not None:
                    await asyncio.to_thread(self._guests.enter, found.path, guest)
                return found
        except WorktreeError as error:
            # Whoever begins to remove it from now on sees the note.
            logger.warning("%s", error)
            await asyncio.to_thread(self._guests.enter, known.path, guest)
            return known

    def leave(self, path: Path, guest: str) -> None:
        """Note that somebody works in a worktree no longer. Blocks for a moment."""
        self._guests.leave(path, guest)

    async def guests(self, path: Path, but: str) -> tuple[str, ...]:
        """Return who works in a worktree beside somebody, in this process or in another."""
        return await asyncio.to_thread(self._guests.others, path, but)

    async def prepare(self, folder: Path, slug: str, guest: str = "") -> Worktree:
        """Make a worktree of the repository around a folder, or take the one that is there.

        A new one begins with the commit that the folder has; what is not committed is not in it.

        Args:
            folder: Anywhere in the repository.
            slug: Its name.
            guest: Who works in it from now on, if it is for longer than a task.

        Raises:
            WorktreeError: It cannot be made; says why.
        """
        problem = slug_problem(slug)
        if problem:
            raise WorktreeError(f"{slug[:80]!r} cannot name a worktree. {problem}")
        repository = await asyncio.to_thread(find_repository, folder)
        if repository is None:
            raise WorktreeError(
                f"{folder} is not in a git repository that can have worktrees.",
                hint="It must be a plain clone, neither bare nor a submodule.",
            )
        async with self._guests.hold(repository.root):
            path = await asyncio.to_thread(_place_for, repository.root, slug)
            if await asyncio.to_thread(os.path.lexists, path):
                found = await asyncio.to_thread(_found_again, repository.root, path, slug)
                made = replace(found, empty=await self._empty_submodules(path))
            else:
                try:
                    made = await self._add(repository, path, slug)
                except GitError as error:
                    raise WorktreeError(
                        f"The worktree could not be made. {error.message}", hint=error.hint
                    ) from error
            if guest:
                await asyncio.to_thread(self._guests.enter, made.path, guest)
            return made

    async def reopen(self, path: Path) -> Worktree | None:
        """Return one of our worktrees by its folder; None when there is none any more. Starts nothing."""
        return await asyncio.to_thread(_reopened, path)

    async def changes(self, worktree: Worktree) -> Changes:
        """Find out what a worktree holds that is nowhere else."""
        try:
            return await self._count(worktree)
        except (GitError, OSError) as error:
            return Changes(unknown=str(error))

    async def finish(self, worktree: Worktree, guest: str = "") -> Finished:
        """Remove a worktree that holds no work, and in which nobody but ``guest`` works; else keep it."""
        async with self._guests.hold(worktree.repository):
            changes = await self._held(worktree, guest) or await self.changes(worktree)
            if not changes.is_clean:
                return Kept(worktree=worktree, changes=changes)
            return await self._removed(worktree, force=False)

    async def remove_merged(
        self, worktree: Worktree, missing: Callable[[], Awaitable[str]]
    ) -> Finished:
        """Remove a worktree whose files are elsewhere, too; its branch stays if it has commits of its own.

        Args:
            worktree: Which one.
            missing: Says what of its files is nowhere else; empty when all of it is.
        """
        async with self._guests.hold(worktree.repository):
            held = await self._held(worktree, "")
            if held is not None:
                return Kept(worktree=worktree, changes=held)
            try:
                why = await self._doubt(worktree) or await missing()
                why = why or await self._loose_commits(worktree)
                own = 0 if why else await self._own_commits(worktree)
            except (GitError, OSError) as error:
                why, own = str(error), 0
            if why:
                return Kept(worktree=worktree, changes=Changes(unknown=why))
            return await self._removed(worktree, force=True, keep_branch=own > 0)

    async def discard(self, worktree: Worktree, guest: str = "") -> Finished:
        """Remove a worktree with everything in it, as the user wants.

        Kept where git cannot, and where somebody else than ``guest`` works in it.
        """
        async with self._guests.hold(worktree.repository):
            held = await self._held(worktree, guest)
            if held is not None:
                return Kept(worktree=worktree, changes=held)
            return await self._removed(worktree, force=True)

    async def _add(self, repository: Repository, path: Path, slug: str) -> Worktree:
        git, root, branch = self._git, repository.root, BRANCH_PREFIX + slug
        await git.require_harmless(repository.here)
        head = await git.run(repository.here, "rev-parse", "--verify", "HEAD^{commit}", check=False)
        if head.code != 0:
            raise GitError("The repository has no commit to begin with.", hint="Commit something.")
        base = head.text.decode().strip()
        if await asyncio.to_thread(_is_registered, root, path):
            # Somebody deleted the folder and git still waits for it.
            await git.run(root, "worktree", "remove", "--force", str(path))
        old = await self._tip(root, branch)
        await asyncio.to_thread(_make_folder, path.parent, root)
        # A branch that was kept when its folder went is taken up again, with its commits.
        what = [str(path), branch] if old else ["--no-track", "-b", branch, str(path), base]
        made = False
        try:
            add = ("worktree", "add", "--quiet", *what)
            await git.run(root, *add, limit_s=ADD_LIMIT_S, tidies_up=True)
            if not old:
                await asyncio.to_thread(_note_base, path, base)
            empty = await self._empty_submodules(path)
            made = True
        finally:
            if not made:
                await asyncio.shield(self._undo(root, path, "" if old else branch))
        began = None if old else base
        return Worktree(
            slug=slug, path=path, branch=branch, repository=root, base=began, empty=empty
        )

    async def _undo(self, root: Path, path: Path, branch: str) -> None:
        """Take back what a failed or cancelled ``worktree add`` has left."""
        git = self._git
        try:
            if await asyncio.to_thread(_is_registered, root, path):
                await git.run(root, "worktree", "remove", "--force", str(path), check=False)
            if branch:
                await git.run(root, "branch", "-D", branch, check=False)
        except GitError as error:
            logger.warning("%s is left half made: %s", path, error)

    async def _count(self, worktree: Worktree) -> Changes:
        doubt = await self._doubt(worktree)
        if doubt:
            return Changes(unknown=doubt)
        git, path = self._git, worktree.path
        status = await git.run(
            path, "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames",
            "--ignore-submodules=dirty",
        )  # fmt: skip
        heads = ("HEAD", f"refs/heads/{worktree.branch}")
        counted = await git.run(path, "rev-list", "--count", *heads, f"^{worktree.base}")
        return Changes(files=status.text.count(b"\0"), commits=int(counted.text))

    async def _doubt(self, worktree: Worktree) -> str:
        """Return why nobody can tell what a worktree holds; empty when git can."""
        admin = await asyncio.to_thread(admin_folder, worktree.path)
        if admin is None:
            return "git does not know it any more"
        if worktree.base is None:
            return "the commit that it began with is not known"
        unfinished = [name for name in _UNFINISHED if (admin / name).exists()]
        if unfinished:
            return f"git keeps {', '.join(unfinished)} for it"
        await self._git.require_harmless(worktree.path)
        submodules = await self._submodules(worktree.path)
        hidden = await asyncio.to_thread(_filled, worktree.path, submodules)
        return f"git does not look into the folder of the submodule {hidden}" if hidden else ""

    async def _loose_commits(self, worktree: Worktree) -> str:
        """Say whether a worktree is at commits that no branch would keep."""
        counted = await self._git.run(
            worktree.path, "rev-list", "--count", "HEAD", "--not", "--branches"
        )
        return "it is at commits that are on no branch" if int(counted.text) else ""

    async def _own_commits(self, worktree: Worktree) -> int:
        """Count the commits of a worktree's branch that the main tree does not have."""
        heads = (f"refs/heads/{worktree.branch}", "--not", "HEAD")
        if not await self._tip(worktree.repository, worktree.branch):
            return 0
        counted = await self._git.run(worktree.repository, "rev-list", "--count", *heads)
        return int(counted.text)

    async def _submodules(self, path: Path) -> list[str]:
        """Return the folders that stand for other repositories; a worktree begins with them empty."""
        listed = await self._git.run(path, "ls-files", "--stage", "-z")
        entries = (entry.partition(b"\t") for entry in listed.text.split(b"\0"))
        return [
            name.decode("utf-8", "surrogateescape")
            for facts, _, name in entries
            if facts.startswith(_SUBMODULE)
        ]

    async def _empty_submodules(self, path: Path) -> tuple[str, ...]:
        """Return the folders of submodules that hold nothing; none where git cannot tell."""
        if not await asyncio.to_thread((path / ".gitmodules").is_file):
            return ()
        try:
            folders = await self._submodules(path)
        except GitError as error:
            logger.warning("the submodules of %s are not known: %s", path, error)
            return ()
        empty = await asyncio.to_thread(
            lambda: [each for each in folders if not _filled(path, [each])]
        )
        return tuple(visible(each).replace("\n", "\\n") for each in empty)

    async def _removed(
        self, worktree: Worktree, *, force: bool, keep_branch: bool = False
    ) -> Finished:
        git, root, path = self._git, worktree.repository, worktree.path
        known = await asyncio.to_thread(_reopened, path)
        if known is None or known.repository != root:
            why = "it is not there, or git does not know it any more"
            return Kept(worktree=worktree, changes=Changes(unknown=why))
        # Without force, git looks once more whether anything would be lost.
        options = ["--force"] if force else []
        try:
            await git.require_harmless(path)
            await git.run(root, "worktree", "remove", *options, str(path), limit_s=ADD_LIMIT_S)
        except GitError as error:
            return Kept(worktree=worktree, changes=Changes(unknown=str(error)))
        if not keep_branch:
            dropped = await git.run(root, "branch", "-D", worktree.branch, check=False)
            if dropped.code != 0:
                logger.warning("the branch %s stays: %s", worktree.branch, dropped.complaint)
        await asyncio.to_thread(_remove_empty_folders, path.parent, root)
        return Removed(worktree=worktree, branch_stays=keep_branch)

    async def _tip(self, root: Path, branch: str) -> str:
        """Return the commit that a branch points at; empty when there is no such branch."""
        name = f"refs/heads/{branch}"
        shown = await self._git.run(root, "rev-parse", "--verify", "--quiet", name, check=False)
        return shown.text.decode().strip() if shown.code == 0 else ""

    async def _held(self, worktree: Worktree, guest: str) -> Changes | None:
        """Say who else works in a worktree, so that it stays; None where nobody does."""
        others = await self.guests(worktree.path, guest)
        return Changes(workers=others) if others else None


def _filled(tree: Path, folders: list[str]) -> str:
    """Return the first folder that holds anything; empty when none does."""
    for name in folders:
        try:
            with os.scandir(tree / name) as entries:
                if next(entries, None) is not None:
                    return name
        except FileNotFoundError:
            continue  # taking it away is a change that git tells of
    return ""


def _place_for(root: Path, slug: str) -> Path:
    """Return the folder of a worktree; nothing on the way to it may be a link or a worktree."""
    path = root / FOLDER_NAME / WORKTREES / slug
    for folder in _between(path, root):
        if folder.is_symlink():
            raise WorktreeError(f"{folder} is a link; a worktree is not made through one.")
        if folder != path and (folder / ".git").exists():
            raise WorktreeError(f"{folder} is a worktree; another one cannot be inside.")
    return path


def _between(path: Path, root: Path) -> list[Path]:
    """Return the folders from below ``root`` down to ``path``."""
    parts = path.relative_to(root).parts
    return [root.joinpath(*parts[: count + 1]) for count in range(len(parts))]


def _make_folder(folder: Path, root: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    ignore = root / FOLDER_NAME / WORKTREES / ".gitignore"
    if not ignore.exists():
        # The main worktree must not take the others for new files.
        ignore.write_text("*\n", encoding="utf-8")


def _found_again(root: Path, path: Path, slug: str) -> Worktree:
    found = _reopened(path)
    if found is None or found.repository != root:
        raise WorktreeError(
            f"{path} is there, but is no worktree of this repository.",
            hint="Choose another name, or move it away.",
        )
    # Whoever tidies up old worktrees goes by this time.
    os.utime(path)
    return replace(found, slug=slug)


def _reopened(path: Path) -> Worktree | None:
    admin = admin_folder(path) if path.is_dir() and not path.is_symlink() else None
    if admin is None:
        return None
    root = admin.parents[2]
    folder = root / FOLDER_NAME / WORKTREES
    if not path.resolve().is_relative_to(folder):
        return None
    slug = path.resolve().relative_to(folder).as_posix()
    return Worktree(
        slug=slug,
        path=path.resolve(),
        branch=BRANCH_PREFIX + slug,
        repository=root,
        base=_base_of(admin),
        reused=True,
    )


def _note_base(path: Path, base: str) -> None:
    admin = admin_folder(path)
    if admin is None:
        raise GitError("The new worktree is not what git should have made.")
    (admin / _BASE_FILE).write_text(f"{base}\n", encoding="ascii")


def _base_of(admin: Path) -> str | None:
    try:
        text = read_regular(admin / _BASE_FILE, MAX_POINTER_BYTES).decode("ascii").strip()
    except (OSError, ValueError):
        return None
    return text if _COMMIT.fullmatch(text) else None


def _is_registered(root: Path, path: Path) -> bool:
    """Tell whether git has a worktree with this folder on its list."""
    wanted = os.path.realpath(path / ".git")
    for entry in (root / ".git" / "worktrees").glob("*/gitdir"):
        try:
            if os.path.realpath(read_regular(entry, MAX_POINTER_BYTES).decode().strip()) == wanted:
                return True
        except (OSError, ValueError):
            continue
    return False


def _remove_empty_folders(folder: Path, root: Path) -> None:
    """Remove folders of a name with slashes that hold no other worktree."""
    top = root / FOLDER_NAME / WORKTREES
    while folder != top and folder.is_relative_to(top):
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent
