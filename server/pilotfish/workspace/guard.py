"""Ends the children when this process is killed.

Owns: the guard, one tiny shell that holds the other end of a pipe and the list of our process
groups. When the pipe closes because this process is gone, however it went, the guard ends them.
Does not own: starting or ending children while this process lives (``workspace.process``).

Why not a parent-death signal in each child: it needs code between fork and exec (unsafe beside
threads) or a launcher per child (about 15 ms each), and it reaches the direct child only, while the
program that matters is usually a grandchild of a shell. The guard costs one ``sh`` (a megabyte, a
few milliseconds, once), reaches whole groups and works on every POSIX system.

A child's group is known only after it was started, and we may be killed in between. So each start
is announced first, with a mark that the child carries in its environment; the guard looks for the
marks of starts that were never completed (by ``/proc``, so on Linux only).
"""

import logging
import os
import secrets
import subprocess

logger = logging.getLogger(__name__)

MARK_NAME = "PILOTFISH_CHILD"
"""Environment variable that carries a child's mark."""

_SCRIPT = """
groups=
marks=
without() { kept=; for each in $1; do [ "$each" = "$2" ] || kept="$kept $each"; done; }
while read -r op what mark; do
  case $op in
    '?') marks="$marks $what" ;;
    '!') without "$marks" "$what"; marks=$kept ;;
    +) groups="$groups $what"; without "$marks" "$mark"; marks=$kept ;;
    -) without "$groups" "$what"; groups=$kept ;;
  esac
done
for mark in $marks; do
  for file in $(grep -lsF "MARK=$mark." /proc/[0-9]*/environ 2>/dev/null); do
    pid=${file#/proc/}
    pids="$pids ${pid%/environ}"
  done
done
[ -z "$groups$pids" ] && exit 0
for g in $groups; do kill -s TERM -- "-$g" 2>/dev/null; done
for p in $pids; do kill -s TERM "$p" 2>/dev/null; done
sleep 2
for g in $groups; do kill -s KILL -- "-$g" 2>/dev/null; done
for p in $pids; do kill -s KILL "$p" 2>/dev/null; done
""".replace("MARK", MARK_NAME)
"""Reads lines: ``? mark`` a start is coming, ``+ group mark`` it came, ``! mark`` it did not come,
``- group`` the group ended. At the end of input it ends what is left: TERM, then KILL after two
seconds, so that all is gone well within the ten seconds of design §10."""

_SHELL = "/bin/sh"

_CLOSE_WAIT_S = 3.0
"""How long closing waits for the guard to end after its input closed."""


class GroupGuard:
    """Keeps the guard running and told about our process groups."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._groups: set[int] = set()
        self._marks: set[str] = set()
        self._prefix = secrets.token_hex(8)
        self._count = 0

    def announce(self) -> str:
        """Announce a start.

        Returns:
            The mark of the child; ``variables`` makes environment variables of it.
        """
        self._count += 1
        mark = f"{self._prefix}-{self._count}"
        self._marks.add(mark)
        self._tell(f"? {mark}\n")
        return mark

    def variables(self, mark: str) -> dict[str, str]:
        """Return what the child with a mark must have in its environment."""
        # The full stop keeps mark 1 from being found in mark 10.
        return {MARK_NAME: f"{mark}."}

    def give_up(self, mark: str) -> None:
        """Take back an announcement: nothing was started."""
        self._marks.discard(mark)
        self._tell(f"! {mark}\n")

    def add(self, group: int, mark: str) -> None:
        """Put the group of an announced start under guard."""
        self._marks.discard(mark)
        self._groups.add(group)
        self._tell(f"+ {group} {mark}\n")

    def remove(self, group: int) -> None:
        """Take a group out: it has ended, and its number may come to name somebody else's."""
        self._groups.discard(group)
        self._tell(f"- {group}\n")

    def close(self) -> None:
        """End the guard. Groups that are still under guard are ended by it."""
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
        if not self._groups and not self._marks:
            return
        self.close()
        self._start()
        marks = "".join(f"? {mark}\n" for mark in sorted(self._marks))
        self._write(marks + "".join(f"+ {group} -\n" for group in sorted(self._groups)))

    def _start(self) -> None:
        try:
            # Its own session, so that a signal to our group or terminal does not take it with us.
            self._process = subprocess.Popen(  # noqa: S603 - constant program and script
                [_SHELL, "-c", _SCRIPT],
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
