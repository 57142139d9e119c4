"""Searching files with ripgrep.

Owns: its switches, limits and partial results, reading its output.
Does not own: finding the program (``search_program``), what is shown to the model (``tools.glob``,
``tools.grep``).
See also: design 06 §9.1.
"""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from pilotfish.core.errors import ProcessError, WorkspaceError
from pilotfish.ports.processes import ProcessPort, ProcessResult, ProcessSpec
from pilotfish.util.records import dataclass
from pilotfish.workspace.search_output import Hits, parse_counts, parse_hits, parse_paths
from pilotfish.workspace.search_program import SearchProgram

TIME_LIMIT_S = 20.0
"""How long one search may take; what was found by then is returned."""

MAX_OUTPUT_BYTES = 20 * 1024 * 1024
"""Most output of one search that is looked at."""

MAX_COLUMNS = 500
"""Longest line that is shown whole; of a longer one the beginning is shown."""

VCS_FOLDERS = (".git", ".svn", ".hg", ".bzr", ".jj", ".sl")
"""Never searched: the version control's own data."""


_STAND_IN = Path(__file__).with_name("slow_search.py")
"""The program that searches where ripgrep is missing."""

GrepMode = Literal["files", "content", "count"]
"""Files with a match, matching lines, or their number per file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FileQuery:
    """Which files to list."""

    folder: Path
    glob: str | None = None
    respect_ignore: bool = False
    """Whether ignore files (.gitignore and the like) hide files."""
    exclude: tuple[str, ...] = ()
    """Globs of files to leave out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GrepQuery:
    """What to search, and where."""

    pattern: str
    """Regular expression as ripgrep has it."""
    path: Path
    """Folder or single file."""
    mode: GrepMode = "files"
    glob: str | None = None
    file_type: str | None = None
    ignore_case: bool = False
    multiline: bool = False
    before: int = 0
    after: int = 0
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Cut:
    """Why a result is not complete; all false when it is."""

    timed_out: bool = False
    too_much: bool = False
    slow: bool = False
    """Whether ripgrep was missing, so that searching took longer and knew less."""
    problems: str = ""
    """What ripgrep complained of (folders it could not read); empty when nothing."""

    def note(self) -> str:
        """Return the sentences that tell it; empty when the result is complete."""
        notes: list[str] = []
        if self.timed_out:
            notes.append(
                f"The search was stopped after {TIME_LIMIT_S:.0f} s; there may be more. Search a "
                "smaller folder."
            )
        if self.too_much:
            notes.append("The search found more than can be handled; be more specific.")
        if self.slow:
            notes.append(
                "ripgrep (rg) was not found: this was a slow search with Python's regular "
                "expressions. The user may install ripgrep."
            )
        if self.problems:
            notes.append(f"Some files could not be searched: {self.problems}")
        return " ".join(notes)


@dataclass(frozen=True, kw_only=True, slots=True)
class FileList:
    """Files found, in no order; paths are absolute."""

    files: tuple[Path, ...]
    cut: Cut


@dataclass(frozen=True, kw_only=True, slots=True)
class GrepResult:
    """What a search found. One of the three is filled, as the mode was."""

    files: tuple[Path, ...] = ()
    hits: Hits = Hits()
    """Matching and context lines, sorted by file."""
    counts: tuple[tuple[Path, int], ...] = ()
    cut: Cut


