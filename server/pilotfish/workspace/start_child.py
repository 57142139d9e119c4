"""Starting a child.

Owns: its standard streams and what is said when it cannot be started.
Does not own: its group (``process_group``), its life (``workspace.process``).
"""

import asyncio
import os
import sys
import tempfile
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import Mapping

from pilotfish.core.errors import ProcessError
from pilotfish.ports.processes import MAX_STDIN_BYTES, OpenSpec, ProcessSpec
from pilotfish.workspace.child import ChildOutput
from pilotfish.workspace.piped_child import ErrorTail
from pilotfish.workspace.process_group import GroupKind


async def spawn(
    spec: ProcessSpec, output: ChildOutput, variables: Mapping[str, str], kind: GroupKind
) -> Process:
    """Start a child that writes to pipes and has no more input than its spec holds.

    Raises:
        ProcessError: It could not be started.
    """
    stderr = STDOUT if output.error_pipe is None else output.error_pipe.write_fd
    stdin = input_of(spec) if spec.stdin else DEVNULL
    try:
        return await asyncio.create_subprocess_exec(
            *spec.argv,
            stdin=stdin,
            stdout=output.pipe.write_fd,
            stderr=stderr,
            cwd=spec.cwd,
            env={**spec.env, **variables},
            **kind.options,
        )
    except (OSError, ValueError) as error:
        raise not_started(spec, error) from error
    finally:
        if stdin != DEVNULL:
            os.close(stdin)


async def spawn_open(
    spec: OpenSpec, tail: ErrorTail, variables: Mapping[str, str], kind: GroupKind
) -> Process:
    """Start a child that is talked to over its standard streams.

    Raises:
        ProcessError: It could not be started.
    """
    try:
        return await asyncio.create_subprocess_exec(
            *spec.argv,
            stdin=PIPE,
            stdout=PIPE,
            stderr=tail.pipe.write_fd,
            cwd=spec.cwd,
            env={**spec.env, **variables},
            **kind.options,
        )
    except (OSError, ValueError) as error:
        raise not_started(spec, error) from error


def input_of(spec: ProcessSpec, platform: str = sys.platform) -> int:
    """Return a descriptor that yields a child's input and then its end."""
    if len(spec.stdin) > MAX_STDIN_BYTES:
        raise ProcessError(
            f"{spec.label} was not started: {len(spec.stdin):,} bytes are too much input."
        )
    if platform == "win32":
        return _input_file(spec.stdin)
    read_end, write_end = os.pipe()
    try:
        os.write(write_end, spec.stdin)
    finally:
        os.close(write_end)
    return read_end


def _input_file(text: bytes) -> int:
    """Pipes of Windows take four kilobytes without a reader, so a file stands for one there."""
    with tempfile.TemporaryFile() as file:
        file.write(text)
        file.seek(0)
        return os.dup(file.fileno())


def not_started(spec: ProcessSpec | OpenSpec, error: Exception) -> ProcessError:
    """Say why a child was not started."""
    # The same "no such file" comes for a missing folder and a missing program.
    if not os.path.isdir(spec.cwd):  # noqa: PTH112 - one stat, on a failure only
        return ProcessError(f"{spec.label} was not started: the folder {spec.cwd} does not exist.")
    return ProcessError(f"{spec.label} was not started: {error}.")
