"""Facts that a tool declares about one call, before it runs.

Owns: the record that the permission layer judges. Tools state facts; they never answer allow or
deny.
"""

from pathlib import Path

from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class CommandEffect:
    """A shell command that the call would run."""

    command: str
    cwd: Path
    background: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Effects:
    """What one call would touch. Paths are absolute and not yet resolved through symlinks."""

    reads: tuple[Path, ...] = ()
    writes: tuple[Path, ...] = ()
    command: CommandEffect | None = None
    hosts: tuple[str, ...] = ()
    """Hosts that the call would contact."""
    read_only: bool = False
    """True when the call changes nothing outside the session. The careful value is False."""
    internal: bool = False
    """True when the call touches only the session's own state (todo list, questions)."""
