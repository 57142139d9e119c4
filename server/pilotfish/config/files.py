"""JSON files of settings on disk.

Owns: reading one object with a useful error, replacing a file in one step, and the lock around a
read and the write that follows. All of it touches the disk and blocks.
Does not own: what the objects mean.
"""

import hashlib
import json
import os
import secrets
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from pilotfish.core.errors import SettingsError
from pilotfish.core.jsontypes import JsonObject, JsonValue

MAX_FILE_BYTES = 1_048_576
"""Largest settings file that is read."""

BYTE_ORDER_MARK = "\ufeff"
"""Some editors put it in front of a file; it says nothing, but it stays where it is."""

LOCK_WAIT_S = 5.0
"""How long a writer waits for another process that writes the same file."""


def read_object(file: Path) -> JsonObject:
    """Read a JSON object; a file that does not exist is an empty one.

    Raises:
        SettingsError: The file cannot be read, is too large, or is no JSON object.
    """
    text = read_text(file)
    return {} if text is None or not text.strip() else parse_object(text, str(file))


def read_text(file: Path) -> str | None:
    """Read a settings file's text, without a byte order mark; None when there is no such file.

    Raises:
        SettingsError: The file cannot be read, is too large, or is no UTF-8.
    """
    text = read_whole_text(file)
    return None if text is None else text.removeprefix(BYTE_ORDER_MARK)


def read_whole_text(file: Path) -> str | None:
    """Read a settings file's text as it is; None when there is no such file.

    Raises:
        SettingsError: The file cannot be read, is too large, or is no UTF-8.
    """
    try:
        # Non-blocking: a repository may hold a pipe of that name, which would be waited for.
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as stream:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise SettingsError(f"{file} is not a regular file.")
            data = stream.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SettingsError(f"{file} cannot be read: {error.strerror or error}.") from error
    if len(data) > MAX_FILE_BYTES:
        raise SettingsError(f"{file} is larger than {MAX_FILE_BYTES} bytes.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SettingsError(f"{file} is not UTF-8 text.") from error


class BrokenJson(SettingsError):  # noqa: N818 - reads as what happened
    """Text that is no JSON object."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message)
        self.line = line
        """1-based line of the trouble, when known."""


def parse_object(text: str, name: str) -> JsonObject:
    """Read a JSON object from text. A key that stands twice is an error: one would be lost.

    Raises:
        BrokenJson: It is no JSON object.
    """
    try:
        value: JsonValue = json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        message = f"{name} is not valid JSON (line {error.lineno}: {error.msg})."
        raise BrokenJson(message, error.lineno) from error
    except (_TwiceError, RecursionError, ValueError) as error:
        raise BrokenJson(f"{name} cannot be used: {error}.", None) from error
    if not isinstance(value, dict):
        raise BrokenJson(f"{name} does not hold a JSON object.", 1)
    return value


def write_object(file: Path, value: JsonObject) -> None:
    """Replace a file by a JSON object with two blanks of indent, in one step, keeping its mode.

    Raises:
        SettingsError: The file cannot be written; it is then as it was.
    """
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    write_text(file, text)


def write_text(file: Path, text: str) -> None:
    """Replace a file's text in one step; a link is followed to the file that it names.

    Raises:
        SettingsError: The file cannot be written; it is then as it was.
    """
    target = Path(os.path.realpath(file))
    scratch = target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with scratch.open("x", encoding="utf-8", newline="") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            scratch.chmod(target.stat().st_mode & 0o7777)
        scratch.replace(target)
    except OSError as error:
        with suppress(OSError):  # a read-only file system refuses this as well
            scratch.unlink()
        raise SettingsError(f"{file} cannot be written: {error.strerror or error}.") from error


@contextmanager
def locked(file: Path, home: Path) -> Generator[None]:
    """Hold the lock of a settings file. Locks live in the state folder, never in a project.

    Raises:
        SettingsError: Another process holds it for too long, or it cannot be made.
    """
    name = hashlib.sha256(os.fsencode(os.path.realpath(file))).hexdigest()[:24]
    folder = home / "locks"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(str(folder / f"{name}.lock"), timeout=LOCK_WAIT_S):
            yield
    except Timeout as error:
        raise SettingsError(
            f"{file} is being changed by another process.", hint="Try again in a moment."
        ) from error
    except OSError as error:
        raise SettingsError(f"{file} cannot be locked: {error.strerror or error}.") from error


class _TwiceError(Exception):
    """A key stands twice in one object."""


def _unique(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    found: JsonObject = {}
    for key, value in pairs:
        if key in found:
            raise _TwiceError(f"the key {json.dumps(key)} stands twice in one object")
        found[key] = value
    return found
