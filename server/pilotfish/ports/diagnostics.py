"""What language servers find, wherever they run."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, Protocol

from typing_extensions import override

from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """One diagnostic; hints and information are left out."""

    severity: Literal["error", "warning"]
    line: int
    """From 1."""
    column: int
    """From 1, in UTF-16 units."""
    message: str
    source: str
    """Who found it, such as ``ts`` or ``Pylance``; may be empty."""
    code: str
    """Its rule or number; may be empty."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """Somebody who cannot judge files."""

    name: str
    """Who."""
    why: str
    """As in ``it has ended``."""
    paths: frozenset[Path] = frozenset()
    """The files; empty for all."""

    @property
    def whose(self) -> tuple[str, frozenset[Path]]:
        """What makes two of them one, whatever is said of why."""
        return self.name, self.paths


@dataclass(frozen=True, kw_only=True, slots=True)
class ProblemReport:
    """All problems that a source knows at one moment."""

    revision: int
    """Grows with every change of what the source knows."""
    problems: Mapping[Path, Sequence[Problem]]
    """By real path; files without problems may be missing."""
    published: frozenset[Path]
    """Those of the files asked for that the source has judged since the revision asked for."""
    baseline: Mapping[Path, Sequence[Problem]] | None = None
    """What there was before the batch of edits, from a source that works it out itself and may know it
    only later; holds every file in ``problems``. None: what the source knew when the batch began."""
    unseen: frozenset[Path] = frozenset()
    """Files that the source is not known to have judged by the revision asked for: what it finds in them
    may be older than that."""
    watched: frozenset[Path] = frozenset()
    """Those of the files asked for that the source looks at all the time: if it is silent about one, nothing
    has changed in it."""
    cut: bool = False
    """Whether there are too many to be told, and files are missing that have problems; not those asked for."""
    pending: frozenset[Path] = frozenset()
    """Edited files whose judgement is on its way and will be told later."""
    failures: tuple[Failure, ...] = ()
    """Who cannot judge some of the files asked for any more."""


class DiagnosticsSource(Protocol):
    """Knows the problems of the project's files."""

    @property
    def name(self) -> str:
        """How the model is told where a problem comes from."""
        ...

    async def now(self) -> ProblemReport | None:
        """Return what is known now; None when the source does not answer in time."""
        ...

    def begin_batch(self) -> None:
        """Begin a batch of edits; what comes of an earlier one is not asked for any more."""
        ...

    async def expect(self, path: Path, old_text: str | None) -> None:
        """Hear that a file is about to be written; it is not yet. Must be quick.

        Args:
            path: The real path.
            old_text: What it holds now; None when it does not exist.
        """
        ...

    def written(self, path: Path, new_text: str) -> None:
        """Hear what a file holds after a write."""
        ...

    async def after(
        self, paths: Sequence[Path], *, since: int, limit_s: float
    ) -> ProblemReport | None:
        """Wait until the files were judged anew and it is quiet, at most ``limit_s``.

        Returns:
            What is known then, complete or not; None when the source does not answer.
        """
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class ProblemList:
    """What somebody knows of a file, or of the whole project."""

    source: str
    """Who says so."""
    problems: Mapping[Path, Sequence[Problem]]
    """By real path."""
    complete: bool
    """Whether all that was asked about was judged; if not, there may be more."""


class ProblemLookup(Protocol):
    """Answers what problems there are now, whoever knows."""

    async def problems(self, path: Path | None) -> ProblemList | None:
        """Return the problems of a file, None: of the project.

        Returns:
            None when nobody knows, or nobody answers in time.
        """
        ...


class NobodyLooks(ProblemLookup):
    """Stands in where nobody looks at files."""

    @override
    async def problems(self, path: Path | None) -> ProblemList | None:
        """Return None: nobody knows."""
        return None
