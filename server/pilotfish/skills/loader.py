"""Finding skills.

Owns: where they lie, which folder counts more, the limits, what is left alone for want of trust, and
reading the text of one when it is used.
Does not own: what a text says (``reader``), which skill of a name counts (``catalog``).
All of it touches the disk and blocks. Nothing in a file can make it raise, but for ``read_document``.
See also: design 03 §4.2, §4.4, §4.17.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pilotfish.config.definition_fields import DefinitionProblem
from pilotfish.config.definition_files import entries_in, is_markdown, why_not_read
from pilotfish.config.files import read_text
from pilotfish.config.home import FOLDER_NAME
from pilotfish.config.managed import ROOT_UID
from pilotfish.core.commands import CommandSource
from pilotfish.core.errors import SettingsError
from pilotfish.skills.model import Skill, SkillDocument
from pilotfish.skills.reader import ReadSkill, SkillOrigin, read_skill
from pilotfish.skills.template import SkillError

SKILLS_FOLDER = "skills"
COMMANDS_FOLDER = "commands"
"""The older kind of folder, in which single Markdown files are skills as well."""

SKILL_FILE = "SKILL.md"

OTHER_FOLDER_NAME = ".claude"
"""The folder of another product whose skills are read, too, and never written."""

MAX_SKILLS = 500
"""Skills of a session; those of the strongest folders count."""

MAX_LEVELS = 32
"""Folders above a project in which skills are looked for."""

_BUNDLED = Path(__file__).parent / "bundled"


@dataclass(frozen=True, kw_only=True, slots=True)
class SkillSources:
    """Everything that skills are read from."""

    state_folder: Path
    """Pilotfish's own folder of the user."""
    user_home: Path
    project_root: Path | None = None
    """None when no folder is open."""
    trusted: bool = False
    """Whether the user vouches for the project's files; without it they are not even read."""
    policy_folder: Path | None = None
    """The administrator's folder, which holds a folder of skills; None for none."""
    policy_owner_uid: int = ROOT_UID
    """Who must own the administrator's files."""
    nested: tuple[Path, ...] = ()
    """Folders inside the project with skills of their own, the nearest to the work first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownSkills:
    """What was found at one moment."""

    skills: tuple[Skill, ...]
    """Strongest first, with those that a stronger one of the same name shadows."""
    problems: tuple[DefinitionProblem, ...] = ()
    untrusted: tuple[Path, ...] = ()
    """Files that do not count because nobody vouches for the folder."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Folder:
    path: Path
    source: CommandSource
    single_files: bool = False
    inside: Path | None = None
    """Where the files must really lie; None where links may lead anywhere."""


def skill_folders(sources: SkillSources) -> tuple[Path, ...]:
    """Return every folder that may hold skills, whether it exists or not."""
    return tuple(folder.path for folder in _folders(sources))


def skill_files(sources: SkillSources) -> tuple[Path, ...]:
    """Return the files that are, or would be, read."""
    return tuple(file for folder in _folders(sources) for file, _ in _files_in(folder)[0])


def load_skills(sources: SkillSources) -> KnownSkills:
    """Read what all skills say of themselves, and say what is wrong with the others."""
    loading = _Loading(sources)
    for folder in _folders(sources):
        loading.read(folder)
    return KnownSkills(
        skills=tuple(loading.skills),
        problems=tuple(loading.problems),
        untrusted=tuple(loading.untrusted),
    )


def read_document(skill: Skill, sources: SkillSources) -> SkillDocument:
    """Read a skill as its file is now.

    Raises:
        SkillError: It cannot be used any more.
    """
    folder = next((one for one in _folders(sources) if _holds(one, skill)), None)
    if folder is None or (_is_projects(folder) and not sources.trusted):
        raise SkillError(f"{skill.path} does not count any more.", hint="/skills lists what does.")
    read, problem = _read(skill.path, skill.folder, folder, sources)
    if read.document is None:
        said = problem or next((each.text for each in read.problems), "")
        raise SkillError(f"{skill.path} cannot be used: {said}")
    return read.document


