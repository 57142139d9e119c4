"""Reading definitions from folders of different weight.

Owns: what they are read from, what is left alone for want of trust, reading a file with care, what came
of it.
Does not own: which folders there are and what a text says (``agents``, ``skills``), which one of a name
counts (``catalog``).
All of it touches the disk and blocks. Nothing in a file can make it raise.
See also: design 03 §1.1, §4.2, §4.17.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from pilotfish.config.files import read_text
from pilotfish.config.managed import ROOT_UID
from pilotfish.core.errors import SettingsError
from pilotfish.definitions.fields import DefinitionProblem
from pilotfish.definitions.files import why_not_read
from pilotfish.definitions.front_matter import FrontMatterError
from pilotfish.util.records import dataclass
from pilotfish.util.visible import visible

DefinedT = TypeVar("DefinedT")
SourceT_co = TypeVar("SourceT_co", bound=str, covariant=True)

OTHER_FOLDER_NAME = ".claude"
"""The folder of another product whose definitions are read, too, and never written."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DefinitionSources:
    """Everything that definitions are read from."""

    state_folder: Path
    """Pilotfish's own folder of the user."""
    user_home: Path
    project_root: Path | None = None
    """None when no folder is open."""
    trusted: bool = False
    """Whether the user vouches for the project's files; without it they are not even read."""
    policy_folder: Path | None = None
    """The administrator's folder, which holds the folders of definitions; None for none."""
    policy_owner_uid: int = ROOT_UID
    """Who must own the administrator's files."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DefinitionFolder(Generic[SourceT_co]):
    """A folder that may hold definitions."""

    path: Path
    source: SourceT_co
    inside: Path | None = None
    """Where the files must really lie; None where links may lead anywhere."""

    @property
    def is_projects(self) -> bool:
        """Tell whether its files count only where somebody vouches for the project."""
        return self.source in ("projectSettings", "dynamic")


@dataclass(frozen=True, kw_only=True, slots=True)
class Known(Generic[DefinedT]):
    """What was found at one moment."""

    found: tuple[DefinedT, ...] = ()
    """Strongest first, with those that a stronger one of the same name replaces."""
    problems: tuple[DefinitionProblem, ...] = ()
    untrusted: tuple[Path, ...] = ()
    """Files that do not count because nobody vouches for the folder."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadText(Generic[DefinedT]):
    """What came of a text."""

    found: DefinedT | None
    """None when it defines nothing, or what cannot be used."""
    problems: tuple[DefinitionProblem, ...] = ()


def unreadable(path: Path, error: FrontMatterError) -> DefinitionProblem:
    """Return what is said of a text that cannot be used."""
    said = f"{str(error)[:1].upper()}{str(error)[1:]}."
    return DefinitionProblem(text=visible(said), path=path, line=error.line, severity="error")


def read_file(
    file: Path,
    folder: DefinitionFolder[str],
    sources: DefinitionSources,
    read: Callable[[str], ReadText[DefinedT]],
) -> ReadText[DefinedT]:
    """Return what a file of a folder defines; a file that is not read is a problem."""
    owner = sources.policy_owner_uid if folder.source == "policySettings" else None
    problem = why_not_read(file, inside=folder.inside, owner_uid=owner)
    text: str | None = None
    if not problem:
        try:
            text = read_text(file)
        except SettingsError as error:
            problem = str(error)
    if text is None:
        said = problem or "It is gone."
        told = DefinitionProblem(text=said, path=file, severity="error")
        return ReadText(found=None, problems=(told,))
    return read(text)


class Loading:
    """Reads files one after the other."""

    def __init__(self, sources: DefinitionSources) -> None:
        self._sources = sources
        self._seen: set[str] = set()
        """Real paths: a file may be reached twice, and counts as what it was first."""
        self.problems: list[DefinitionProblem] = []
        self.untrusted: list[Path] = []

    def wants(self, file: Path, folder: DefinitionFolder[str]) -> bool:
        """Tell whether a file is still to be read; False also where nobody vouches for it."""
        real = os.path.realpath(file)
        if real in self._seen:
            return False
        self._seen.add(real)
        if folder.is_projects and not self._sources.trusted:
            self.untrusted.append(file)
            return False
        return True

    def read(
        self,
        file: Path,
        folder: DefinitionFolder[str],
        read: Callable[[str], ReadText[DefinedT]],
    ) -> DefinedT | None:
        """Read a file; what is wrong with it is kept."""
        made = read_file(file, folder, self._sources, read)
        self.problems += made.problems
        return made.found
