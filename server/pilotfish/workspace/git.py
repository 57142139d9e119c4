"""Git, as Pilotfish runs it itself.

Owns: starting it so that a repository's own configuration runs nothing: what can be switched off is,
and where something is configured that cannot be, git is not started at all.
Does not own: commands of the model (they are judged by ``permissions``), worktrees
(``workspace.worktree``).

The user's own global configuration counts, filters such as git-lfs included: that is the user's word.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from pilotfish.core.errors import WorkspaceError
from pilotfish.ports.processes import ProcessPort, ProcessResult, ProcessSpec
from pilotfish.util.records import dataclass
from pilotfish.workspace.git_config import SWITCHES, checks_out_harmlessly

READ_LIMIT_S = 60.0
"""How long a reading command may take: enough for the status of a very large tree."""

MAX_OUTPUT_BYTES = 16_777_216
"""More is an error."""

MAX_ERROR_CHARS = 500
"""How much of git's complaint is repeated."""

_PASSED_ON = ("HOME", "XDG_CONFIG_HOME", "USERPROFILE", "APPDATA", "SYSTEMROOT", "TMPDIR", "TEMP")
_OWN_VARIABLES = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": ":",
    "GIT_PAGER": "cat",
    # A list of permitted transports with nothing in it: no command may reach out.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
}
_REPOSITORY_SCOPES = frozenset({"local", "worktree"})


class GitError(WorkspaceError):
    """Git failed, or was not started."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GitOutput:
    """What a command wrote."""

    code: int
    text: bytes
    complaint: str


class Git:
    """Runs git commands without those that a repository would like to run with them."""

    def __init__(self, processes: ProcessPort, environment: Mapping[str, str]) -> None:
        """Set it up.

        Args:
            processes: The governor.
            environment: The process's own environment; little of it is passed on.
        """
        self._processes = processes
        self._env = {name: environment[name] for name in _PASSED_ON if name in environment}
        self._env |= {"PATH": _absolute_only(environment.get("PATH", "")), **_OWN_VARIABLES}

    async def require_harmless(self, folder: Path) -> None:
        """Make sure that the configuration of a folder's repository runs nothing.

        Raises:
            GitError: It might, or cannot be read; names the entry.
        """
        listed = await self._run(
            folder, ("config", "--list", "-z", "--show-scope", "--includes"), READ_LIMIT_S
        )
        if listed.code != 0:
            raise GitError(f"Git cannot read its configuration: {listed.complaint}")
        for scope, name, value in _entries(listed.text):
            if scope in _REPOSITORY_SCOPES and not _is_harmless(name, value):
                raise GitError(
                    f"The repository's own configuration has {name[:100]!r}, with which git might "
                    "run a program.",
                    hint="Remove it, or move it to your global configuration.",
                )

    async def run(
        self,
        folder: Path,
        *arguments: str,
        limit_s: float = READ_LIMIT_S,
        check: bool = True,
        tidies_up: bool = False,
    ) -> GitOutput:
        """Run a command, in a repository whose configuration was found to be harmless.

        Args:
            folder: Where it runs.
            arguments: The sub-command and what follows it.
            limit_s: How long it may take, in seconds.
            check: Whether a code other than 0 is an error.
            tidies_up: Whether it takes back what it has done when it is to end: a cancelled call then
                returns when it is over, so that whoever looks at what is left is alone.

        Raises:
            GitError: It failed, took too long, or wrote too much.
        """
        output = await self._run(folder, arguments, limit_s, tidies_up=tidies_up)
        if check and output.code != 0:
            raise GitError(f"git {arguments[0]} failed: {output.complaint or output.code}")
        return output

    async def _run(
        self, folder: Path, arguments: tuple[str, ...], limit_s: float, *, tidies_up: bool = False
    ) -> GitOutput:
        switches = [part for switch in SWITCHES for part in ("-c", switch)]
        result = await self._processes.run(
            ProcessSpec(
                argv=["git", "--no-pager", "--no-optional-locks", *switches, *arguments],
                cwd=folder,
                purpose="git",
                label=f"git {arguments[0]}",
                env=self._env,
                max_output_bytes=MAX_OUTPUT_BYTES,
                merge_stderr=False,
                gone_on_cancel=tidies_up,
            ),
            timeout_s=limit_s,
        )
        if result.ended_by != "itself" or result.exit_code is None:
            raise GitError(f"git {arguments[0]} did not finish: {_why(result, limit_s)}.")
        complaint = result.error_output.decode("utf-8", "replace").strip()[:MAX_ERROR_CHARS]
        return GitOutput(code=result.exit_code, text=result.output, complaint=complaint)


def _absolute_only(path: str) -> str:
    """Return a search path without what depends on the current folder: it may be a repository's."""
    return os.pathsep.join(part for part in path.split(os.pathsep) if Path(part).is_absolute())


def _why(result: ProcessResult, limit_s: float) -> str:
    if result.ended_by == "timeout":
        return f"it took more than {limit_s:g} seconds"
    if result.ended_by == "output_limit":
        return "it wrote too much"
    return result.reason or f"signal {result.signal}"


def _entries(listed: bytes) -> list[tuple[str, str, str | None]]:
    """Return scope, name and value of each entry of ``git config --list -z --show-scope``."""
    parts = listed.decode("utf-8", "surrogateescape").split("\0")
    found: list[tuple[str, str, str | None]] = []
    for scope, entry in zip(parts[::2], parts[1::2], strict=False):
        name, newline, value = entry.partition("\n")
        found.append((scope, name, value if newline else None))
    return found


def _is_harmless(name: str, value: str | None) -> bool:
    section, _, rest = name.partition(".")
    subsection, dot, key = rest.rpartition(".")
    return checks_out_harmlessly(section.lower(), subsection if dot else None, key.lower(), value)
