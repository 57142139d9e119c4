"""Which files a command reads and writes.

Owns: the operands of well-known commands as reads and writes, for deny rules and path tiers.
Does not own: whether a command is read-only (``shell_readonly``). A command that is not listed
gives no paths, which never makes it more allowed.
"""

import posixpath
import re

from pilotfish.codeintel.shell_paths import (
    PathUse,
    ShellPlace,
    option_paths,
    resolve,
    resolve_loosely,
)
from pilotfish.codeintel.shell_readers import READERS, Reader, read_options
from pilotfish.codeintel.shell_words import Word, name_set
from pilotfish.codeintel.shell_wrappers import git_subcommand, program_name

_MORE_READERS = name_set(
    "base64 base32 xxd od hexdump strings tac rev paste comm join fold fmt expand zip tar gzip gunzip "
    "zcat bzcat xzcat bat more most cksum sum b2sum iconv source . cmp sdiff vimdiff view vi vim nano "
    "emacs code open python python3 node ruby perl bash sh zsh sed gawk mawk split csplit pr look "
    "shuf column csvcut yq xmllint openssl gpg scp rsync curl install cp mv ln"
)
_ALL_OPERANDS_WRITTEN = name_set(
    "tee touch mkdir rm rmdir unlink shred truncate wipe del rd mkfifo mknod"
)
_LATER_OPERANDS_WRITTEN = name_set("chmod chown chgrp")
_COPIERS = name_set("cp install ln rsync scp")
_SED_IN_PLACE = re.compile(r"^(-[nErsz]*i.*|--in-place.*)$")
_GLUED_TARGET = re.compile(r"^-[a-su-zA-Z]*t(.+)$")
_GIT_BLOB = re.compile(r"^[^:]*:(?P<path>.+)$")
_VALUE_OPTION = {"cp": "St", "mv": "St", "install": "gmotS", "truncate": "sr", "touch": "dtr",
                 "mkdir": "m", "ln": "St", "tee": "", "shred": "ns"}  # fmt: skip


def reads_of(words: tuple[Word, ...], folder: str, place: ShellPlace) -> list[PathUse | None]:
    """Return what a command reads from a folder; None stands for a path that is not known."""
    if not words:
        return []
    name = program_name(words[0].value)
    reader = READERS.get(name)
    if name == "git":
        return _git_reads(words, folder, place)
    if reader is not None:
        return _reader_paths(reader, words[1:], folder, place)
    if name == "cd":
        operands = [word for word in words[1:] if word.value not in ("--", "-P", "-L")]
        found = [resolve(word, folder, place.home) for word in operands[:1]]
        return found or [PathUse(path=place.home)]
    if name in _MORE_READERS:
        operands = [word for word in words[1:] if not word.value.startswith("-")]
        return [resolve_loosely(word, folder, place.home) for word in operands]
    given = [word.value[3:] for word in words[1:] if name == "dd" and word.value.startswith("if=")]
    return [_of_text(text, folder, place) for text in given]


def writes_of(words: tuple[Word, ...], folder: str, place: ShellPlace) -> list[PathUse]:
    """Return what a command writes, creates or removes from a folder, as far as it is known."""
    if not words:
        return []
    name = program_name(words[0].value)
    operands = _operands(name, words[1:])
    if name in _ALL_OPERANDS_WRITTEN or name == "mv":
        written = operands
    elif name in _LATER_OPERANDS_WRITTEN:
        written = operands[1:]
    elif name in _COPIERS:
        written = operands[-1:] if len(operands) > 1 or name != "ln" else []
    elif name == "sed" and any(_SED_IN_PLACE.match(word.value) for word in words[1:]):
        written = operands[1:] if len(operands) > 1 else operands
    else:
        return [use for use in _option_writes(name, words[1:], folder, place) if use]
    found = [resolve_loosely(word, folder, place.home) for word in written]
    found += _target_directory(words[1:], folder, place)
    found += _copied_names(name, operands, folder, place)
    return [use for use in found if use]


