"""Definitions of a text found line by line, without a syntax tree: quick, and nearly right.

Owns: patterns per family of languages.
Does not own: the exact reading that replaces what is found here (``codeintel.symbols``).

No pattern can run wild: repetitions are possessive or divided by what they cannot contain.
"""

import re
from functools import cache
from typing import NamedTuple

from pilotfish.codeintel.byte_positions import utf16_length
from pilotfish.codeintel.facts import ROLES
from pilotfish.codeintel.index.rows import MAX_SIGNATURE_CHARS, SymbolRow
from pilotfish.ports.code import SymbolKind

MAX_DEFINITIONS = 20_000
"""Definitions of one file that are kept."""

_MAX_LINE_CHARS = 400
"""A definition's line is read up to here."""

_KINDS: dict[str, SymbolKind] = {
    "def": "function", "defp": "function", "func": "function", "fn": "function",
    "fun": "function", "function": "function", "function*": "function", "sub": "function",
    "macro_rules!": "function", "defprotocol": "interface", "#define": "constant", "defmacro": "function",
    "class": "class", "record": "class", "object": "class", "extension": "class", "impl": "class",
    "actor": "class", "struct": "struct", "union": "struct", "enum": "enum", "trait": "interface",
    "interface": "interface", "protocol": "interface", "message": "struct", "service": "interface",
    "rpc": "method", "type": "class", "typealias": "class", "namespace": "namespace",
    "module": "module", "mod": "module", "defmodule": "module", "package": "package",
    "const": "constant", "static": "constant", "let": "variable", "var": "variable",
    "val": "variable", "data": "class", "newtype": "class",
}  # fmt: skip

_MODIFIERS = (
    "abstract|async|const|data|declare|default|export|extern|fileprivate|final|implicit|inline|"
    "internal|lazy|local|mutating|noinline|open|override|partial|private|protected|public|readonly|"
    "sealed|static|suspend|unsafe|virtual"
)


def _keyword(words: str, name: str = r"[^\W\d][\w$]*+", indent: str = r"[ \t]*+") -> str:
    return rf"\n{indent}(?:(?:{_MODIFIERS})[ \t]++)*+(?P<word>{words})[ \t]++(?P<name>{name})"


_TYPED_METHOD = (
    r"|\n[ \t]*+(?:[\w<>\[\],.?&*:]++[ \t]++){1,6}(?P<method>[^\W\d]\w*+)[ \t]*+\([^;\n]*+$"
)
"""``public List<Text> read(Path file) {``: a type, a name, and no semicolon on the line."""

_TYPES = "class|interface|enum|record|struct|namespace|trait|object"

_FAMILIES: dict[str, str] = {
    "python": r"\n[ \t]*+(?:async[ \t]++)?(?P<word>def|class)[ \t]++(?P<name>[^\W\d]\w*+)"
    r"|\n(?P<variable>[^\W\d]\w*+)[ \t]*+(?::[^=\n]++)?=(?!=)",
    "javascript": _keyword("function\\*?|class|interface|enum|type|namespace", r"(?!\d)[\w$]++")
    + r"|\n(?:export[ \t]++)?(?P<word2>const|let|var)[ \t]++(?P<name2>[\w$]++)",
    "go": r"\n(?P<word>func|type|var|const)[ \t]++(?:\([^)\n]*+\)[ \t]*+)?(?P<name>[^\W\d]\w*+)",
    "rust": r"\n[ \t]*+(?:pub(?:\([^)\n]*+\))?[ \t]++)?(?:(?:async|unsafe|const|extern)[ \t]++)*+"
    r"(?P<word>fn|struct|enum|union|trait|type|mod|static|macro_rules!)[ \t]++"
    r"(?P<name>[^\W\d]\w*+)",
    "java": _keyword(_TYPES) + _TYPED_METHOD,
    "c": r"\n(?P<word>#define)[ \t]++(?P<name>[^\W\d]\w*+)"
    rf"|\n[ \t]*+(?:typedef[ \t]++)?(?P<word2>{_TYPES}|union)[ \t]++(?P<name2>[^\W\d]\w*+)"
    r"|\n(?:[\w<>,&*:]++[ \t*&]++){1,6}(?P<method>[^\W\d][\w:~]*+)[ \t]*+\([^;\n]*+$",
    "ruby": r"\n[ \t]*+(?P<word>def|class|module)[ \t]++(?:self\.)?(?P<name>[^\W\d]\w*+[?!=]?)",
    "php": _keyword(f"function|{_TYPES}"),
    "kotlin": _keyword("fun|class|interface|object|typealias|val|var"),
    "swift": _keyword("func|class|struct|enum|protocol|extension|actor|typealias"),
    "scala": _keyword("def|class|object|trait|type|enum"),
    "bash": r"\n(?:(?P<word>function)[ \t]++)?(?P<name>[\w-]++)[ \t]*+\(\)",
    "lua": r"\n[ \t]*+(?:local[ \t]++)?(?P<word>function)[ \t]++(?:\w++[.:])*(?P<name>[^\W\d]\w*+)",
    "elixir": r"\n[ \t]*+(?P<word>defmodule|defprotocol|defmacro|defp?)[ \t]++(?:\w++\.)*+"
    r"(?P<name>[^\W\d]\w*+)",
    "proto": _keyword("message|enum|service|rpc"),
    "": _keyword(
        "def|defp|defmodule|defmacro|function|fn|struct|enum|class|type|module|data|newtype"
    ),
}

