"""Definitions and uses of names in one file, from its syntax.

Owns: ``extract_facts``, the forest of a document's symbols.
Does not own: what is a definition in a language (``codeintel.tag_queries``), the tree
(``codeintel.trees``), texts too big for a tree (``codeintel.coarse``).

Everything here blocks: call it in a thread or a worker process unless the text is short.
"""

from collections.abc import Set
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pilotfish.codeintel.byte_positions import BytePositions
from pilotfish.codeintel.coarse import coarse_definitions, coarse_facts
from pilotfish.codeintel.drafts import USING, Draft
from pilotfish.codeintel.embedded import embedded_texts
from pilotfish.codeintel.facts import ROLES, Definition, FileFacts, ReferenceRole, Uses
from pilotfish.codeintel.languages import DOTTED_NAMES, NO_CODE, PAGES, TEMPLATES, WITH_PARTS
from pilotfish.codeintel.outline import finish_drafts
from pilotfish.codeintel.tag_matches import TagMatches
from pilotfish.codeintel.tag_queries import has_definitions
from pilotfish.codeintel.trees import TIME_LIMIT_S, parse
from pilotfish.ports.code import Span, Symbol

if TYPE_CHECKING:
    from tree_sitter import Tree

MAX_TREE_BYTES = 1_000_000
"""Longest text of which a tree is made: the tree takes about 24 times as much memory."""

MAX_COARSE_BYTES = 8_000_000
"""Longest text that is read at all."""

MAX_DEFINITIONS = 20_000
"""Definitions that are taken from one file."""

MAX_REFERENCES = 60_000
"""Uses of names that are taken from one file."""

MAX_NAME_CHARS = 200
"""Longest name; what is longer is no name that anybody looks for."""

_BY_WORTH: tuple[ReferenceRole, ...] = ("other", "type", "call", "import")
"""Which role counts when several patterns see a use: the last."""

_NOT_ASKED_FOR = frozenset({"self", "cls", "this", "super", "_"})
"""Names that mean another thing in each place."""


