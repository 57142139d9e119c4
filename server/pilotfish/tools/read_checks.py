"""What Read refuses before it opens anything.

Owns: the guards of design 06 §4.2 and the kinds of files that need another tool. Blocking.
"""

import re
import stat
from pathlib import Path

from pilotfish.tooling.spec import ToolInputError
from pilotfish.workspace.lookalikes import missing_file

IMAGE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp"})

_BINARY_SUFFIXES = frozenset(
    {
        # archives and disk images
        ".7z", ".bz2", ".dmg", ".gz", ".iso", ".jar", ".rar", ".tar", ".tgz", ".xz", ".zip",
        ".zst",
        # compiled code
        ".a", ".bin", ".class", ".dll", ".dylib", ".exe", ".lib", ".o", ".obj", ".pdb", ".pyc",
        ".so", ".wasm",
        # documents, fonts, media
        ".doc", ".docx", ".eot", ".ico", ".mov", ".mp3", ".mp4", ".ogg", ".otf", ".tiff", ".ttf",
        ".wav", ".woff", ".woff2", ".xls", ".xlsx",
    }
)  # fmt: skip

_ENDLESS = re.compile(r"/(dev/(?!shm/)|proc/(kmsg$|kcore$|[^/]+/(task/[^/]+/)?fd/))")
"""Devices, per-process descriptors and kernel logs: reading them may never end."""


def check_readable(path: Path, cwd: Path) -> None:
    """Make sure that a path names a file that Read can show.

    Raises:
        ToolInputError: It does not; the text says what to use instead.
    """
    if _ENDLESS.match(str(path)):
        raise ToolInputError(f"{path} is a device or a stream; reading it could block for ever.")
    try:
        info = path.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ToolInputError(" ".join(missing_file(path, cwd))) from error
    except OSError as error:
        raise ToolInputError(f"{path} cannot be read: {error.strerror}.") from error
    if stat.S_ISDIR(info.st_mode):
        raise ToolInputError(f"{path} is a folder. Use Glob, or `ls` with Bash, to list it.")
    if not stat.S_ISREG(info.st_mode) or _ENDLESS.match(str(path.resolve())):
        raise ToolInputError(
            f"{path} is a device, pipe or socket; reading it could block for ever."
        )
    _check_kind(path)


def _check_kind(path: Path) -> None:
    suffix = path.suffix.lower()
    if suffix in _BINARY_SUFFIXES:
        raise ToolInputError(
            f"{path} is a binary file ({suffix}). Inspect it with Bash, for example `file` or `xxd`."
        )