_SAME_AS = {
    "typescript": "javascript", "tsx": "javascript", "csharp": "java", "dart": "java",
    "cpp": "c", "vue": "javascript", "svelte": "javascript", "astro": "javascript",
    "ejs": "javascript", "erb": "javascript",
}  # fmt: skip

_IMPORT = re.compile(
    r"\n[ \t]*+(?:from|import|use|using|require|#include|export[ \t]++\*)\b[^\n]*+", re.M
)
_IDENTIFIER = re.compile(r"[^\W\d]\w*+")
_IMPORT_WORDS = frozenset({"as", "export", "from", "import", "include", "require", "use", "using"})
_MAX_IMPORTS = 2_000
_IMPORT_ROLE = ROLES.index("import")


class Scan(NamedTuple):
    """What the lines of a text show, as the index keeps it."""

    symbols: list[SymbolRow]
    sites: dict[str, list[int]]
    """Imports."""


def scan(language: str, text: str) -> Scan:
    """Find what a text defines and imports."""
    # With a line feed before the first line, too, every line begins with one: that is what patterns
    # are looked for by, several times as fast as by the beginnings of lines.
    text = f"\n{text}"
    return Scan(_symbols(language, text), _imports(text))


def _symbols(language: str, text: str) -> list[SymbolRow]:
    pattern = _pattern(language)
    words = {
        group: pattern.groupindex.get("word2" if group == "name2" else "word")
        for group in pattern.groupindex
    }
    made: list[SymbolRow] = []
    line, line_start = 0, 1
    length = len if text.isascii() else utf16_length
    for match in pattern.finditer(text):
        line += text.count("\n", line_start, match.start() + 1)
        line_start = match.start() + 1
        group = match.lastgroup or ""
        start, end = match.span(group)
        stop = text.find("\n", end)
        stop = min(len(text) if stop < 0 else stop, line_start + _MAX_LINE_CHARS)
        code = text[line_start:stop]
        name = text[start:end]
        name_at = length(text[line_start:start])
        made.append((
            len(made), name, _kind(match, group, words[group]), -1,
            line, 0, line, length(code.rstrip("\r")),
            line, name_at, name_at + length(name),
            " ".join(code.split())[:MAX_SIGNATURE_CHARS], "", "",
        ))  # fmt: skip
        if len(made) >= MAX_DEFINITIONS:
            break
    return made


def _kind(match: re.Match[str], group: str, word: int | None) -> SymbolKind:
    if group == "variable":
        return "variable"
    return _KINDS.get(match[word] or "", "function") if word is not None else "function"


def _imports(text: str) -> dict[str, list[int]]:
    sites: dict[str, list[int]] = {}
    line, line_start = 0, 1
    count = 0
    for found in _IMPORT.finditer(text):
        line += text.count("\n", line_start, found.start() + 1)
        line_start = found.start() + 1
        for word in _IDENTIFIER.finditer(text, line_start, found.end()):
            name = word.group()
            if name in _IMPORT_WORDS:
                continue
            count += 1
            if count > _MAX_IMPORTS:
                return sites
            at = utf16_length(text[line_start : word.start()])
            sites.setdefault(name, []).extend((line, at, _IMPORT_ROLE))
    return sites


@cache
def _pattern(language: str) -> re.Pattern[str]:
    family = _SAME_AS.get(language, language)
    return re.compile(_FAMILIES.get(family, _FAMILIES[""]), re.MULTILINE)
