"""Finding skills.

Owns: where they lie, which folder counts more, how many there may be, and reading the text of one when it
is used.
Does not own: reading a file with care (``definitions.loading``), what a text says (``reader``), which
skill of a name counts (``definitions.catalog``).
All of it touches the disk and blocks. Nothing in a file can make it raise, but for ``read_document``.
See also: design 03 §4.2, §4.4, §4.17.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from pilotfish.config.home import FOLDER_NAME
from pilotfish.core.commands import CommandSource
from pilotfish.definitions.fields import DefinitionProblem
from pilotfish.definitions.files import entries_in, is_markdown
from pilotfish.definitions.loading import (
    OTHER_FOLDER_NAME,
    DefinitionFolder,
    DefinitionSources,
    Known,
    Loading,
    ReadText,
    read_file,
)
from pilotfish.skills.model import Skill, SkillDocument
from pilotfish.skills.reader import SkillOrigin, read_skill
from pilotfish.skills.template import SkillError
from pilotfish.util.records import dataclass

SKILLS_FOLDER = "skills"
COMMANDS_FOLDER = "commands"
"""The older kind of folder, in which single Markdown files are skills as well."""

SKILL_FILE = "SKILL.md"

MAX_SKILLS = 500
"""Skills of a session; those of the strongest folders count."""

MAX_LEVELS = 32
"""Folders above a project in which skills are looked for."""

_BUNDLED = Path(__file__).parent / "bundled"


@dataclass(frozen=True, kw_only=True, slots=True)
class SkillSources(DefinitionSources):
    """Everything that skills are read from."""

    nested: tuple[Path, ...] = ()
    """Folders inside the project with skills of their own, the nearest to the work first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Folder(DefinitionFolder[CommandSource]):
    single_files: bool = False


def skill_folders(sources: SkillSources) -> tuple[Path, ...]:
    """Return every folder that may hold skills, whether it exists or not."""
    return tuple(folder.path for folder in _folders(sources))


def skill_files(sources: SkillSources) -> tuple[Path, ...]:
    """Return the files that are, or would be, read."""
    return tuple(file for folder in _folders(sources) for file, _ in _files_in(folder)[0])


def load_skills(sources: SkillSources) -> Known[Skill]:
    """Read what all skills say of themselves, and say what is wrong with the others."""
    loading = Loading(sources)
    found: list[Skill] = []
    for folder in _folders(sources):
        _read_folder(folder, loading, found)
    return Known(
        found=tuple(found),
        problems=tuple(loading.problems),
        untrusted=tuple(loading.untrusted),
    )


def read_document(skill: Skill, sources: SkillSources) -> SkillDocument:
    """Read a skill as its file is now.

    Raises:
        SkillError: It cannot be used any more.
    """
    folder = next((one for one in _folders(sources) if _holds(one, skill)), None)
    if folder is None or (folder.is_projects and not sources.trusted):
        raise SkillError(f"{skill.path} does not count any more.", hint="/skills lists what does.")
    made = read_file(skill.path, folder, sources, _reader(skill.path, skill.folder, folder))
    if made.found is None:
        said = next((each.text for each in made.problems), "")
        raise SkillError(f"{skill.path} cannot be used: {said}")
    return made.found


def _read_folder(folder: _Folder, loading: Loading, found: list[Skill]) -> None:
    files, left_out = _files_in(folder)
    for file, own in files:
        if not loading.wants(file, folder):
            continue
        if len(found) >= MAX_SKILLS:
            left_out = True
            continue
        document = loading.read(file, folder, _reader(file, own, folder))
        if document is not None:
            found.append(document.skill)
    if left_out:
        text = f"There are more than {MAX_SKILLS} skills, so some of this folder do not count."
        loading.problems.append(DefinitionProblem(text=text, path=folder.path))


def _reader(
    file: Path, own: Path | None, folder: _Folder
) -> Callable[[str], ReadText[SkillDocument]]:
    name = file.stem if own is None else own.name
    origin = SkillOrigin(source=folder.source, path=file, folder=own, name=name)
    return lambda text: read_skill(text, origin)


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
