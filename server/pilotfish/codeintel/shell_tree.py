"""The walk over tree-sitter's bash tree.

Owns: the positive list of node kinds, and the checks that keep grammar and shell in step: comments
start at a word boundary, the first word after a
redirection operator is its target and the rest are arguments, and a redirection after a list belongs
to the list's last command.
Does not own: limits on the whole command (``shell_ast``).
"""

import re
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from pilotfish.codeintel.shell_redirects import (
    BETWEEN_WORDS,
    OPERATORS,
    SEQUENCES,
    STATEMENTS,
    CommandParts,
    RedirectReader,
)
from pilotfish.codeintel.shell_words import (
    Assignment,
    Redirect,
    ShellCommand,
    ShellFlag,
    SimpleCommand,
    Word,
    name_set,
)

if TYPE_CHECKING:
    from tree_sitter import Language, Node

MAX_DEPTH = 40
"""Nesting of commands that is followed; what lies deeper makes the command incomplete."""

MAX_NODES = 2_000
"""Commands and words that are read; what comes after them makes the command incomplete."""

INTERPRETERS = name_set(
    "bash sh zsh dash ksh fish csh tcsh ash busybox pwsh powershell python python2 python3 pypy "
    "pypy3 ipython node nodejs deno bun ruby irb perl php lua luajit tclsh Rscript R julia ghci "
    "osascript groovy scala swift elixir iex erl guile racket sbcl xargs parallel env sudo su doas "
    "ssh psql mysql sqlite3 mongo mongosh redis-cli bc dc ed ex vi vim gdb lldb at batch crontab "
    "make gmake awk gawk mawk nawk m4 source . eval exec docker podman kubectl nc ncat telnet ftp "
    "sftp nsenter chroot script expect unshare watch timeout nice nohup stdbuf time command"
)
"""Programs that may act on what they read, so that a here document is no mere data for them."""

COMPLEX_WORDS = name_set(
    "eval source . exec builtin coproc trap alias unalias enable pushd popd set shopt"
)
"""Commands that change what later words of the same line mean."""

STATE_VARIABLES = name_set(
    "PATH IFS HOME PWD OLDPWD CDPATH BASH_ENV ENV PS4 PROMPT_COMMAND SHELLOPTS BASHOPTS GLOBIGNORE"
)
"""Variables that change how the shell itself finds commands, files and words."""

_NESTING: dict[str, ShellFlag] = {
    "command_substitution": "substitution",
    "process_substitution": "substitution",
    "subshell": "subshell",
}
_BEFORE_REDIRECT = re.compile(rb"(?:[ \t]|\\\n)*(?:(?<=[ \t])-[ \t]+)?")
_BETWEENSTATEMENTS = re.compile(rb"(?:[ \t\n]|\\\n)*")
_COMMENT_LEADERS = frozenset(" \t\n;&|()")
_ADVANCED_FLAGS = {"-p", "-P"}


@lru_cache(maxsize=1)
def _language() -> "Language":
    from tree_sitter_language_pack import get_language

    return get_language("bash")


def walk(source: str) -> ShellCommand:
    """Parse and walk a command line that holds no odd characters.

    Raises:
        ImportError, LookupError, OSError: The grammar cannot be loaded.
    """
    from tree_sitter import Parser

    data = source.encode()
    # A parser is not safe to share between threads; making one costs microseconds.
    root = Parser(_language()).parse(data).root_node
    walker = _Walker(data)
    try:
        walker.statement(root, "", 0)
    except _TooMuchError:
        walker.give_up()
    if root.has_error:
        walker.error("its syntax is not clear")
    return walker.result(source)


class _TooMuchError(Exception):
    """The command has more parts than are read."""


