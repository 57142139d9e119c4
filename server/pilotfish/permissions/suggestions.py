"""Grants that a dialog may offer beside "once".

Owns: the smallest lasting rule that would have allowed a call (design 05 §8.4).
Does not own: saving it.
"""

import posixpath
import re

from pilotfish.codeintel.shell_words import Word, joined, name_set
from pilotfish.codeintel.shell_wrappers import WRAPPERS, strip_harmless
from pilotfish.config.rule_syntax import MAX_RULE_CHARS
from pilotfish.core.permission import PermissionRule, RuleDestination, RuleSuggestion
from pilotfish.permissions.case import Case, PartCase
from pilotfish.permissions.command_rules import exact_content
from pilotfish.permissions.modes import situation_of

EVERYWHERE: tuple[RuleDestination, ...] = ("session", "local", "project", "user")

_EXACT_ONLY = name_set(
    "bash sh zsh dash ksh fish ash csh tcsh pwsh powershell python python2 python3 pypy pypy3 node "
    "nodejs deno ruby perl php lua luajit Rscript osascript tclsh sudo su doas eval exec source . "
    "rm rmdir mv cp dd chmod chown chgrp shred unlink truncate tee ln install scp sftp rsync ssh "
    "curl wget nc ncat telnet ftp env xargs parallel find sed awk command builtin npx bunx uvx pipx "
    "busybox kill pkill killall systemctl crontab at docker-compose nsenter chroot watch"
)
"""Programs for which a prefix would open far more than the command at hand."""

_TWO_WORDS = name_set(
    "git npm pnpm yarn bun docker podman kubectl helm cargo go pip pip3 uv poetry dotnet gh make "
    "gradle mvn bundle rake mix composer terraform brew apt conda rustup nx turbo just task"
)
"""Programs whose second word says what they do."""

_SCRIPT_RUNNERS = {("npm", "run"), ("pnpm", "run"), ("yarn", "run"), ("bun", "run"),
                   ("uv", "run"), ("poetry", "run"), ("docker", "compose")}  # fmt: skip
"""Two words after which the third says what runs."""


_VERSION = re.compile(r"-?[\d.]+$")


def is_exact_only(program: str) -> bool:
    """Tell whether no prefix may be saved for a program: `python3.12` is `python`."""
    name = posixpath.basename(program).removesuffix(".exe")
    return name in _EXACT_ONLY | WRAPPERS or _VERSION.sub("", name) in _EXACT_ONLY


def kind_of_command(command: str) -> str:
    """Return the words that say what a command does: `git push`, `touch`."""
    words = command.split()[:2]
    named = len(words) > 1 and words[0] in _TWO_WORDS and _is_name(words[1:])
    return " ".join(words if named else words[:1])


def suggest(case: Case) -> tuple[RuleSuggestion, ...]:
    """Return the grants to offer, the most useful first; none when only "once" makes sense."""
    if case.family == "shell":
        return _for_command(case)
    if case.family == "edit":
        return _for_edit(case)
    if case.family == "read":
        return _for_read(case)
    if case.family == "web" and case.call.tool == "WebFetch":
        return tuple(
            _rule(case, f"domain:{host}", f"Always allow fetching from {host}")
            for host in case.call.effects.hosts[:1]
        )
    if case.family == "mcp":
        return (_rule(case, None, f"Always allow {case.call.tool}"),)
    return ()


def _for_command(case: Case) -> tuple[RuleSuggestion, ...]:
    shell = case.shell
    if shell is None or shell.shell.kind == "error":
        return ()
    found: list[RuleSuggestion] = []
    needing = [part for part in case.parts if not part.harmless]
    if shell.shell.kind == "simple" and len(needing) == 1:
        content = _part_content(needing[0])
        if content:
            found.append(_rule(case, content, _label(content)))
    whole = _rule(
        case, exact_content(shell.shell.source.strip()), "Always allow exactly this command"
    )
    offered = [suggestion.rule for suggestion in found]
    if whole.rule and whole.rule not in offered and len(whole.rule.text()) <= MAX_RULE_CHARS:
        found.append(whole)
    return tuple(found)


def _label(content: str) -> str:
    prefix = content.removesuffix(":*")
    if prefix == content:
        return f"Always allow exactly `{content}`"
    return f"Always allow commands that start with `{prefix}`"


def _part_content(part: PartCase) -> str:
    """Return the content of a rule for one part; empty when only the whole line may be offered."""
    facts = part.facts
    words = strip_harmless(facts.command.words)
    if facts.redirects_files or not facts.safe_environment or not words or part.foreign_git:
        return ""
    if any(access.facts.tier != "inside" for access in part.writes):
        return ""
    if is_exact_only(words[0].value) or not words[0].known or "/" in words[0].value:
        return exact_content(facts.command.text)
    prefix = _stable_prefix(words)
    if not prefix or any(word.raw != word.value or "*" in word.raw for word in prefix):
        return exact_content(facts.command.text)
    return f"{joined(prefix)}:*"


def _stable_prefix(words: tuple[Word, ...]) -> tuple[Word, ...]:
    values = [word.value for word in words]
    if tuple(values[:2]) in _SCRIPT_RUNNERS and _is_name(values[2:3]):
        return words[:3]
    if values[0] in _TWO_WORDS and _is_name(values[1:2]):
        return words[:2]
    # Without a second word, or with an option before it, no prefix is narrow.
    return words[:1] if values[0] not in _TWO_WORDS else ()


def _is_name(values: list[str]) -> bool:
    return bool(values) and not values[0].startswith("-")


def _for_edit(case: Case) -> tuple[RuleSuggestion, ...]:
    situation = situation_of(case)
    if situation == "edit_inside":
        label = "Allow all edits in this project for this session"
        return (RuleSuggestion(label=label, mode="acceptEdits", destinations=("session",)),)
    if situation == "edit_protected" and len(case.writes) == 1:
        path = case.writes[0].facts.named
        rule = PermissionRule(
            source="session", behavior="allow", tool="Edit", content="/" + _literal_path(path)
        )
        label = f"Always allow edits of {posixpath.basename(path)}"
        return (RuleSuggestion(label=label, rule=rule, destinations=EVERYWHERE),)
    return ()


def _for_read(case: Case) -> tuple[RuleSuggestion, ...]:
    if situation_of(case) != "read_outside" or len(case.reads) != 1:
        return ()
    path = case.reads[0].facts.named
    folder = path if case.call.tool in ("Glob", "Grep") else posixpath.dirname(path)
    if folder == "/":
        return ()
    rule = PermissionRule(
        source="session", behavior="allow", tool="Read", content=f"/{_literal_path(folder)}/**"
    )
    label = f"Allow reading in {folder} for this session"
    return (RuleSuggestion(label=label, rule=rule, destinations=("session",)),)


def _literal_path(path: str) -> str:
    """Spell a path so that no character of it acts as a pattern."""
    return "".join(f"[{char}]" if char in "*?[{" else char for char in path)


def _rule(case: Case, content: str | None, label: str) -> RuleSuggestion:
    rule = PermissionRule(source="session", behavior="allow", tool=case.call.tool, content=content)
    return RuleSuggestion(label=label, rule=rule, destinations=EVERYWHERE)
