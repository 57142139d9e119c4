"""Searches files where ripgrep is missing; a program of its own, run by ``workspace.search``.

Takes the switches of ripgrep that ``workspace.search`` uses and writes what ripgrep would write. It is
a process of its own because a regular expression of Python's can take for ever and cannot be
interrupted; here the time limit ends it as it ends ripgrep.
"""

import argparse
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import bracex
from pathspec import GitIgnoreSpec  # noqa: TID253 - a program of its own
from pathspec.patterns.gitignore.spec import (  # noqa: TID253 - a program of its own
    GitIgnoreSpecPattern,
)

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Larger files are left out, with a note."""

_SNIFF_BYTES = 8_192

_MAX_BRACES = 1_000
"""Most patterns that the braces of one glob may stand for."""

_IGNORE_FILES = (".gitignore", ".ignore", ".rgignore")
"""What a later one says goes before all that an earlier one says, also in a folder further in."""

_TYPES = {
    "c": "*.[ch]", "cpp": "*.{cpp,cc,cxx,hpp,hh,hxx,h,inl}", "cs": "*.cs", "css": "*.{css,scss}",
    "go": "*.go", "html": "*.{htm,html}", "java": "*.java", "js": "*.{js,jsx,mjs,cjs}",
    "json": "*.json", "kotlin": "*.{kt,kts}", "lua": "*.lua", "make": "{[Mm]akefile*,*.mk,*.mak}",
    "markdown": "*.{md,mdx,markdown}", "md": "*.{md,mdx,markdown}", "php": "*.php",
    "py": "*.{py,pyi}", "python": "*.{py,pyi}", "rb": "*.rb", "ruby": "*.rb", "rust": "*.rs",
    "sh": "*.{sh,bash,zsh}", "sql": "*.sql", "swift": "*.swift", "toml": "*.toml",
    "ts": "*.{ts,tsx,mts,cts}", "txt": "*.txt", "xml": "*.xml", "yaml": "*.{yaml,yml}",
}  # fmt: skip
"""File types that can be named here; ripgrep knows many more."""

_FOLDER_ENDS = "ps_d"
"""The group of a pattern that holds the slash after the folder which it fits."""

_UTF16_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


_Pattern = tuple[re.Pattern[str], bool]
"""A pattern of an ignore file, and whether what it fits is ignored or taken in again."""


class _Rule(NamedTuple):
    """Ignore patterns and the folder that they hang on."""

    folder: Path
    """Relative to the root."""
    patterns: tuple[_Pattern, ...]
    """The last one first: the first one that fits decides."""
    kind: int
    """Which of the ignore files it is."""
    way: str = ""
    """From a folder above the root down to the root, with a slash at the end; empty for one below."""


class _Filter:
    """Which files are searched, by the globs: the last one that fits decides."""

    def __init__(self, globs: list[str], file_type: str | None) -> None:
        self._globs = [(_spec(glob.removeprefix("!")), not glob.startswith("!")) for glob in globs]
        self._needs_one = any(wanted for _, wanted in self._globs)
        self._type = None if file_type is None else _spec(_TYPES[file_type])

    def takes(self, path: str) -> bool:
        if self._type is not None and not self._type.match_file(path):
            return False
        for spec, wanted in reversed(self._globs):
            if spec.match_file(path):
                return wanted
        return not self._needs_one

    def enters(self, folder: str) -> bool:
        """Tell whether anything below a folder can be wanted."""
        return not any(not wanted and spec.match_file(folder) for spec, wanted in self._globs)


def _spec(glob: str) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(bracex.expand(glob, limit=_MAX_BRACES))


def walk(root: Path, chosen: _Filter, *, ignore: bool) -> Iterator[Path]:
    """Return the files below a folder, relative to it."""
    top = root.absolute()
    in_git = any((folder / ".git").exists() for folder in (top, *top.parents))
    above = _in_order(_rules_above(top, in_git=in_git)) if ignore else ()
    waiting: list[tuple[Path, tuple[_Rule, ...]]] = [(Path(), above)]
    while waiting:
        folder, rules = waiting.pop()
        if ignore:
            rules = _in_order((*rules, *_rules_of(root, folder, in_git=in_git)))
        try:
            entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
        except OSError as error:
            sys.stderr.write(f"{folder}: {error.strerror}\n")
            continue
        for entry in entries:
            path = folder / entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if _is_ignored(path, rules, is_folder=is_folder):
                continue
            if is_folder:
                if chosen.enters(f"{path.as_posix()}/"):
                    waiting.append((path, rules))
            elif entry.is_file(follow_symlinks=False) and chosen.takes(path.as_posix()):
                yield path


def _rules_of(root: Path, folder: Path, *, in_git: bool) -> Iterator[_Rule]:
    for kind, lines in _ignore_lines(root / folder, in_git=in_git):
        yield _Rule(folder, _patterns(lines), kind)


def _rules_above(root: Path, *, in_git: bool) -> Iterator[_Rule]:
    """Return what the folders around a root say, the outermost first; git's own within the repository."""
    found: list[_Rule] = []
    inside = in_git and not (root / ".git").exists()
    for folder in root.parents:
        way = f"{root.relative_to(folder).as_posix()}/"
        for kind, lines in _ignore_lines(folder, in_git=inside):
            found.append(_Rule(Path(), _patterns(lines), kind, way))
        inside = inside and not (folder / ".git").exists()
    return reversed(found)