class Ripgrep:
    """Runs ripgrep through the governor. One instance serves all sessions."""

    def __init__(
        self,
        processes: ProcessPort,
        *,
        environment: Mapping[str, str],
        program: Path | None = None,
        editors: str | None = None,
    ) -> None:
        """Set it up.

        Args:
            processes: Runs it.
            environment: Its variables.
            program: The one to run; None to find one.
            editors: What the editor calls its own.
        """
        self._processes = processes
        self._environment = dict(environment)
        self.program = SearchProgram(processes, environment, given=program, editors=editors)
        """What searches."""

    async def files(self, query: FileQuery) -> FileList:
        """List files.

        Raises:
            WorkspaceError: The glob is wrong, or ripgrep cannot be run.
        """
        ignore = [] if query.respect_ignore else ["--no-ignore"]
        arguments = ["--files", "--null", *ignore, *_globs(query.glob, query.exclude)]
        output, cut = await self._run(arguments, query.folder)
        files = await asyncio.to_thread(parse_paths, output, query.folder)
        return FileList(files=files, cut=cut)

    async def grep(self, query: GrepQuery) -> GrepResult:
        """Search in files.

        Raises:
            WorkspaceError: The pattern or a filter is wrong, or ripgrep cannot be run.
        """
        is_folder = await asyncio.to_thread(query.path.is_dir)
        folder = query.path if is_folder else query.path.parent
        target = "." if is_folder else f"./{query.path.name}"
        output, cut = await self._run([*_grep_arguments(query), "--", target], folder)
        return await asyncio.to_thread(_read, query.mode, output, folder, cut)

    async def _run(self, arguments: Sequence[str], folder: Path) -> tuple[bytes, Cut]:
        program, slow = await self._program_to_run()
        result = await self._once(program, arguments, folder)
        if _lacked_threads(result):
            result = await self._once(program, ["-j", "1", *arguments], folder)
        problems = result.error_output.decode(errors="replace").strip()
        if result.ended_by == "itself" and result.exit_code not in {0, 1} and not result.output:
            raise WorkspaceError(f"The search failed: {problems or result.exit_code}")
        if result.ended_by == "timeout" and not result.output:
            raise WorkspaceError(
                f"The search found nothing within {TIME_LIMIT_S:.0f} s and was stopped.",
                hint="Search a smaller folder, or add a glob.",
            )
        cut = Cut(
            timed_out=result.ended_by == "timeout",
            too_much=result.ended_by == "output_limit",
            slow=slow,
            problems=_first_lines(problems),
        )
        return _whole_records(result), cut

    async def _once(
        self, program: Sequence[str], arguments: Sequence[str], folder: Path
    ) -> ProcessResult:
        return await self._processes.run(
            ProcessSpec(
                # No configuration file: a project must not bring switches that run programs.
                argv=[*program, "--no-config", "--color=never", "--hidden", *arguments],
                cwd=folder,
                purpose="search",
                label="ripgrep",
                env=self._environment,
                max_output_bytes=MAX_OUTPUT_BYTES,
                merge_stderr=False,
            ),
            timeout_s=TIME_LIMIT_S,
        )

    async def _program_to_run(self) -> tuple[list[str], bool]:
        """Return the beginning of the command line, and whether it is the slow stand-in."""
        try:
            return [str(await self.program.find())], False
        except ProcessError:
            return [sys.executable, "-I", str(_STAND_IN)], True


def _read(mode: GrepMode, output: bytes, folder: Path, cut: Cut) -> GrepResult:
    if mode == "content":
        return GrepResult(hits=parse_hits(output, folder), cut=cut)
    if mode == "count":
        return GrepResult(counts=parse_counts(output, folder), cut=cut)
    return GrepResult(files=parse_paths(output, folder), cut=cut)


def _globs(glob: str | None, exclude: Sequence[str]) -> list[str]:
    # The last glob that fits decides, so what is excluded comes last.
    wanted = [] if glob is None else [f"--glob={glob}"]
    unwanted = [f"--glob=!{each}" for each in (*VCS_FOLDERS, *exclude)]
    return wanted + unwanted


def _grep_arguments(query: GrepQuery) -> list[str]:
    arguments = ["--null", "--no-heading", *_globs(query.glob, query.exclude)]
    arguments += [f"--max-columns={MAX_COLUMNS}", "--max-columns-preview"]
    if query.file_type is not None:
        arguments.append(f"--type={query.file_type}")
    if query.ignore_case:
        arguments.append("--ignore-case")
    if query.multiline:
        arguments += ["--multiline", "--multiline-dotall"]
    if query.mode == "content":
        arguments += ["--line-number", "--with-filename"]
        arguments += [f"--before-context={query.before}", f"--after-context={query.after}"]
    elif query.mode == "count":
        arguments += ["--count", "--with-filename"]
    else:
        arguments.append("--files-with-matches")
    return [*arguments, f"--regexp={query.pattern}"]


def _lacked_threads(result: ProcessResult) -> bool:
    return result.exit_code not in {0, 1} and (
        b"os error 11" in result.error_output
        or b"Resource temporarily unavailable" in result.error_output
    )


def _whole_records(result: ProcessResult) -> bytes:
    """Drop the last record when the search was stopped in the middle of it."""
    if result.ended_by == "itself":
        return result.output
    # Records of a list of paths end with NUL and hold no line feed; all others end with one.
    end = max(result.output.rfind(b"\n"), result.output.rfind(b"\0"))
    if b"\n" in result.output:
        end = result.output.rfind(b"\n")
    return result.output[: end + 1]


def _first_lines(problems: str) -> str:
    lines = problems.splitlines()
    more = f" (and {len(lines) - 3} more)" if len(lines) > 3 else ""
    return "; ".join(lines[:3]) + more