class _Loading:
    """Reads folders one after the other."""

    def __init__(self, sources: SkillSources) -> None:
        self._sources = sources
        self._seen: set[str] = set()
        """Real paths: a file may be reached twice, and counts as what it was first."""
        self.skills: list[Skill] = []
        self.problems: list[DefinitionProblem] = []
        self.untrusted: list[Path] = []

    def read(self, folder: _Folder) -> None:
        files, left_out = _files_in(folder)
        for file, own in files:
            real = os.path.realpath(file)
            if real in self._seen:
                continue
            self._seen.add(real)
            if _is_projects(folder) and not self._sources.trusted:
                self.untrusted.append(file)
            elif len(self.skills) >= MAX_SKILLS:
                left_out = True
            else:
                self._take(file, own, folder)
        if left_out:
            text = f"There are more than {MAX_SKILLS} skills, so some of this folder do not count."
            self.problems.append(DefinitionProblem(text=text, path=folder.path))

    def _take(self, file: Path, own: Path | None, folder: _Folder) -> None:
        read, problem = _read(file, own, folder, self._sources)
        if problem:
            self.problems.append(DefinitionProblem(text=problem, path=file, severity="error"))
        self.problems += read.problems
        if read.document is not None:
            self.skills.append(read.document.skill)


def _read(
    file: Path, own: Path | None, folder: _Folder, sources: SkillSources
) -> tuple[ReadSkill, str]:
    """Return what a file holds, and why it is not read at all."""
    managed = folder.source == "policySettings"
    owner = sources.policy_owner_uid if managed else None
    problem = why_not_read(file, inside=folder.inside, owner_uid=owner)
    if problem:
        return ReadSkill(document=None), problem
    try:
        text = read_text(file)
    except SettingsError as error:
        return ReadSkill(document=None), str(error)
    if text is None:
        return ReadSkill(document=None), "It is gone."
    name = file.stem if own is None else own.name
    origin = SkillOrigin(source=folder.source, path=file, folder=own, name=name)
    return read_skill(text, origin), ""


def _folders(sources: SkillSources) -> Iterator[_Folder]:
    """Yield the folders, strongest first (SK-1)."""
    if sources.policy_folder is not None:
        yield _Folder(path=sources.policy_folder / SKILLS_FOLDER, source="policySettings")
    yield from _pair(sources.state_folder, "userSettings")
    yield from _pair(sources.user_home / OTHER_FOLDER_NAME, "userSettings")
    if sources.project_root is not None:
        levels = list(project_levels(sources.project_root, sources.user_home))
        for nested in sources.nested:
            yield from _of_level(nested, "dynamic", levels[-1])
        for level in levels:
            yield from _of_level(level, "projectSettings", levels[-1])
    yield _Folder(path=_BUNDLED, source="bundled")


def _of_level(level: Path, source: CommandSource, inside: Path) -> Iterator[_Folder]:
    for name in (FOLDER_NAME, OTHER_FOLDER_NAME):
        yield from _pair(level / name, source, inside)


def _pair(folder: Path, source: CommandSource, inside: Path | None = None) -> Iterator[_Folder]:
    yield _Folder(path=folder / SKILLS_FOLDER, source=source, inside=inside)
    yield _Folder(path=folder / COMMANDS_FOLDER, source=source, inside=inside, single_files=True)


def project_levels(root: Path, home: Path) -> Iterator[Path]:
    """Yield a project's folder and those above it that belong to it, the nearest first.

    They end with the repository, or below the user's home. Elsewhere a folder above may be anybody's
    (``/tmp`` is), and trusting a project is no word about it.
    """
    yield root
    if not root.is_relative_to(home) and not any(map(_is_repository, (root, *root.parents))):
        return
    for level in (root, *root.parents)[:MAX_LEVELS]:
        parent = level.parent
        at_home = home in (level, parent)
        if parent == level or at_home or (not root.is_relative_to(home) and _is_repository(level)):
            return
        yield parent


def _is_repository(folder: Path) -> bool:
    return os.path.lexists(folder / ".git")


def _is_projects(folder: _Folder) -> bool:
    return folder.source in ("projectSettings", "dynamic")


def _holds(folder: _Folder, skill: Skill) -> bool:
    place = skill.path if skill.folder is None else skill.folder
    return folder.path == place.parent and folder.source == skill.source


def _files_in(folder: _Folder) -> tuple[list[tuple[Path, Path | None]], bool]:
    """Return the files of a folder's skills, each with the folder that is its own, and whether there are more."""

    def wanted(entry: "os.DirEntry[str]") -> bool:
        return (folder.single_files and is_markdown(entry)) or entry.is_dir()

    found, left_out = entries_in(folder.path, wanted, MAX_SKILLS)
    files: list[tuple[Path, Path | None]] = []
    for path in found:
        own = path / SKILL_FILE
        if own.is_file():
            files.append((own, path))
        elif folder.single_files and path.suffix.lower() == ".md" and path.is_file():
            files.append((path, None))
    return files, left_out
