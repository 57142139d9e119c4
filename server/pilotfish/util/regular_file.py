"""Reading files that somebody else has made.

Owns: that only regular files are opened, and no more is read than was asked for: a repository may hold a
pipe by any name, and whoever opens one without a writer waits for ever.
Does not own: what is in them. Blocks on the disk.
"""

import errno
import io
import os
import stat
from pathlib import Path

_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # else opening a pipe waits for a writer
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def open_regular(path: Path) -> io.BufferedReader:
    """Open a regular file, or what a link to one leads to.

    Raises:
        OSError: It cannot be opened, or is no regular file.
    """
    file = os.fdopen(os.open(path, _FLAGS), "rb")
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    raise OSError(errno.EINVAL, "not a regular file", str(path))


def read_regular(path: Path, max_bytes: int) -> bytes:
    """Read a regular file whole.

    Raises:
        OSError: It cannot be read, is no regular file, or too large.
    """
    with open_regular(path) as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return data
