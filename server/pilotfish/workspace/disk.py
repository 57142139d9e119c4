"""Writing a file so that it is either the old one or the new one.

Owns: temporary file and replace, permission bits, owner and extended attributes, the cases where a
file must be written in place, the last check against a change by somebody else.
Does not own: what is written (``workspace.edit_pipeline``). All functions block; call in a thread.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Sequence
from pathlib import Path

from pilotfish.core.errors import EditClash, WorkspaceError
from pilotfish.util.records import dataclass
from pilotfish.workspace.encoded import Content, KeptBytes, holds, keeps, write_content
from pilotfish.workspace.unfinished import UnfinishedWrites, temporary_beside


@dataclass(frozen=True, kw_only=True, slots=True)
class DiskStamp:
    """By what a file on disk is recognised as unchanged."""

    mtime_ns: int
    size: int


def write_file(
    path: Path,
    data: Content,
    *,
    expected: DiskStamp | None,
    kept: Sequence[KeptBytes] = (),
    unfinished: UnfinishedWrites | None = None,
) -> os.stat_result:
    """Write a whole file, atomically where the file system lets us.

    A file with several names (hard links) and a file that a new one could not stand in for (another
    owner, a folder that we may not write) are written in place.

    Args:
        path: The real file, no symlink.
        data: The new content.
        expected: The state in which the file must still be; None when it must not exist.
        kept: Ranges of the file that must come out as they are; compared before it is replaced.
        unfinished: Where to note the temporary file, for the case that this process is killed.

    Returns:
        The state after the write.

    Raises:
        EditClash: The file is not in the expected state.
        WorkspaceError: It cannot be written; the old content is intact, unless the message says
            otherwise.
    """
    temporary = temporary_beside(path)
    noted = unfinished.noted(temporary) if unfinished else contextlib.nullcontext()
    try:
        with noted:
            if expected is None:
                return _create(path, data, temporary)
            if not _replace(path, data, expected, temporary, kept):
                _write_in_place(path, data, expected, unfinished)
            return path.stat()
    except FileExistsError as error:
        raise EditClash(
            f"{path} was created by somebody else in the meantime.", hint="Read it first."
        ) from error
    except OSError as error:
        raise WorkspaceError(f"{path} cannot be written: {error.strerror}.") from error


def delete_file(path: Path, *, expected: DiskStamp | None) -> None:
    """Delete a file; one that is gone already is no matter.

    Args:
        path: The real file, no symlink.
        expected: The state in which the file must still be; None when that is not known.

    Raises:
        EditClash: Somebody else has changed it.
        WorkspaceError: It cannot be deleted.
    """
    try:
        if expected is not None and path.exists():
            _checked(path, expected)
        path.unlink(missing_ok=True)
    except OSError as error:
        raise WorkspaceError(f"{path} cannot be deleted: {error.strerror}.") from error


def clash(path: Path) -> EditClash:
    """Build the error for a file that changed after it was read."""
    return EditClash(
        f"{path} changed since you read it; nothing was written.",
        hint="Read it again, then repeat the edit on the new text.",
    )


def _create(path: Path, data: Content, temporary: Path) -> os.stat_result:
    path.parent.mkdir(parents=True, exist_ok=True)
    _write_temporary(temporary, data, mode=0o666)
    try:
        try:
            # A link fails when the name is taken, where a rename would overwrite.
            os.link(temporary, path)
        except OSError as error:
            if error.errno not in {errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EMLINK}:
                raise
            if path.exists():
                raise FileExistsError(errno.EEXIST, "File exists", str(path)) from error
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path.stat()


def _replace(
    path: Path,
    data: Content,
    expected: DiskStamp,
    temporary: Path,
    kept: Sequence[KeptBytes],
) -> bool:
    """Put a new file in the old one's place; False when that must be written in place."""
    info = _checked(path, expected)
    if not os.access(path, os.W_OK):
        raise WorkspaceError(f"{path} is read-only; nothing was written.")
    if info.st_nlink > 1:
        return False
    try:
        _write_temporary(temporary, data, mode=0o600)
    except PermissionError:
        return False
    try:
        if not _take_over(temporary, path, info):
            return False
        same = _keeps(path, temporary, kept)
        _checked(path, expected)
        if not same:
            raise WorkspaceError(
                f"{path}: the edit would change bytes outside the edited text, because of its "
                "encoding; nothing was written.",
                hint="Convert the file to UTF-8 first.",
            )
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return True