def _reader_paths(
    reader: Reader, rest: tuple[Word, ...], folder: str, place: ShellPlace
) -> list[PathUse | None]:
    options = read_options(reader, rest)
    texts = {word.value.partition("=")[0] for kind, word, _ in options if kind == "long"}
    letters = {"-" + letter for kind, _, letter in options if kind == "short"}
    patterns_given = bool(reader.pattern_options & (texts | letters))
    recursive = reader.recursive or bool(reader.recursive_options & {x[1:] for x in letters})
    recursive = recursive or "--recursive" in texts
    operands = [word for kind, word, _ in options if kind == "operand"]
    if reader.pattern_first and not patterns_given:
        operands = operands[1:]
    if not reader.names_are_paths:
        operands = []
    found = [resolve(word, folder, place.home) for word in operands]
    if not operands and reader.names_are_paths and (recursive or not reader.content):
        found.append(PathUse(path=folder))
    if recursive:
        found = [use and PathUse(path=use.path, tree=True) for use in found]
    for kind, word, _ in options:
        if kind in ("long", "word"):
            found += [_of_text(text, folder, place) for text in option_paths(word.value)]
        elif kind == "value" and ("/" in word.value or word.tilde or ".." in word.value):
            found.append(resolve(word, folder, place.home))
    return found


def _git_reads(words: tuple[Word, ...], folder: str, place: ShellPlace) -> list[PathUse | None]:
    folder = git_folder(words, folder, place)
    inner = git_subcommand(words)
    found: list[PathUse | None] = [PathUse(path=folder)]
    for word in inner[1:]:
        if word.value.startswith("-"):
            name, _, value = word.value.partition("=")
            if name in ("--contents", "--ignore-revs-file", "--exclude-from", "--no-index"):
                found += [_of_text(value, folder, place)] if value else []
            continue
        blob = _GIT_BLOB.match(word.value)
        if blob and "://" not in word.value:
            found.append(_of_text(blob.group("path"), folder, place))
        else:
            found.append(resolve(word, folder, place.home))
    return found


def git_folder(words: tuple[Word, ...], folder: str, place: ShellPlace) -> str:
    """Return the folder that git works from: after its ``-C`` options, if any."""
    end = len(words) - len(git_subcommand(words))
    for index in range(1, end - 1):
        if words[index].value == "-C":
            use = resolve_loosely(words[index + 1], folder, place.home)
            folder = use.path if use else "/"
    return folder


def _operands(name: str, rest: tuple[Word, ...]) -> list[Word]:
    reader = Reader(value_short=_VALUE_OPTION.get(name, ""))
    return [word for kind, word, _ in read_options(reader, rest) if kind == "operand"]


def _option_writes(
    name: str, rest: tuple[Word, ...], folder: str, place: ShellPlace
) -> list[PathUse | None]:
    letters = {"sort": "-o", "curl": "-o", "wget": "-O", "tree": "-o", "gcc": "-o"}
    found: list[PathUse | None] = []
    flag = letters.get(name)
    for index, word in enumerate(rest):
        text = word.value
        if text == "--":
            break
        if flag and text == flag and index + 1 < len(rest):
            found.append(resolve_loosely(rest[index + 1], folder, place.home))
        elif flag and text.startswith(flag) and not text.startswith("--"):
            found.append(_of_text(text[len(flag) :], folder, place))
        elif name == "dd" and text.startswith("of="):
            found.append(_of_text(text[3:], folder, place))
        elif text.startswith(("--output=", "--output-document=")):
            found.append(_of_text(text.partition("=")[2], folder, place))
        elif text == "--output" and index + 1 < len(rest):
            found.append(resolve_loosely(rest[index + 1], folder, place.home))
    return found


def _target_directory(
    rest: tuple[Word, ...], folder: str, place: ShellPlace
) -> list[PathUse | None]:
    found: list[PathUse | None] = []
    for index, word in enumerate(rest):
        if word.value in ("-t", "--target-directory") and index + 1 < len(rest):
            found.append(resolve_loosely(rest[index + 1], folder, place.home))
        elif word.value.startswith("--target-directory="):
            found.append(_of_text(word.value.partition("=")[2], folder, place))
        elif glued := _GLUED_TARGET.match(word.value):
            found.append(_of_text(glued.group(1), folder, place))
    return found


def _copied_names(
    name: str, operands: list[Word], folder: str, place: ShellPlace
) -> list[PathUse | None]:
    """Return where copies land if the last operand is a folder: `cp hooks .git` writes .git/hooks."""
    if name not in ("cp", "mv", "ln", "install") or len(operands) < 2:
        return []
    target = resolve_loosely(operands[-1], folder, place.home)
    if target is None:
        return []
    names = [posixpath.basename(word.value.rstrip("/")) for word in operands[:-1] if word.known]
    return [PathUse(path=posixpath.join(target.path, name)) for name in names if name]


def _of_text(text: str, folder: str, place: ShellPlace) -> PathUse | None:
    word = Word(raw=text, value=text, known="$" not in text, tilde=text.startswith("~"))
    return resolve_loosely(word, folder, place.home)