class _Walker(RedirectReader):
    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self._commands: list[SimpleCommand] = []
        self._nested = 0
        self._complete = True
        self._left = MAX_NODES

    def result(self, source: str) -> ShellCommand:
        """Return what was found."""
        return ShellCommand(
            source=source,
            kind="error" if self.error_reason else "complex" if self.complex_reason else "simple",
            commands=tuple(self._commands),
            operators=tuple(self.operators),
            flags=frozenset(self.flags),
            reason=self.error_reason or self.complex_reason,
            complete=self._complete and not self.error_reason,
        )

    def give_up(self) -> None:
        """Note that not everything was read."""
        self._complete = False
        self.complicate(f"it has more than {MAX_NODES} words and commands")

    # --- statements ---

    def statement(self, node: "Node", joined_by: str, depth: int, redirects: "_Nodes" = ()) -> None:
        """Collect the commands of one statement; ``redirects`` belong to the last of them."""
        if depth > MAX_DEPTH:
            self._complete = False
            self.complicate("it is nested too deeply")
        elif node.type in SEQUENCES:
            # What follows a negated `cd` runs where it failed, so its folder is not certain.
            self._nested += node.type == "negated_command"
            self._sequence(node, joined_by, depth, redirects)
            self._nested -= node.type == "negated_command"
        elif node.type == "command":
            self._command(node, redirects, joined_by, depth)
        elif node.type == "redirected_statement":
            self._redirected(node, joined_by, depth, redirects)
        elif node.type in ("variable_assignment", "variable_assignments"):
            self._assignments_only(node, joined_by, depth)
        elif node.type == "comment":
            self._comment(node)
        else:
            if redirects:
                self._command(None, redirects, joined_by, depth)
            self.compound(node, depth)

    def _sequence(self, node: "Node", joined_by: str, depth: int, redirects: "_Nodes") -> None:
        operator = joined_by
        last = next((child for child in reversed(node.children) if child.is_named), None)
        self.check_gaps(node, _BETWEENSTATEMENTS)
        for child in node.children:
            if child.type in OPERATORS:
                self.operators.append(child.type)
                operator = child.type
                if child.type == "&":
                    self.flags.add("background")
                    self.complicate("it starts a command in the background")
            elif child.is_named:
                self.statement(child, operator, depth + 1, redirects if child == last else ())
                operator = ";"
            elif child.type not in ("\n", "!"):
                self.complicate(f"it uses {child.type}")

    def _comment(self, node: "Node") -> None:
        start = node.start_byte
        if start > 0 and chr(self.source[start - 1]) not in _COMMENT_LEADERS:
            self.error("a comment starts inside a word")

    def compound(self, node: "Node", depth: int) -> None:
        """Something that is not on the positive list: look for commands below it."""
        if depth > MAX_DEPTH:
            self._complete = False
            return
        if node.is_named:
            self.complicate(_REASONS.get(node.type, f"it uses {node.type.replace('_', ' ')}"))
        if node.type in _NESTING:
            self.flags.add(_NESTING[node.type])
        before = len(self._commands)
        self._nested += 1
        for child in node.children:
            if child.type in OPERATORS:
                self.operators.append(child.type)
            elif child.type in STATEMENTS:
                self.statement(child, ";", depth + 1)
            elif child.child_count:
                self.compound(child, depth + 1)
        self._nested -= 1
        if node.type == "function_definition":
            self._look_for_fork_bomb(node, self._commands[before:])

    def _look_for_fork_bomb(self, node: "Node", body: list[SimpleCommand]) -> None:
        name = node.child_by_field_name("name")
        called = [command for command in body if name and command.text == self.text(name)]
        if called and {"&", "|"} & set(self.operators):
            self.flags.add("fork_bomb")

    # --- commands ---

    def _redirected(self, node: "Node", joined_by: str, depth: int, outer: "_Nodes") -> None:
        body = node.child_by_field_name("body")
        self.check_gaps(node, _BEFORE_REDIRECT)
        redirects = (*(child for child in node.children if child != body), *outer)
        if body is None or body.type == "command":
            self._command(body, redirects, joined_by, depth)
        elif body.type in SEQUENCES:
            self.statement(body, joined_by, depth + 1, redirects)
        else:
            self._command(None, redirects, joined_by, depth)
            self.complicate("a redirection covers a group of commands")
            self.statement(body, ";", depth + 1)

    def inert_statement(self, node: "Node", depth: int) -> None:
        """Take the `cat` of a quoted document that stands inside a word."""
        self._nested += 1
        self.statement(node, ";", depth + 1)
        self._nested -= 1

    def _command(
        self, node: "Node | None", redirects: "_Nodes", joined_by: str, depth: int
    ) -> None:
        self._left -= 1 + (node.child_count if node else 0)
        if self._left < 0:
            raise _TooMuchError
        parts = CommandParts()
        deferred: list[tuple[Node, str]] = []
        if node is not None:
            self.check_gaps(node, BETWEEN_WORDS)
        for child in node.children if node else ():
            self._part(child, parts, deferred, depth)
        # The grammar loses a lone dash before a here document: `git commit -F - <<'EOF'`.
        between = (
            self.source[node.end_byte : redirects[0].start_byte] if node and redirects else b""
        )
        if between.strip() == b"-":
            parts.words.append(Word(raw="-", value="-"))
        for redirect in redirects:
            self._part(redirect, parts, deferred, depth)
        self._inspect_name(parts)
        self._commands.append(
            SimpleCommand(
                words=tuple(parts.words),
                assignments=tuple(parts.assignments),
                redirects=tuple(self._settled(redirect, parts) for redirect in parts.redirects),
                text=" ".join(word.raw for word in parts.words),
                full_text=" ".join(
                    [a.raw for a in parts.assignments]
                    + [word.raw for word in parts.words]
                    + [redirect.raw for redirect in parts.redirects]
                ),
                joined_by=joined_by,
                nested=self._nested > 0,
            )
        )
        for statement, operator in deferred:
            self.statement(statement, operator, depth + 1)

    def _part(
        self, node: "Node", parts: CommandParts, deferred: list[tuple["Node", str]], depth: int
    ) -> None:
        if node.type == "variable_assignment":
            parts.assignments.append(self._assignment(node, depth))
        elif node.type == "command_name":
            if node.child_count:
                parts.words.append(self.word(node.children[0], depth))
                parts.plain_name = node.children[0].type in ("word", "raw_string", "string")
        elif node.type == "file_redirect":
            self.file_redirect(node, parts, depth)
        elif node.type == "herestring_redirect":
            self.herestring(node, parts, depth)
        elif node.type == "heredoc_redirect":
            self.heredoc(node, parts, deferred, depth)
        elif node.type == "comment":
            self._comment(node)
        else:
            parts.words.append(self.word(node, depth))

    def _inspect_name(self, parts: CommandParts) -> None:
        if not parts.words:
            return
        name = parts.words[0]
        if not name.known or name.glob_at is not None or name.tilde or not parts.plain_name:
            self.complicate("the command's name is built by the shell")
        if name.value in COMPLEX_WORDS or (
            name.value in ("command", "hash")
            and any(word.value in _ADVANCED_FLAGS for word in parts.words[1:2])
        ):
            self.complicate(f"{name.value} changes what the line means")
        if name.value == "cd":
            self.flags.add("cd")

    def _settled(self, redirect: Redirect, parts: CommandParts) -> Redirect:
        """Take a here document for what it is: data, unless an interpreter reads it."""
        if redirect.kind != "data" or not parts.words:
            return redirect
        name = parts.words[0].value.rpartition("/")[2]
        if name not in INTERPRETERS:
            return redirect
        self.complicate(f"{name} acts on the text that it is given")
        return Redirect(op=redirect.op, fd=None, target=None, kind="text", raw=redirect.raw)

    def _assignments_only(self, node: "Node", joined_by: str, depth: int) -> None:
        nodes = [node] if node.type == "variable_assignment" else node.children
        self.check_gaps(node, BETWEEN_WORDS)
        assignments = tuple(self._assignment(child, depth) for child in nodes)
        text = " ".join(assignment.raw for assignment in assignments)
        self._commands.append(
            SimpleCommand(
                words=(),
                assignments=assignments,
                text="",
                full_text=text,
                joined_by=joined_by,
                nested=self._nested > 0,
            )
        )

    def _assignment(self, node: "Node", depth: int) -> Assignment:
        name = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        if name is None or name.type != "variable_name":
            self.complicate("it assigns to part of an array")
            self.compound(node, depth + 1)
        label = self.text(name) if name else ""
        if label in STATE_VARIABLES or label.startswith(("LD_", "DYLD_")):
            self.complicate(f"it changes {label}")
        word = self.word(value, depth) if value else None
        return Assignment(name=label, value=word, raw=self.text(node))


if TYPE_CHECKING:
    _Nodes: TypeAlias = tuple[Node, ...]


_REASONS = {
    "command_substitution": "it runs a command inside a word",
    "process_substitution": "it runs a command as a file",
    "subshell": "it uses a subshell",
    "compound_statement": "it uses a group of commands",
    "function_definition": "it defines a function",
    "expansion": "it expands a variable in a way that can run code or change the value",
    "declaration_command": "it changes the shell's variables",
    "unset_command": "it changes the shell's variables",
    "ERROR": "its syntax is not clear",
}
