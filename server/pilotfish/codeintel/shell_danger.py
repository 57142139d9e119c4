"""Commands that can do harm.

Owns: the classes ``dangerous`` and ``catastrophic`` of design 05 §8.2, decided from one command's
words. Errs towards danger: it decides what is asked about, never what is allowed.
Does not own: paths with a tier of their own (``permissions.paths``).
"""

import posixpath
import re
from typing import Literal

from pilotfish.codeintel.shell_paths import ShellPlace, resolve_loosely
from pilotfish.codeintel.shell_words import Redirect, Word, name_set
from pilotfish.codeintel.shell_wrappers import git_subcommand, program_name

Danger = Literal["none", "dangerous", "catastrophic"]

_DANGEROUS = name_set(
    "rm rmdir mv cp del rd shred wipe unlink truncate chmod chown chgrp sudo su doas eval exec source "
    ". dd kill pkill killall systemctl service launchctl crontab at ssh scp sftp rsync iptables nft "
    "ufw mount umount nc ncat telnet mkfs fdisk parted useradd userdel usermod passwd visudo "
    "shutdown reboot halt poweroff init trap alias nsenter chroot insmod modprobe sysctl"
)
_POWER = frozenset({"shutdown", "reboot", "halt", "poweroff"})
_REMOVERS = frozenset({"rm", "rmdir", "shred", "wipe", "unlink", "del", "rd"})
_INTERPRETERS = re.compile(
    r"^(ba|z|da|k|a|fi|c|tc)?sh$|^(python|pypy)[\d.]*$|^(node|nodejs|deno|bun|ruby|perl|php|lua|"
    r"luajit|Rscript|osascript|pwsh|powershell|tclsh|groovy|elixir|julia)$"
)
_INLINE = re.compile(r"^(-[A-Za-z]*[ceEr]|--eval|--print|-p|--command|eval)$")
_GIT_DANGEROUS = name_set(
    "push rebase clean restore filter-branch update-ref config gc prune reflog submodule "
    "credential daemon send-email cherry-pick am"
)
_PUBLISHERS = {
    ("npm", "publish"), ("npm", "unpublish"), ("npm", "deprecate"), ("npm", "login"),
    ("npm", "token"), ("npm", "access"), ("yarn", "publish"), ("pnpm", "publish"),
    ("bun", "publish"), ("cargo", "publish"), ("cargo", "yank"), ("twine", "upload"),
    ("gem", "push"), ("gem", "yank"), ("poetry", "publish"), ("uv", "publish"),
    ("docker", "push"), ("podman", "push"), ("mvn", "deploy"), ("terraform", "apply"),
    ("terraform", "destroy"), ("pulumi", "up"), ("pulumi", "destroy"), ("dotnet", "publish"),
    ("gh", "release"), ("gh", "repo"), ("vsce", "publish"), ("helm", "install"),
    ("helm", "upgrade"),
}  # fmt: skip
_DELETERS = frozenset({"docker", "podman", "kubectl", "helm", "oc", "gcloud", "aws", "az"})
_DELETE_WORDS = name_set("rm rmi prune kill stop delete drain uninstall down destroy remove rb")
_IN_PLACE = re.compile(r"^(-\w*i|--in-place)")
_CHANGING_OPTIONS = {
    "find": re.compile(r"^-(delete|exec|execdir|ok|okdir|fprint.*|fls)$"),
    "sed": _IN_PLACE,
    "perl": _IN_PLACE,
    "ruby": _IN_PLACE,
}
_FIND_TEST = re.compile(
    r"^-(i?name|i?path|i?regex|type|newer\w*|[acm](time|min)|size|empty|user|perm|maxdepth|mindepth)$"
)
_HARMLESS_DEVICES = re.compile(
    r"^/dev/(null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd/\d+|shm/.*|tcp/.*|udp/.*)$"
)
_BARE_VARIABLE_ROOT = re.compile(r"^\$\w+/\**$")


def danger_of(
    words: tuple[Word, ...], folders: tuple[str, ...] | None, place: ShellPlace
) -> tuple[Danger, str]:
    """Return the class of one command and, in a few words, why."""
    if not words:
        return "none", ""
    name = program_name(words[0].value)
    worst = _catastrophe(name, words, folders or (), place)
    if worst:
        return "catastrophic", worst
    return _danger(name, words)


def writes_device(redirect: Redirect) -> bool:
    """Tell whether a redirection writes to a disk or another device."""
    target = redirect.target.value if redirect.target else ""
    path = posixpath.normpath(target) if target else ""
    return (
        redirect.kind == "write" and path.startswith("/dev/") and not _HARMLESS_DEVICES.match(path)
    )


