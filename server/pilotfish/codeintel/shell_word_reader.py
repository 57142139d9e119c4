"""Words, strings and here documents of a shell syntax tree.

Owns: the positive list of what may make up a word, and the checks that keep grammar and shell in
step inside words: nothing that expands hides in a string, the parts of a word touch, a here
document ends where the shell ends it.
Does not own: commands and operators (``shell_tree``).
"""

import re
from typing import TYPE_CHECKING

from pilotfish.codeintel.shell_words import (
    ShellFlag,
    Word,
    unescape_ansi_c,
    unescape_double_quoted,
    unescape_word,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_HEREDOC_START = re.compile(r"^(?:'(\w+)'|\"(\w+)\"|\\(\w+)|(\w+))$", re.ASCII)
_CLOSED = re.compile(r"\$?'[\s\S]*'")
_NOTHING = re.compile(rb"")
# What ends a word or opens something in it, unless a backslash stands before it.
_NOT_IN_WORDS = re.compile(r"^(?:[^\\]|\\[\s\S])*?[\s;&|<>()`\"'$]")
_EXPANDING = re.compile(r"[$`\\]")
_EXPANDED_NAME = re.compile(rb"[\w?*@#!$-]")
_MISSED_EXPANSION = re.compile(r"(?<!\\)(?:\\\\)*(?:`|\$[\w({\[?*@#!$-])")


class WordReader:
    """Reads words; whoever walks the commands derives from it and takes what words contain."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.flags: set[ShellFlag] = set()
        self.complex_reason = ""
        self.error_reason = ""

    def error(self, reason: str) -> None:
        """Note that the text cannot be read for certain; the first reason is kept."""
        self.error_reason = self.error_reason or reason

    def complicate(self, reason: str) -> None:
        """Note that there is more to it than plain commands; the first reason is kept."""
        self.complex_reason = self.complex_reason or reason

    def compound(self, node: "Node", depth: int) -> None:
        """Take a node that is not on the positive list: it may hold commands."""
        raise NotImplementedError

    def inert_statement(self, node: "Node", depth: int) -> None:
        """Take the `cat` of a quoted document that stands inside a word."""
        raise NotImplementedError

    def check_gaps(self, node: "Node", allowed: re.Pattern[bytes]) -> None:
        """Refuse text that the grammar passed over, above all a line end that ends a command."""
        position = node.start_byte
        for child in node.children:
            if not allowed.fullmatch(self.source, position, max(position, child.start_byte)):
                self.error("part of it was not understood")
            position = child.end_byte

    def text(self, node: "Node") -> str:
        """Return what is written at a node."""
        return self.source[node.start_byte : node.end_byte].decode()

    def word(self, node: "Node", depth: int) -> Word:
        """Decode a word; what is not on the positive list makes the command complex."""
        raw = self.text(node)
        word = self._literal_word(node, raw) or self._built_word(node, raw, depth)
        if word is None:
            if not node.is_named:
                self.complicate(f"it uses {raw} as a word")
            self.compound(node, depth + 1)
            return Word(raw=raw, value=raw, known=False)
        if word.glob_at is not None:
            self.flags.add("glob")
        return word

    def _literal_word(self, node: "Node", raw: str) -> Word | None:
        kind = node.type
        if kind in ("word", "number", "variable_name") and not node.child_count:
            if _NOT_IN_WORDS.search(raw):
                self.error("the end of a word is not clear")
            return unescape_word(raw)
        if kind in ("raw_string", "ansi_c_string") and not _CLOSED.fullmatch(raw):
            self.error("a quote is not closed")
            return None
        if kind == "raw_string":
            return Word(raw=raw, value=raw[1:-1])
        if kind == "ansi_c_string":
            decoded = unescape_ansi_c(raw[2:-1])
            return Word(raw=raw, value=decoded) if decoded is not None else None
        if kind == "brace_expression":
            return Word(raw=raw, value=raw, glob_at=0)
        return self._lone_dollar(node, raw) if kind == "$" else None

    def _built_word(self, node: "Node", raw: str, depth: int) -> Word | None:
        if node.type == "string":
            return self._string(node, raw, depth)
        if node.type == "concatenation":
            return self._concatenation(node, raw, depth)
        if node.type in ("simple_expansion", "expansion"):
            return self._expansion(node, raw)
        return None

    def _lone_dollar(self, node: "Node", raw: str) -> Word | None:
        following = self.source[node.end_byte : node.end_byte + 1]
        if following in (b'"', b"'", b"(", b"{", b"["):
            self.complicate("it uses a translated string")
            return None
        if _EXPANDED_NAME.match(following):
            # After `]` the grammar ends the word at the dollar sign; the shell expands a variable.
            self.error("the end of a word is not clear")
            return None
        return Word(raw=raw, value=raw)

    def _expansion(self, node: "Node", raw: str) -> Word | None:
        self.check_gaps(node, _NOTHING)
        names = [c for c in node.children if c.type in ("variable_name", "special_variable_name")]
        others = [c for c in node.children if c not in names and c.type not in ("$", "${", "}")]
        if len(names) != 1 or others:
            return None
        self.flags.add("variable")
        return Word(raw=raw, value="$" + self.text(names[0]), known=False)

    def _string(self, node: "Node", raw: str, depth: int) -> Word | None:
        """Decode a double-quoted string: literal text between simple variables."""
        if len(raw) < 2 or not raw.startswith('"') or not raw.endswith('"'):
            # The closing quote is missing; the grammar mends that silently.
            self.error("a quote is not closed")
            return None
        known, value = True, ""
        position = node.start_byte + 1
        for child in node.children:
            if child.type in ("simple_expansion", "expansion"):
                part = self._expansion(child, self.text(child))
            elif child.type == "command_substitution":
                part = self._quoted_document(child, depth)
            else:
                continue
            literal = self._literal(position, child.start_byte)
            if part is None or literal is None:
                return None
            value += literal + part.value
            known = known and part.known
            position = child.end_byte
        tail = self._literal(position, node.end_byte - 1)
        if tail is None:
            return None
        return Word(raw=raw, value=value + tail, known=known)

    def _literal(self, start: int, end: int) -> str | None:
        text = self.source[start:end].decode()
        return None if _MISSED_EXPANSION.search(text) else unescape_double_quoted(text)

    def _quoted_document(self, node: "Node", depth: int) -> Word | None:
        """Read ``$(cat <<'EOF' … EOF)``: nothing but text that is handed over unchanged."""
        inner = [child for child in node.children if child.is_named]
        if len(inner) != 1 or inner[0].type != "redirected_statement":
            return None
        parts = {child.type: child for child in inner[0].children}
        body, document = parts.get("command"), parts.get("heredoc_redirect")
        if len(inner[0].children) != 2 or body is None or document is None:
            return None
        allowed = {"<<", "<<-", "heredoc_start", "heredoc_body", "heredoc_end"}
        plain = all(child.type in allowed for child in document.children)
        if self.text(body) != "cat" or not plain or not self.heredoc_is_data(document):
            return None
        self.inert_statement(inner[0], depth)
        text = next((self.text(c) for c in document.children if c.type == "heredoc_body"), "")
        return Word(raw=self.text(node), value=text.rstrip("\n"))

    def _concatenation(self, node: "Node", raw: str, depth: int) -> Word | None:
        known, value, glob_at = True, "", None
        position = node.start_byte
        for child in node.children:
            if child.start_byte != position:
                self.error("parts of a word are not next to each other")
            position = child.end_byte
            part = self.word(child, depth)
            if part.glob_at is not None and glob_at is None:
                glob_at = len(value) + part.glob_at
            known = known and part.known
            value += part.value
        return Word(raw=raw, value=value, known=known, glob_at=glob_at, tilde=raw.startswith("~"))

    def heredoc_is_data(self, node: "Node") -> bool:
        """Tell whether the shell hands the body over unchanged, and check where it ends."""
        by_type = {child.type: child for child in node.children}
        start, end = by_type.get("heredoc_start"), by_type.get("heredoc_end")
        match = _HEREDOC_START.match(self.text(start)) if start else None
        if match is None or end is None or start is None:
            self.complicate("its here document is unusual")
            return False
        delimiter = next(group for group in match.groups() if group)
        line_end = self.source.find(b"\n", start.end_byte)
        lines = self.source[line_end + 1 : end.end_byte].decode().split("\n")
        if "<<-" in by_type:
            lines = [line.lstrip("\t") for line in lines]
        # The body starts on the next line and ends at the first line that is the delimiter.
        if delimiter not in lines or lines.index(delimiter) != len(lines) - 1:
            self.error("its here document does not end where it seems to")
            return False
        quoted = match.group(4) is None
        return quoted or not _EXPANDING.search("\n".join(lines[:-1]))
