"""Which files an import of JavaScript and its kin can mean.

Owns: relative paths, what an import may leave out, the aliases in a project's ``tsconfig.json`` or
``jsconfig.json``.
Does not own: which of the files there are (``lookup``), where an import stands (``default_exports``).
"""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path, PurePosixPath

from pilotfish.util.json_tree import JsonNode, JsonTree, parse_json
from pilotfish.util.records import dataclass
from pilotfish.util.regular_file import read_regular

MAX_SETTINGS_BYTES = 200_000

MAX_SETTINGS_FILES = 10
"""Files that one file of settings may be made of."""

MAX_PLACES = 50
"""Places of one alias that are looked at."""

_SETTINGS = ("tsconfig.json", "jsconfig.json")

_SUFFIXES = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
"""What an import may leave out, likeliest first."""

_WRITTEN_AS = {
    ".js": (".ts", ".tsx", ".d.ts"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",),
}  # fmt: skip
"""An import may name what the file will be compiled to."""


def files_meant(root: Path, importer: str, specifier: str) -> list[str]:
    """Return the files that a file may mean, likeliest first; all relative to the root.

    Blocks where the path is not relative: the project's settings say what it means.
    """
    if specifier.split("/", 1)[0] in {".", ".."}:
        bases = [_joined(posixpath.dirname(importer), specifier)]
    else:
        bases = _settings_for(root, importer).places(specifier)
    return [file for base in bases if base is not None for file in _files_at(base)]


def _files_at(base: str) -> Iterator[str]:
    stem, suffix = posixpath.splitext(base)
    index = posixpath.join(base, "index")
    yield base
    yield from (stem + one for one in _WRITTEN_AS.get(suffix, ()))
    yield from (base + one for one in _SUFFIXES)
    yield from (index + one for one in _SUFFIXES)


def _joined(folder: str, path: str) -> str | None:
    """Return a path from a folder on, both relative to the root; None where it leaves that."""
    found = posixpath.normpath(posixpath.join(folder, path))
    if found.startswith("/") or found.split("/", 1)[0] == "..":
        return None
    return "" if found == "." else found


@dataclass(frozen=True, kw_only=True, slots=True)
class _Settings:
    """What matters of a file of settings, with all that it is made of."""

    base: str | None = None
    """The folder of paths that are not relative, where there is one; all relative to the root."""
    paths_base: str | None = None
    """The folder of the aliases."""
    paths: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    def places(self, specifier: str) -> list[str | None]:
        """Return what a path that is not relative stands for, likeliest first, without suffixes."""
        found: list[str | None] = []
        best = max(
            (one for one in self.paths if _fits(one, specifier)),
            key=lambda one: len(one.partition("*")[0]) if "*" in one else len(specifier) + 1,
            default=None,
        )
        if best is not None and self.paths_base is not None:
            before, _, after = best.partition("*")
            part = specifier[len(before) : len(specifier) - len(after)] if "*" in best else ""
            places = self.paths[best][:MAX_PLACES]
            found += [_joined(self.paths_base, one.replace("*", part)) for one in places]
        if self.base is not None:
            found.append(_joined(self.base, specifier))
        return found


def _fits(pattern: str, specifier: str) -> bool:
    before, star, after = pattern.partition("*")
    if not star:
        return pattern == specifier
    is_long_enough = len(specifier) >= len(before) + len(after)
    return is_long_enough and specifier.startswith(before) and specifier.endswith(after)


def _settings_for(root: Path, importer: str) -> _Settings:
    """Return the settings that hold for a file: those nearest above it."""
    for folder in PurePosixPath(importer).parents:
        for name in _SETTINGS:
            found = _SettingsReader(root).read((folder / name).as_posix())
            if found is not None:
                return found
    return _Settings()


class _SettingsReader:
    """Reads one file of settings and those that it names, within the root."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._left = MAX_SETTINGS_FILES

    def read(self, path: str) -> _Settings | None:
        """Return the settings of a file; None where there is none."""
        tree = self._parse(path)
        if tree is None:
            return None
        own = _own(posixpath.dirname(path), tree)
        for other in self._named(path, _strings(tree.at(("extends",)))):
            own = _over(own, other)
        if own.paths:
            return own
        # The aliases of a project may be in the settings of its parts.
        references = tree.at(("references",))
        members = [one.member("path") for one in (references.items if references else ())]
        parts = self._named(path, [one.value.text for one in members if one is not None])
        return next((one for one in parts if one.paths), own)

    def _named(self, path: str, names: Sequence[str]) -> Iterator[_Settings]:
        """Read the files that another one names, the last one first: it counts most."""
        for name in reversed(names):
            place = _joined(posixpath.dirname(path), name) if name.startswith(".") else None
            if place is None:
                continue
            is_file = place.endswith(".json")
            for each in [place] if is_file else [f"{place}.json", f"{place}/tsconfig.json"]:
                found = self.read(each)
                if found is not None:
                    yield found
                    break

    def _parse(self, path: str) -> JsonTree | None:
        self._left -= 1
        if self._left < 0:
            return None
        try:
            data = read_regular(self._root / path, MAX_SETTINGS_BYTES)
        except (OSError, ValueError):
            return None
        return parse_json(data.decode("utf-8", "replace"))


def _own(folder: str, tree: JsonTree) -> _Settings:
    base = tree.at(("compilerOptions", "baseUrl"))
    paths = tree.at(("compilerOptions", "paths"))
    where = None if base is None else _joined(folder, base.text)
    if paths is None:
        return _Settings(base=where)
    return _Settings(
        base=where,
        paths_base=folder if where is None else where,
        paths={one.key.text: _strings(one.value) for one in paths.members},
    )


def _over(own: _Settings, other: _Settings) -> _Settings:
    """Return settings on top of those that they extend."""
    base = other.base if own.base is None else own.base
    if own.paths_base is None:
        return _Settings(base=base, paths_base=other.paths_base, paths=other.paths)
    # Aliases count from the base, also where that is set in what they extend.
    paths_base = own.paths_base if own.base is not None or other.base is None else other.base
    return _Settings(base=base, paths_base=paths_base, paths=own.paths)


def _strings(node: JsonNode | None) -> list[str]:
    if node is None:
        return []
    return [one.text for one in (node.items or [node]) if one.kind == "string"]