def _checked(path: Path, expected: DiskStamp) -> os.stat_result:
    try:
        info = path.stat()
    except FileNotFoundError as error:
        raise EditClash(
            f"{path} was deleted since you read it; nothing was written.",
            hint="Use Write if it should exist again.",
        ) from error
    if (info.st_mtime_ns, info.st_size) != (expected.mtime_ns, expected.size):
        raise clash(path)
    return info


def _write_temporary(temporary: Path, data: Content, *, mode: int) -> None:
    """Write the data to a new file and prove that it is there."""
    descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            write_content(file, data)
        same = _holds(temporary, data)
    except BaseException:  # a stop included
        temporary.unlink(missing_ok=True)
        raise
    if not same:
        temporary.unlink(missing_ok=True)
        raise WorkspaceError(f"{temporary}: what was written reads back differently.")


def _holds(path: Path, data: Content) -> bool:
    with path.open("rb") as file:
        return holds(file, data)


def _keeps(path: Path, written: Path, kept: Sequence[KeptBytes]) -> bool:
    with path.open("rb") as old, written.open("rb") as new:
        return keeps(old, new, kept)


def _take_over(temporary: Path, path: Path, info: os.stat_result) -> bool:
    """Give the new file the old one's owner, attributes and mode; False when that is not allowed."""
    made = temporary.stat()
    if (made.st_uid, made.st_gid) != (info.st_uid, info.st_gid):
        try:
            os.chown(temporary, info.st_uid, info.st_gid)
        except PermissionError:
            return False
    _copy_attributes(path, temporary)
    # After the owner: changing that clears the set-id bits.
    temporary.chmod(stat.S_IMODE(info.st_mode))
    return True


def _copy_attributes(source: Path, target: Path) -> None:
    """Copy extended attributes (access lists among them) where the system has them."""
    if not hasattr(os, "listxattr"):
        return
    try:
        names = os.listxattr(source)
    except OSError:
        return
    for name in names:
        # Some belong to the kernel or to a security module, which sets them itself.
        with contextlib.suppress(OSError):
            os.setxattr(target, name, os.getxattr(source, name))


def _write_in_place(
    path: Path, data: Content, expected: DiskStamp, unfinished: UnfinishedWrites | None
) -> None:
    """Overwrite the file itself: its old content or the new one comes out, whatever happens.

    A journal finishes it at the next start if this process is killed.
    """
    if unfinished is None:
        old: Content | Path = path.read_bytes()
        entry = None
    else:
        entry = unfinished.begin_in_place(path, data)
        old = entry.old
    try:
        _checked(path, expected)
    except EditClash:
        if entry is not None:
            entry.close()
        raise
    try:
        _overwrite(path, data)
    except BaseException as error:  # a stop included
        if not _put_back(path, old):
            where = f"Its text before is in {old}." if isinstance(old, Path) else ""
            raise WorkspaceError(
                f"{path} could be written only in part, and not be put back either.", hint=where
            ) from error
        if entry is not None:
            entry.close()
        raise
    if entry is not None:
        entry.close()


def _overwrite(path: Path, data: Content) -> None:
    with path.open("r+b") as file:
        write_content(file, data)
        file.truncate()
    if not _holds(path, data):
        raise OSError(errno.EIO, "what was written reads back differently")


def _put_back(path: Path, old: Content | Path) -> bool:
    try:
        _overwrite(path, old.read_bytes() if isinstance(old, Path) else old)
    except OSError:
        return False
    return True