def extract_facts(
    language: str, content: str | bytes, *, limit_s: float = TIME_LIMIT_S
) -> FileFacts:
    """Return what a file defines and uses. Never raises on any content.

    Args:
        language: The grammar's name.
        content: The text; bytes are taken for UTF-8, a byte order mark is no part of the text.
        limit_s: Longest time that parsing may take, and reading the tree as well.

    Raises:
        LookupError: There is no grammar of that name.
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    data = data.removeprefix(b"\xef\xbb\xbf")
    if len(data) > MAX_COARSE_BYTES:
        return FileFacts(language=language, complete=False)
    if len(data) > MAX_TREE_BYTES:
        return coarse_facts(language, data)
    tree = parse(language, data, limit_s=limit_s)
    if tree is None:
        return coarse_facts(language, data)
    return facts_of_text(language, tree, data, limit_s=limit_s)


def facts_of_text(
    language: str, tree: "Tree", data: bytes, *, limit_s: float = TIME_LIMIT_S
) -> FileFacts:
    """Return what a parsed text defines and uses, the scripts of a page included.

    Args:
        language: The grammar's name.
        tree: The tree of ``data``.
        data: The text in UTF-8, without a byte order mark.
        limit_s: Longest time for the text and for each part; what was found until then is returned.
    """
    whole = facts_of_tree(language, tree, data, limit_s=limit_s)
    if language not in WITH_PARTS:
        return whole
    definitions, complete = list(whole.definitions), whole.complete
    sites = {name: list(places) for name, places in whole.references.sites.items()}
    for part in embedded_texts(language, tree, data):
        if part.language in PAGES or (language == "markdown" and not part.defines):
            continue
        facts = facts_of_tree(part.language, part.tree, data, limit_s=limit_s)
        first = len(definitions)
        if part.defines:
            definitions += [_moved(one, first) for one in facts.definitions]
        for name, places in facts.references.sites.items():
            sites.setdefault(name, []).extend(places)
        complete = complete and facts.complete
    return FileFacts(
        language=language,
        definitions=tuple(definitions[:MAX_DEFINITIONS]),
        references=Uses(sites),
        complete=complete and len(definitions) <= MAX_DEFINITIONS,
    )


def _moved(definition: Definition, by: int) -> Definition:
    """Return a definition of a part with the place of its container in the whole."""
    return (
        definition if definition.parent < 0 else replace(definition, parent=definition.parent + by)
    )


def facts_of_tree(
    language: str, tree: "Tree", data: bytes, *, limit_s: float = TIME_LIMIT_S
) -> FileFacts:
    """Return what the one tree of a text tells.

    Args:
        language: The grammar's name.
        tree: A tree of ``data`` or of a part of it.
        data: The text in UTF-8, without a byte order mark.
        limit_s: Longest time; what was found until then is returned as incomplete.
    """
    found = TagMatches(language, tree, data, limit_s)
    drafts = finish_drafts(language, found)
    positions = BytePositions(data)
    kept = drafts[:MAX_DEFINITIONS]
    definitions = tuple(_definition(draft, found, positions) for draft in kept)
    named = {
        start
        for draft in drafts
        if draft.label not in USING
        for start in (draft.name_start, *draft.other_names)
    }
    if language not in NO_CODE | PAGES | TEMPLATES and not has_definitions(language):
        definitions = coarse_definitions(data)
        named = {positions.offset(one.name_span.start) for one in definitions}
    uses, all_uses = _uses(language, found, named, data, positions)
    return FileFacts(
        language=language,
        definitions=definitions,
        references=uses,
        complete=found.complete and len(kept) == len(drafts) and all_uses,
    )


def _definition(draft: Draft, found: TagMatches, positions: BytePositions) -> Definition:
    return Definition(
        name=draft.name,
        kind=draft.kind,
        span=_trimmed(draft, found.data, positions),
        name_span=_name_span(draft, positions),
        parent=draft.parent,
        scope=draft.scope,
        signature=draft.signature,
        doc=found.doc(draft.node, draft.whole),
    )


def _name_span(draft: Draft, positions: BytePositions) -> Span:
    node = draft.name_node
    if (draft.name_start, draft.name_end) == (node.start_byte, node.end_byte):
        return positions.span(node)
    return Span(positions.position(draft.name_start), positions.position(draft.name_end))


def _trimmed(draft: Draft, data: bytes, positions: BytePositions) -> Span:
    """Return the range of a definition without line ends behind it, which some grammars include."""
    whole = draft.whole
    span = positions.span(whole)
    is_whole = (draft.start, draft.end) == (whole.start_byte, whole.end_byte)
    if is_whole and span.end.character:
        return span
    text_end = len(data[draft.start : draft.end].rstrip()) + draft.start
    return Span(positions.position(draft.start), positions.position(text_end))


def _uses(
    language: str, found: TagMatches, named: Set[int], data: bytes, positions: BytePositions
) -> tuple[Uses, bool]:
    """Return the uses of names that are not at a definition's name, and whether these are all."""
    best: dict[int, tuple[int, int]] = {}
    for role in _BY_WORTH:
        number = ROLES.index(role)
        best.update({node.start_byte: (node.end_byte, number) for node in found.uses[role]})
    if language in DOTTED_NAMES:
        best = {
            data.rfind(b".", start, end) + 1 or start: (end, n) for start, (end, n) in best.items()
        }
    starts = sorted(best.keys() - named)
    sites: dict[str, list[int]] = {}
    count = 0
    for start, place in zip(starts, positions.places(starts), strict=True):
        end, number = best[start]
        name = data[start:end].decode("utf-8", "replace").lstrip(":@$")
        if name and name not in _NOT_ASKED_FOR and len(name) <= MAX_NAME_CHARS:
            if count >= MAX_REFERENCES:
                return Uses(sites), False
            count += 1
            known = sites.get(name)
            if known is None:
                sites[name] = [*place, number]
            else:
                known += (*place, number)
    return Uses(sites), True


def document_forest(facts: FileFacts, path: Path) -> tuple[Symbol, ...]:
    """Return the definitions of a file as a forest, in the order of the text."""
    children: dict[int, list[int]] = {}
    for index, definition in enumerate(facts.definitions):
        children.setdefault(definition.parent, []).append(index)
    made: dict[int, Symbol] = {}
    # Parts come after what contains them, so from the end on each one's parts are ready.
    for index in reversed(range(len(facts.definitions))):
        parts = tuple(made.pop(child) for child in children.get(index, ()))
        made[index] = symbol_of(facts, index, path, parts)
    roots = (made[index] for index in children.get(-1, ()))
    # What stands in parts of another language comes last in the facts.
    return tuple(sorted(roots, key=lambda symbol: symbol.span.start))


def symbol_of(
    facts: FileFacts, index: int, path: Path, children: tuple[Symbol, ...] = ()
) -> Symbol:
    """Return one definition of a file as a symbol."""
    definition = facts.definitions[index]
    return Symbol(
        name=definition.name,
        kind=definition.kind,
        path=path,
        span=definition.span,
        name_span=definition.name_span,
        container=definition.scope,
        detail=definition.signature,
        children=children,
    )
