"""What the user's own bash knows: functions, aliases, a few options, the search path.

Owns: reading the profile once per process, and the file that commands read it from.
Does not own: running commands (``tools.bash``), the rest of their environment (``tools.shell_environment``).
See also: design 06 §10.1.

The profile belongs to the user, not to the project: it is read in the home folder, by a shell without
a terminal, and what it prints is thrown away.
"""

import asyncio
import hashlib
import logging
import os
import re
import secrets
from collections.abc import Mapping
from pathlib import Path

from pilotfish.core.errors import ProcessError
from pilotfish.ports.processes import ProcessPort, ProcessSpec
from pilotfish.tools.bash_shell import find_bash
from pilotfish.tools.shell_environment import shell_environment
from pilotfish.util.records import dataclass
from pilotfish.util.tasks import TaskScope

logger = logging.getLogger(__name__)

READ_LIMIT_S = 10.0
"""How long a profile may take; a first command must not wait for ever."""

MAX_PROFILE_BYTES = 262_144
"""Every command reads the file: this much takes bash about 20 ms."""

MAX_FILES = 8
"""Files that are kept: other processes may have read the profile before it changed."""

_CAPTURE = r"""
mark=$PILOTFISH_PROFILE_MARK; unset PILOTFISH_PROFILE_MARK
builtin printf '%s\n' "$mark path" "$PATH" "$mark script" 'shopt -s expand_aliases'
shopt -p extglob globstar dotglob nocaseglob nocasematch
for name in "${!BASH_ALIASES[@]}"; do
  case " ${BASH_ALIASES[$name]} " in *' -i '* | *' --interactive'*) continue ;; esac
  builtin printf 'alias -- %q=%q\n' "$name" "${BASH_ALIASES[$name]}"
done
shopt -s extdebug
kept=()
while builtin read -r name _ file; do
  case $file in */bash-completion/* | */bash_completion*) continue ;; esac
  case $name in builtin | command | eval | set | shopt | trap | unset) continue ;; esac
  kept+=("$name")
done < <(names=($(compgen -A function)); ((${#names[@]})) && declare -F "${names[@]}")
((${#kept[@]})) && declare -f "${kept[@]}"
builtin printf '\n%s\n' "$mark end"
exit 0
"""
"""Prints what is kept. Left out: aliases that ask (nobody could answer), completions, and functions
in place of builtins that running a command relies on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """What is known of the user's shell."""

    file: Path | None = None
    """For commands to read before they run; None without one."""
    search_path: str = ""
    """The ``PATH`` that the profile makes; empty when it is not known."""
    problem: str = ""
    """Why there is none though there should be; empty when nothing is wrong."""


NO_PROFILE = Profile()


class ShellProfile:
    """Reads the profile when first asked. The app owns one and closes it."""

    def __init__(
        self, processes: ProcessPort, environment: Mapping[str, str], folder: Path
    ) -> None:
        """Set it up.

        Args:
            processes: Runs the shell.
            environment: What the process inherited.
            folder: Where the file goes; made when needed.
        """
        self._processes = processes
        self._environment = shell_environment(environment)
        self._folder = folder
        self._scope = TaskScope("shell profile")
        self._reading: asyncio.Task[Profile] | None = None

    async def get(self) -> Profile:
        """Return the profile; the first call reads it, for at most ``READ_LIMIT_S``."""
        if not self._environment.get("HOME"):
            return NO_PROFILE
        if self._reading is None:
            self._reading = self._scope.start(self._read(), name="read", awaited=True)
        # A command that is stopped meanwhile must not leave the others without a profile.
        return await asyncio.shield(self._reading)

    async def close(self) -> None:
        """End a reading that goes on."""
        await self._scope.close()

    async def _read(self) -> Profile:
        try:
            profile = await self._capture()
        except (OSError, ProcessError, ValueError) as error:
            logger.warning("the shell profile could not be read: %s", error)
            return Profile(problem=str(error).rstrip("."))
        return profile

    async def _capture(self) -> Profile:
        shell = await asyncio.to_thread(find_bash, self._environment)
        mark = f"pilotfish-{secrets.token_hex(8)}"
        output = await self._run([shell, "-l", "-i", "-c", _CAPTURE], mark)
        search_path, script = _parts(output, mark)
        if len(script) > MAX_PROFILE_BYTES:
            raise ValueError(
                f"its functions and aliases take {len(script):,} bytes, more than {MAX_PROFILE_BYTES:,}"
            )
        file = await asyncio.to_thread(_keep, self._folder, script)
        await self._run([shell, "--norc", "-O", "extglob", "-n", str(file)], "")
        return Profile(file=file, search_path=search_path)

    async def _run(self, argv: list[str], mark: str) -> bytes:
        result = await self._processes.run(
            ProcessSpec(
                argv=argv,
                cwd=Path(self._environment["HOME"]),
                purpose="shell",
                label="shell profile",
                env={**self._environment, "PILOTFISH_PROFILE_MARK": mark},
                max_output_bytes=8 * MAX_PROFILE_BYTES,
                merge_stderr=False,
            ),
            timeout_s=READ_LIMIT_S,
        )
        if result.ended_by == "timeout":
            raise ValueError(f"it took longer than {READ_LIMIT_S:g} seconds")
        if result.ended_by == "output_limit":
            raise ValueError("it printed too much")
        if result.exit_code != 0:
            raise ValueError(f"it ended with exit code {result.exit_code}")
        return result.output


def with_profile_path(environment: Mapping[str, str], profile: Profile) -> dict[str, str]:
    """Return an environment whose ``PATH`` has the profile's folders, too.

    Those that the process inherited come first: they are what the editor runs with, an activated
    virtual environment included.
    """
    inherited = environment.get("PATH", "").split(os.pathsep)
    more = [each for each in profile.search_path.split(os.pathsep) if os.path.isabs(each)]  # noqa: PTH117
    return {**environment, "PATH": os.pathsep.join(dict.fromkeys([*inherited, *more]))}


def _parts(output: bytes, mark: str) -> tuple[str, bytes]:
    """Take search path and script out of what a shell printed, whatever its profile printed."""
    pattern = rb"%b path\n(.*?)\n%b script\n(.*)\n%b end\n" % ((re.escape(mark.encode()),) * 3)
    found = re.search(pattern, output, re.DOTALL)
    if found is None:
        raise ValueError("it ended the shell or replaced its output")
    return os.fsdecode(found[1]), found[2]


def _keep(folder: Path, script: bytes) -> Path:
    """Put a script where commands find it. Blocking."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    newest_first = sorted(folder.glob("*.sh"), key=lambda file: file.stat().st_mtime, reverse=True)
    for old in newest_first[MAX_FILES - 1 :]:
        old.unlink(missing_ok=True)
    file = folder / f"{hashlib.sha256(script).hexdigest()[:32]}.sh"
    partial = folder / f"{file.stem}.{os.getpid()}.partial"
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as target:
            target.write(script)
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)
    return file