def _ignore_lines(folder: Path, *, in_git: bool) -> Iterator[tuple[int, list[str]]]:
    for kind, name in enumerate(_IGNORE_FILES):
        if name == ".gitignore" and not in_git:
            continue
        try:
            if not (folder / name).is_file():  # a pipe would be waited for
                continue
            text = (folder / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        yield kind, text.splitlines()


def _patterns(lines: Iterable[str]) -> tuple[_Pattern, ...]:
    found: list[_Pattern] = []
    for line in lines:
        try:
            regex, ignores = GitIgnoreSpecPattern.pattern_to_regex(line)
            if regex is not None and ignores is not None:
                found.append((re.compile(regex), ignores))
        except (ValueError, re.error):
            continue  # one that is none must not switch off the others
    return tuple(reversed(found))


def _fits(pattern: re.Pattern[str], name: str) -> bool:
    """Tell whether a pattern fits a path itself, not only a folder on the way to it.

    Folders that are ignored are not entered; and whoever searches a folder means it, also one that is
    ignored itself.
    """
    found = pattern.search(name)
    if found is None or not found.groupdict().get(_FOLDER_ENDS) or found.end() == len(name):
        return found is not None
    # A pattern that fits any folder has fitted the outermost one.
    return pattern.search(name, len(name) - 1) is not None


def _in_order(rules: Iterable[_Rule]) -> tuple[_Rule, ...]:
    """Sort rules: the last one that fits decides."""
    return tuple(sorted(rules, key=lambda rule: rule.kind))


def _is_ignored(path: Path, rules: tuple[_Rule, ...], *, is_folder: bool) -> bool:
    for folder, patterns, _, way in reversed(rules):
        name = way + path.relative_to(folder).as_posix() + ("/" if is_folder else "")
        for pattern, ignores in patterns:
            if _fits(pattern, name):
                return ignores
    return False


def read_text(path: Path) -> str | None:
    """Return the text of a file; None when it is binary, too large or unreadable."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            sys.stderr.write(f"{path}: larger than {MAX_FILE_BYTES:,} bytes\n")
            return None
        data = path.read_bytes()
    except OSError as error:
        sys.stderr.write(f"{path}: {error.strerror}\n")
        return None
    encoding = _UTF16_MARKS.get(data[:2])
    if encoding is not None:
        return data[2:].decode(encoding, "replace")
    if b"\0" in data[:_SNIFF_BYTES]:
        return None
    return data.decode("utf-8", "surrogateescape")


class _Printer:
    """Writes what ripgrep would write of a file."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._any = False

    def path(self, path: Path) -> None:
        self._put(b"./" + os.fsencode(path) + b"\0")

    def count(self, path: Path, count: int) -> None:
        self._put(b"./" + os.fsencode(path) + b"\0" + str(count).encode() + b"\n")

    def lines(self, path: Path, lines: list[str], hits: set[int]) -> None:
        """Write the lines that match, with their context."""
        before, after = self._options.before_context, self._options.after_context
        shown = sorted(
            {
                at
                for hit in hits
                for at in range(hit - before, hit + after + 1)
                if 0 <= at < len(lines)
            }
        )
        out = bytearray()
        last = None
        for at in shown:
            if ((before or after) and (last is not None and at != last + 1)) or (
                (before or after) and last is None and self._any
            ):
                out += b"--\n"
            mark = b":" if at in hits else b"-"
            text = lines[at].encode("utf-8", "surrogateescape")
            if len(text) > self._options.max_columns:
                text = text[: self._options.max_columns] + b" [... omitted end of long line]"
            out += b"./" + os.fsencode(path) + b"\0" + str(at + 1).encode() + mark + text + b"\n"
            last = at
        self._any = True
        self._put(bytes(out))

    def _put(self, data: bytes) -> None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def search(options: argparse.Namespace, pattern: re.Pattern[str], files: Iterator[Path]) -> bool:
    """Search files and print what matches; True when anything did."""
    printer = _Printer(options)
    found = False
    for path in files:
        text = read_text(Path(options.folder) / path)
        if text is None:
            continue
        lines = text.split("\n")
        if lines[-1] == "":
            lines.pop()
        hits = _hits(pattern, text, lines, multiline=options.multiline)
        if not hits:
            continue
        found = True
        if options.files_with_matches:
            printer.path(path)
        elif options.count:
            # As ripgrep does: what may span lines is counted by itself.
            matches = sum(1 for _ in pattern.finditer(text)) if options.multiline else len(hits)
            printer.count(path, matches)
        else:
            printer.lines(path, lines, hits)
    return found


def _hits(pattern: re.Pattern[str], text: str, lines: list[str], *, multiline: bool) -> set[int]:
    """Return the indexes of the lines that match."""
    if not multiline:
        return {at for at, line in enumerate(lines) if pattern.search(line.removesuffix("\r"))}
    hits: set[int] = set()
    at, line = 0, 0
    for match in pattern.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        last = line + text.count("\n", at, max(at, match.end() - 1))
        hits.update(range(line, last + 1))
    return hits


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the switches; those that only ripgrep needs are taken and do nothing."""
    parser = argparse.ArgumentParser(prog="search", allow_abbrev=False)
    for name in ("files", "no-ignore", "ignore-case", "multiline", "count", "files-with-matches"):
        parser.add_argument(f"--{name}", action="store_true")
    for name in ("null", "no-heading", "no-config", "hidden", "max-columns-preview", "line-number",
                 "with-filename", "multiline-dotall"):  # fmt: skip
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--glob", action="append", default=[])
    parser.add_argument("--color")
    parser.add_argument("--type", choices=sorted(_TYPES))
    parser.add_argument("--regexp")
    for name, default in (("max-columns", 500), ("before-context", 0), ("after-context", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("-j", type=int)
    parser.add_argument("target", nargs="?", default=".")
    return parser.parse_args(arguments)


def main() -> int:
    """Search; the exit code is ripgrep's: 0 found, 1 nothing, 2 the call is wrong."""
    options = parse(sys.argv[1:])
    target = Path(options.target)
    options.folder = "." if not target.is_file() else str(target.parent)
    try:
        chosen = _Filter(options.glob, options.type)
    except (bracex.ExpansionLimitException, ValueError, re.error) as error:
        sys.stderr.write(f"error parsing glob: {error}\n")
        return 2
    files = (
        iter([Path(target.name)])
        if target.is_file()
        else walk(Path(), chosen, ignore=not options.no_ignore)
    )
    if options.files:
        printer = _Printer(options)
        count = 0
        for path in files:
            printer.path(path)
            count += 1
        return 0 if count else 1
    flags = (re.IGNORECASE if options.ignore_case else 0) | re.MULTILINE
    if options.multiline:
        flags |= re.DOTALL
    try:
        pattern = re.compile(options.regexp, flags)
    except re.error as error:
        sys.stderr.write(f"regex parse error: {error}\n")
        return 2
    return 0 if search(options, pattern, files) else 1


if __name__ == "__main__":
    sys.exit(main())
