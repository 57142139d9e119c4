"""Definitions of a text found line by line, without a syntax tree: quick, and nearly right.

Owns: patterns per family of languages.
Does not own: the exact reading that replaces what is found here (``codeintel.symbols``).

No pattern can run wild: repetitions are possessive or divided by what they cannot contain.
"""

import re
from collections.abc import Iterator
from functools import cache

from pilotfish.codeintel.facts import Definition, FileFacts, Reference
from pilotfish.codeintel.index.rows import utf16_length
from pilotfish.ports.code import Position, Span, SymbolKind

MAX_DEFINITIONS = 20_000
"""Definitions of one file that are kept."""

_MAX_LINE_CHARS = 400
"""A definition's line is read up to here."""

_KINDS: dict[str, SymbolKind] = {
    "def": "function", "defp": "function", "func": "function", "fn": "function",
    "fun": "function", "function": "function", "function*": "function", "sub": "function",
    "macro_rules!": "function", "#define": "constant", "defmacro": "function",
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
    return rf"^{indent}(?:(?:{_MODIFIERS})[ \t]++)*+(?P<word>{words})[ \t]++(?P<name>{name})"


_TYPED_METHOD = (
    r"|^[ \t]*+(?:[\w<>\[\],.?&*:]++[ \t]++){1,6}(?P<method>[^\W\d]\w*+)[ \t]*+\([^;\n]*+$"
)
"""``public List<Text> read(Path file) {``: a type, a name, and no semicolon on the line."""

_TYPES = "class|interface|enum|record|struct|namespace|trait|object"

_FAMILIES: dict[str, str] = {
    "python": r"^[ \t]*+(?:async[ \t]++)?(?P<word>def|class)[ \t]++(?P<name>[^\W\d]\w*+)"
    r"|^(?P<variable>[^\W\d]\w*+)[ \t]*+(?::[^=\n]++)?=(?!=)",
    "javascript": _keyword("function\\*?|class|interface|enum|type|namespace", r"(?!\d)[\w$]++")
    + r"|^(?:export[ \t]++)?(?P<word2>const|let|var)[ \t]++(?P<name2>[\w$]++)",
    "go": r"^(?P<word>func|type|var|const)[ \t]++(?:\([^)\n]*+\)[ \t]*+)?(?P<name>[^\W\d]\w*+)",
    "rust": r"^[ \t]*+(?:pub(?:\([^)\n]*+\))?[ \t]++)?(?:(?:async|unsafe|const|extern)[ \t]++)*+"
    r"(?P<word>fn|struct|enum|union|trait|type|mod|static|macro_rules!)[ \t]++"
    r"(?P<name>[^\W\d]\w*+)",
    "java": _keyword(_TYPES) + _TYPED_METHOD,
    "c": r"^(?P<word>#define)[ \t]++(?P<name>[^\W\d]\w*+)"
    rf"|^[ \t]*+(?:typedef[ \t]++)?(?P<word2>{_TYPES}|union)[ \t]++(?P<name2>[^\W\d]\w*+)"
    r"|^(?:[\w<>,&*:]++[ \t*&]++){1,6}(?P<method>[^\W\d][\w:~]*+)[ \t]*+\([^;\n]*+$",
    "ruby": r"^[ \t]*+(?P<word>def|class|module)[ \t]++(?:self\.)?(?P<name>[^\W\d]\w*+[?!=]?)",
    "php": _keyword(f"function|{_TYPES}"),
    "kotlin": _keyword("fun|class|interface|object|typealias|val|var"),
    "swift": _keyword("func|class|struct|enum|protocol|extension|actor|typealias"),
    "scala": _keyword("def|class|object|trait|type|enum"),
    "bash": r"^(?:(?P<word>function)[ \t]++)?(?P<name>[\w-]++)[ \t]*+\(\)",
    "lua": r"^[ \t]*+(?:local[ \t]++)?(?P<word>function)[ \t]++(?:\w++[.:])*(?P<name>[^\W\d]\w*+)",
    "proto": _keyword("message|enum|service|rpc"),
    "": _keyword(
        "def|defp|defmodule|defmacro|function|fn|struct|enum|class|type|module|data|newtype"
    ),
}

_SAME_AS = {
    "typescript": "javascript", "tsx": "javascript", "csharp": "java", "dart": "java",
    "cpp": "c",
}  # fmt: skip

_IMPORT = re.compile(
    r"^[ \t]*+(?:from|import|use|using|require|#include|export[ \t]++\*)\b[^\n]*+", re.M
)
_IDENTIFIER = re.compile(r"[^\W\d]\w*+")
_IMPORT_WORDS = frozenset({"as", "export", "from", "import", "include", "require", "use", "using"})
_MAX_IMPORTS = 2_000


def scan(language: str, text: str) -> FileFacts:
    """Find what a text defines and imports."""
    lines = _Lines(text)
    return FileFacts(
        language=language,
        definitions=tuple(_definitions(language, text, lines)),
        references=tuple(_imports(text)),
        complete=False,
    )


def _definitions(language: str, text: str, lines: "_Lines") -> Iterator[Definition]:
    for number, match in enumerate(_pattern(language).finditer(text)):
        if number >= MAX_DEFINITIONS:
            return
        group = match.lastgroup or ""
        start, end = match.span(group)
        word = match.groupdict().get("word2" if group == "name2" else "word")
        kind: SymbolKind = "variable" if group == "variable" else _KINDS.get(word or "", "function")
        line, line_start = lines.at(start)
        stop = text.find("\n", end)
        code = text[line_start : min(len(text) if stop < 0 else stop, line_start + _MAX_LINE_CHARS)]
        name_at = utf16_length(text[line_start:start])
        name = text[start:end]
        yield Definition(
            name=name,
            kind=kind,
            span=Span(Position(line, 0), Position(line, utf16_length(code.rstrip("\r")))),
            name_span=Span(Position(line, name_at), Position(line, name_at + utf16_length(name))),
            parent=-1,
            signature=" ".join(code.split()),
        )


def _imports(text: str) -> Iterator[Reference]:
    lines = _Lines(text)
    count = 0
    for found in _IMPORT.finditer(text):
        for word in _IDENTIFIER.finditer(text, found.start(), found.end()):
            if word.group() in _IMPORT_WORDS:
                continue
            count += 1
            if count > _MAX_IMPORTS:
                return
            line, line_start = lines.at(word.start())
            at = utf16_length(text[line_start : word.start()])
            span = Span(Position(line, at), Position(line, at + utf16_length(word.group())))
            yield Reference(word.group(), span, "import")


class _Lines:
    """Finds the lines of places that are asked for in order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line = 0
        self._place = 0

    def at(self, place: int) -> tuple[int, int]:
        """Return the number of the line of a place, and where that line begins."""
        self._line += self._text.count("\n", self._place, place)
        self._place = place
        return self._line, self._text.rfind("\n", 0, place) + 1


@cache
def _pattern(language: str) -> re.Pattern[str]:
    family = _SAME_AS.get(language, language)
    return re.compile(_FAMILIES.get(family, _FAMILIES[""]), re.MULTILINE)
