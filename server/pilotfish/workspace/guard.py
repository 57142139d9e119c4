"""Ends the children when this process is killed.

Owns: the guard, one tiny shell that holds the other end of a pipe and the list of our process
groups. When the pipe closes because this process is gone, however it went, the guard ends them.
Does not own: starting or ending children while this process lives (``workspace.process``).

Why not a parent-death signal in each child: it needs code between fork and exec (unsafe beside
threads) or a launcher per child (about 15 ms each), and it reaches the direct child only, while the
program that matters is usually a grandchild of a shell. The guard costs one ``sh`` (a megabyte, a
few milliseconds, once), reaches whole groups and works on every POSIX system.

A child's group is known only after it was started, we may be killed in between, and a child's child
may leave the group. So every child carries a mark in its environment, whose beginning is the same
for all of them, and the guard looks for that, too. Windows needs no guard (``windows_group``).
"""

import logging
import os
import secrets
import subprocess
import sys

from pilotfish.workspace.marks import MARK_NAME

logger = logging.getLogger(__name__)

_SCRIPT = """
groups=
while read -r op what; do
  case $op in
    +) groups="$groups $what" ;;
    -) kept=; for each in $groups; do [ "$each" = "$what" ] || kept="$kept $each"; done; groups=$kept ;;
  esac
done
marked() {
  if [ -d "$2/1" ]; then
    for file in $(grep -lsF "MARK=$1" "$2"/[0-9]*/environ 2>/dev/null); do
      pid=${file#"$2"/}
      echo "${pid%/environ}"
    done
  else
    ps axeww -o pid= -o command= 2>/dev/null | while read -r pid rest; do
      case $rest in *"MARK=$1"*) [ "$pid" = "$$" ] || echo "$pid" ;; esac
    done
  fi
}
pids=$(marked "$1" "$2")
[ -z "$groups$pids" ] && exit 0
for g in $groups; do kill -s TERM -- "-$g" 2>/dev/null; done
for p in $pids; do kill -s TERM "$p" 2>/dev/null; done
sleep 2
for g in $groups; do kill -s KILL -- "-$g" 2>/dev/null; done
for p in $(marked "$1" "$2"); do kill -s KILL "$p" 2>/dev/null; done
""".replace("MARK", MARK_NAME)
"""Its arguments are what all marks begin with, and where Linux shows its processes (elsewhere ``ps`` shows
their environments). Reads lines: ``+ group`` a child came, ``- group`` its group
ended. At the end of input it ends what is left: TERM, then KILL after two seconds, so that all is
gone well within the ten seconds of design §10."""

_SHELL = "/bin/sh"

_PROCESSES = "/proc"

_CLOSE_WAIT_S = 3.0
"""How long closing waits for the guard to end after its input closed."""


class GroupGuard:
    """Keeps the guard running and told about our process groups."""

    def __init__(self, *, processes: str = _PROCESSES) -> None:
        """Set it up.

        Args:
            processes: Where Linux shows its processes; where there is no such folder, ``ps`` is asked.
        """
        self._processes = processes
        self._process: subprocess.Popen[bytes] | None = None
        self._groups: set[int] = set()
        self._prefix = secrets.token_hex(8)
        self._count = 0

    @property
    def prefix(self) -> str:
        """What the marks of all children begin with."""
        return f"{self._prefix}-"

    def next_mark(self) -> str:
        """Return the mark of the next child; the guard runs from here on.

        ``variables`` makes environment variables of it.
        """
        self._count += 1
        if self._process is None:
            self._start()
        return (
            f"{self.prefix}{self._count}."  # the full stop keeps mark 1 from being found in mark 10
        )

    def variables(self, mark: str) -> dict[str, str]:
        """Return what the child with a mark must have in its environment."""
        return {MARK_NAME: mark}

    def add(self, group: int) -> None:
        """Put the group of a child under guard."""
        self._groups.add(group)
        self._tell(f"+ {group}\n")

    def remove(self, group: int) -> None:
        """Take a group out: it has ended, and its number may come to name somebody else's."""
        self._groups.discard(group)
        self._tell(f"- {group}\n")

    def close(self) -> None:
        """End the guard. Groups still under guard, and what carries a mark, are ended by it."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            process.wait(_CLOSE_WAIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _tell(self, line: str) -> None:
        """Tell the guard; one that is not running (yet, or any more) is started and told all."""
        if self._process is not None and self._write(line):
            return
        if not self._groups:
            return
        self.close()
        self._start()
        self._write("".join(f"+ {group}\n" for group in sorted(self._groups)))

    def _start(self) -> None:
        if sys.platform == "win32":  # a job ends with its last handle, and that is ours
            return
        try:
            # Its own session, so that a signal to our group or terminal does not take it with us.
            self._process = subprocess.Popen(  # noqa: S603 - constant program and script
                [_SHELL, "-c", _SCRIPT, "guard", self.prefix, self._processes],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                cwd="/",
                env={"PATH": "/usr/bin:/bin"},
                bufsize=0,
            )
        except OSError:
            logger.exception("no guard: children would outlive a killed server")

    def _write(self, lines: str) -> bool:
        if self._process is None or self._process.stdin is None:
            return False
        try:
            os.write(self._process.stdin.fileno(), lines.encode())
        except OSError as error:
            logger.warning("the guard is gone (%s)", error)
            return False
        return True
