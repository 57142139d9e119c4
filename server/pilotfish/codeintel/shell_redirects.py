"""Redirections and here documents of a shell syntax tree.

Owns: where they lead, whether a here document is plain data, and what the grammar hangs below them
although it belongs to the command: arguments after a target, the rest of a pipeline.
Does not own: words (``shell_word_reader``), commands (``shell_tree``).
"""

import re
from typing import TYPE_CHECKING

from pilotfish.codeintel.shell_word_reader import WordReader
from pilotfish.codeintel.shell_words import Assignment, Redirect, RedirectKind, Word

if TYPE_CHECKING:
    from tree_sitter import Node

BETWEEN_WORDS = re.compile(rb"(?:[ \t]|\\\n)*")
"""What may stand between the words of one command."""

SEQUENCES = frozenset({"program", "list", "pipeline", "negated_command"})
"""Nodes that hold statements one after the other."""

STATEMENTS = SEQUENCES | {
    "command",
    "redirected_statement",
    "variable_assignment",
    "variable_assignments",
}
"""Nodes that hold commands and are understood."""

OPERATORS = frozenset({"&&", "||", ";", "|", "|&", "&"})


class CommandParts:
    """What a command is put together from while its nodes are read."""

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.assignments: list[Assignment] = []
        self.redirects: list[Redirect] = []
        self.plain_name = True


class RedirectReader(WordReader):
    """Reads redirections; whoever walks the commands derives from it."""

    def __init__(self, source: bytes) -> None:
        super().__init__(source)
        self.operators: list[str] = []

    def file_redirect(self, node: "Node", parts: CommandParts, depth: int) -> None:
        """Take ``> target`` and the like; what follows the target goes to the command."""
        self.check_gaps(node, BETWEEN_WORDS)
        fd: int | None = None
        op = ""
        words: list[Word] = []
        for child in node.children:
            if child.type == "file_descriptor":
                text = self.text(child)
                fd = int(text) if text.isdecimal() else None
                if fd is None:
                    self.complicate("it names a descriptor by a variable")
            elif not op:
                op = child.type
            else:
                words.append(self.word(child, depth))
        target = words[0] if words else None
        head = self.source[node.start_byte : node.end_byte].decode().split(op)[0] + op
        raw = head + (target.raw if target else "")
        parts.redirects.append(
            Redirect(op=op, fd=fd, target=target, kind=redirect_kind(op, target), raw=raw)
        )
        # What follows the target belongs to the command: `echo a > out b` prints "a b".
        parts.words.extend(words[1:])

    def herestring(self, node: "Node", parts: CommandParts, depth: int) -> None:
        """Take ``<<< word``."""
        self.check_gaps(node, BETWEEN_WORDS)
        words = [self.word(child, depth) for child in node.children if child.type != "<<<"]
        target = words[0] if len(words) == 1 else None
        if target is None:
            self.complicate("it uses a here string")
        literal = target is not None and target.known and target.glob_at is None
        kind: RedirectKind = "data" if literal else "text"
        raw = self.text(node)
        self.flags.add("heredoc")
        parts.redirects.append(Redirect(op="<<<", fd=None, target=target, kind=kind, raw=raw))

    def heredoc(
        self,
        node: "Node",
        parts: CommandParts,
        deferred: list[tuple["Node", str]],
        depth: int,
    ) -> None:
        """Take ``<<END``; statements that the grammar hangs below it are put into ``deferred``."""
        self.flags.add("heredoc")
        kind: RedirectKind = "data" if self.heredoc_is_data(node) else "text"
        operator = ";"
        for child in node.children:
            if child.type in OPERATORS:
                self.operators.append(child.type)
                operator = child.type
            elif child.type in ("heredoc_body", "heredoc_start", "heredoc_end", "<<", "<<-"):
                if child.type == "heredoc_body" and kind == "text":
                    self._expanding_body(child, depth)
            elif child.type == "file_redirect":
                self.file_redirect(child, parts, depth)
            elif child.type in STATEMENTS:
                deferred.append((child, "|" if child.type == "pipeline" else operator))
            else:
                parts.words.append(self.word(child, depth))
        raw = self.text(node)
        parts.redirects.append(Redirect(op="<<", fd=None, target=None, kind=kind, raw=raw))

    def _expanding_body(self, body: "Node", depth: int) -> None:
        for child in body.children:
            if child.type not in ("heredoc_content", "simple_expansion"):
                self.compound(child, depth + 1)


def redirect_kind(op: str, target: Word | None) -> RedirectKind:
    """Tell what a redirection to or from a target does."""
    if target is None:
        return "dup"
    literal = target.known and target.glob_at is None and not target.tilde
    if literal and op in (">&", "<&") and (target.value.isdecimal() or target.value == "-"):
        return "dup"
    if literal and target.value == "/dev/null":
        return "null"
    return "read" if op in ("<", "<&") else "write"
