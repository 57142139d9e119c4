"""Which module a name was imported from, as the text of the importing file says.

Owns: reading that from what stands around the import, whether a file is the one that is meant.
Does not own: what the name means (``resolve``). Pure.

Modules are told by the last parts of their names, which are those of files and folders in most languages.
"""

import re
from itertools import islice
from pathlib import PurePosixPath

from pilotfish.codeintel.facts import Reference
from pilotfish.codeintel.index.rows import INDEX_STEMS
from pilotfish.codeintel.index.views import FileView
from pilotfish.ports.code import Span

Module = tuple[str, ...]
"""The parts of a module's name that tell where it lies, outermost first; empty when that is not known."""

_MAX_LINES = 30
"""Lines of one import that are looked at."""

_MAX_CHARS = 2_000
"""Characters of an import that are looked at, on each side of a name."""

_MAX_IMPORTS = 20
"""Imports of one name that are looked at."""

_LIST_BEGINS = re.compile(r"\bfrom\s+([\w.]+)\s+import\b")
_MODULES_BEFORE = (
    re.compile(r"\bimport\s+([\w.]+)\s+as\s+$"),
    re.compile(r"^\s*(?:import|use|using)\s+(?:static\s+|function\s+)?([\w.\\:]+)(?:\.|\\|::)$"),
)
_MODULE_AFTER = re.compile(r"""[^;'"`()=]*?\bfrom\s*(['"])(?P<module>[^'"]+)\1""")
_SUFFIX = re.compile(r"\.(?:[cm]?[jt]sx?|vue|svelte|json)$")
_ALIAS_MARKS = ("@", "~", "#")
_BREAKS = re.compile(r"[./\\:]+")


def module_of(view: FileView, name: str) -> Module:
    """Return the module that a name of a file was imported from."""
    imports = (one for one in view.facts.references.named(name) if one.role == "import")
    for one in islice(imports, _MAX_IMPORTS):
        if found := _module_at(view, one):
            return found
    return ()


def lies_in(path: str, module: Module) -> bool:
    """Tell whether a file is a module, or lies directly in the folder of that name."""
    pure = PurePosixPath(path)
    parts = pure.parent.parts if pure.stem in INDEX_STEMS else pure.with_suffix("").parts
    return module in (parts[-len(module) :], pure.parent.parts[-len(module) :])


def specifier_after(view: FileView, span: Span) -> str:
    """Return the module that stands in quotes after a list of imports or exports; empty where none does."""
    found = _MODULE_AFTER.match(text_after(view, span))
    return found["module"] if found else ""


def text_after(view: FileView, span: Span) -> str:
    """Return what follows a place on its line and the next ones, at most so much."""
    line = span.start.line
    below = (view.line(at)[:_MAX_CHARS] for at in range(line + 1, line + _MAX_LINES))
    return "\n".join([view.after(span), *below])[:_MAX_CHARS]


def _module_at(view: FileView, one: Reference) -> Module:
    line = one.span.start.line
    before = view.before(one.span)
    for pattern in _MODULES_BEFORE:
        if found := pattern.search(before):
            return _parts(found[1])
    if ")" not in before and "import" not in before:
        # A list in parentheses begins some lines above.
        above = (view.line(at)[-_MAX_CHARS:] for at in range(max(0, line - _MAX_LINES), line))
        before = "\n".join([*above, before]).rpartition(")")[2]
    # Of the statement that the name stands in: the last one that begins before it.
    before = before[-_MAX_CHARS:].rpartition(";")[2]
    if begun := _LIST_BEGINS.findall(before):
        return _parts(begun[-1])
    return _parts(_SUFFIX.sub("", specifier_after(view, one.span)))


def _parts(module: str) -> Module:
    parts = [part for part in _BREAKS.split(module) if part]
    # ``@/lib/util``, ``@scope/lib/util``: what an alias or a scope stands for the path does not tell.
    return tuple(parts[1:] if module.startswith(_ALIAS_MARKS) else parts)