def _catastrophe(
    name: str, words: tuple[Word, ...], folders: tuple[str, ...], place: ShellPlace
) -> str:
    values = [word.value for word in words[1:]]
    if name in _POWER or (name == "init" and values[:1] in (["0"], ["6"])):
        return "it stops the machine"
    if name == "mkfs" or name.startswith("mkfs."):
        return "it formats a disk"
    if name == "dd" and any(_is_device(value) for value in values):
        return "it writes to a device"
    deletes = name in _REMOVERS or (name == "find" and _finds_to_remove(values))
    # `find . -name '*.o' -delete` picks; without a test it takes all.
    picks = name == "find" and any(_FIND_TEST.match(value) for value in values)
    if deletes and _hits_root(words[1:], folders, place, subtree=not picks):
        return "it would remove a whole home, project, repository or disk"
    recursive = any(re.match(r"^(-\w*R\w*|--recursive)$", value) for value in values)
    changes = name in ("chmod", "chown", "chgrp") and recursive
    if changes and _hits_root(words[1:], folders, place, subtree=False):
        return "it changes the rights of a whole home or disk"
    return ""


def _is_device(value: str) -> bool:
    path = posixpath.normpath(value[3:])
    return (
        value.startswith("of=") and path.startswith("/dev/") and not _HARMLESS_DEVICES.match(path)
    )


def _finds_to_remove(values: list[str]) -> bool:
    return "-delete" in values or any(value in _REMOVERS for value in values)


def _hits_root(
    words: tuple[Word, ...], folders: tuple[str, ...], place: ShellPlace, *, subtree: bool
) -> bool:
    guarded = {"/", place.home, posixpath.dirname(place.home)}
    if subtree:
        for root in place.roots:
            guarded |= {root, posixpath.dirname(root)}
    for word in words:
        if word.value.startswith("-") and word.glob_at is None:
            continue
        if not word.known and _BARE_VARIABLE_ROOT.match(word.value):
            return True
        for folder in folders or ("/",):
            use = resolve_loosely(word, folder, place.home)
            if use and _is_guarded(use.path, guarded, subtree=subtree) and _whole(word):
                return True
    return False


def _is_guarded(path: str, guarded: set[str], *, subtree: bool) -> bool:
    if subtree and posixpath.basename(path).casefold() == ".git":
        return True
    return path in guarded or any(inner.startswith(path.rstrip("/") + "/") for inner in guarded)


def _whole(word: Word) -> bool:
    """Whether the word means the folder itself or all of its content, not some names in it."""
    if word.glob_at is None:
        return True
    if word.value[: word.glob_at] and not word.value[: word.glob_at].endswith("/"):
        return False
    return word.value[word.glob_at :].rstrip("/") in ("*", "**", "{*,.*}", "?*", "*/*")


def _danger(name: str, words: tuple[Word, ...]) -> tuple[Danger, str]:
    if name == "git":
        return _git_danger(words)
    reason = _own_danger(name, [word.value for word in words[1:]])
    return ("dangerous", reason) if reason else ("none", "")


def _own_danger(name: str, values: list[str]) -> str:
    operands = [value for value in values if not value.startswith("-")]
    if name in _DANGEROUS or name.startswith("mkfs"):
        return f"{name} can remove, overwrite, reach further or gain rights"
    if _INTERPRETERS.match(name) and (not operands or any(_INLINE.match(v) for v in values)):
        return f"{name} runs code that stands in the command or comes from a pipe"
    if (name, operands[0] if operands else "") in _PUBLISHERS:
        return f"{name} {operands[0]} changes something for others"
    if name in _DELETERS and _DELETE_WORDS & set(operands[:3]):
        return f"{name} would stop or remove something"
    changing = _CHANGING_OPTIONS.get(name)
    if changing and any(changing.match(value) for value in values):
        return f"{name} would change files or run a program"
    return ""


def _git_danger(words: tuple[Word, ...]) -> tuple[Danger, str]:
    inner = [word.value for word in git_subcommand(words)]
    name, rest = (inner[0], inner[1:]) if inner else ("", [])
    risky = (
        name in _GIT_DANGEROUS
        or (name == "reset" and "--hard" in rest)
        or (name == "checkout" and ("--" in rest or "." in rest or "-f" in rest))
        or (name == "branch" and any(re.match(r"^(-\w*[dDmMcC]|--delete)", v) for v in rest))
        or (name == "stash" and rest[:1] in (["drop"], ["clear"]))
        or (name == "tag" and any(v in ("-d", "--delete", "-f", "--force") for v in rest))
        or (name == "rm")
        or (name == "worktree" and rest[:1] in (["remove"], ["prune"]))
        or any(word.value == "-c" or word.value.startswith("--exec-path") for word in words[1:3])
    )
    return ("dangerous", f"git {name} can lose work or reach others") if risky else ("none", "")
