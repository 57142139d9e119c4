"""From matched definitions to those that count: their kinds, names and containers.

Owns: what lies in what, which names are local and left out, how a kind depends on the place.
See also: ``codeintel.tag_matches``.
"""

import re
from typing import TYPE_CHECKING

from pilotfish.codeintel.clauses import CLAUSES, join_clauses
from pilotfish.codeintel.doc_text import MAX_SIGNATURE_CHARS, signature_of
from pilotfish.codeintel.drafts import Draft
from pilotfish.codeintel.languages import DOTTED_NAMES
from pilotfish.codeintel.tag_matches import Found, TagMatches

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS = frozenset({"function", "method", "constructor", "macro", "closure"})
_CLASSES = frozenset({"class", "interface", "struct", "enum", "extension"})
_WITH_BODY = _FUNCTIONS | _CLASSES | {"module"}
_VALUES = frozenset({"variable", "constant"})
_ONCE = frozenset({"variable", "constant", "field", "property"})
"""Kinds whose second definition in one container is only a new value."""

_CONSTRUCTORS = frozenset({"__init__", "constructor", "initialize", "__construct"})

_MEMBER_KIND: dict[str, str] = {"kotlin": "property", "swift": "property"}
"""What a variable of a class is; elsewhere a field."""

_CONSTANT_BY_CASE = frozenset({"python"})
"""Languages where only the case of its name makes a constant."""

_LET_IS_MEMBER = frozenset({"swift", "scala"})
"""Languages where a class's constant is a member like any other."""

_DECLARE_TYPES = frozenset({"declaration", "field_declaration"})
"""Nodes of values whose type may be defined in passing."""

_BLANK = {"go": "_", "rust": "_"}
"""What stands where a name is not wanted."""

_CAPITALS = re.compile(r"_*[A-Z][A-Z0-9_]*$")
_SPACE = re.compile(r"\s+")
_BODY_TYPES = re.compile(
    r"(^|_)(body|[bB]lock|template_body|declaration_list)$"
    r"|^(match|(data|gadt|newtype)_constructors?|(class|instance)_declarations)$"
)


def finish_drafts(language: str, found: TagMatches) -> list[Draft]:
    """Return the definitions that count, in the order of the text."""
    drafts = [_draft(language, each, found) for each in found.definitions.values()]
    drafts += [_closure(node) for node in found.closures]
    drafts = [draft for draft in drafts if draft.name not in {"", _BLANK.get(language)}]
    drafts.sort(key=lambda draft: (draft.start, -draft.end, draft.name_node.start_byte))
    _nest(drafts)
    if language in CLAUSES:
        drafts = join_clauses(drafts)
    for draft in drafts:
        _settle(language, draft, drafts)
    return _without_locals(drafts)


def _draft(language: str, each: Found, found: TagMatches) -> Draft:
    signature = _signature(each, found)
    start, end = each.name_start, each.name_node.end_byte
    name = _SPACE.sub(" ", found.text_between(start, end)).strip().lstrip(":")
    # ``Vec<T>::grow`` belongs to ``Vec``.
    scope = found.text(each.scope_node).partition("<")[0] if each.scope_node is not None else ""
    if each.kind == "extension":
        name = signature
    elif each.name_node.type == "keyword" and language in DOTTED_NAMES:
        name = name.removesuffix(":")
        end = start + len(name.encode())
    elif language in DOTTED_NAMES:
        before, _, name = name.rpartition(".")
        scope = scope or before
        start = end - len(name.encode())
    return Draft(
        label=each.kind,
        name=name if len(name) <= MAX_SIGNATURE_CHARS else "",
        name_node=each.name_node,
        name_start=start,
        name_end=end,
        node=each.node,
        whole=each.whole,
        start=_start(each.whole),
        end=each.whole.end_byte if each.body_node is None else each.body_node.end_byte,
        scope=scope,
        signature=signature,
    )


def _closure(node: "Node") -> Draft:
    return Draft(
        label="closure", name="?", name_node=node, name_start=node.start_byte, name_end=node.end_byte,
        node=node, whole=node,         start=node.start_byte, end=node.end_byte,
    )  # fmt: skip


def _signature(each: Found, found: TagMatches) -> str:
    node = each.node
    start, end = _start(node), node.end_byte
    if each.kind in _WITH_BODY and each.body_node is None:
        body = _body(node)
        if body is not None and body.start_byte > each.name_node.start_byte:
            end = body.start_byte
    limit = min(end, start + 4 * MAX_SIGNATURE_CHARS)
    text = found.data[start:limit].decode("utf-8", "replace")
    if each.kind in _CLASSES or each.kind == "macro":
        text = text.split("{", 1)[0] if end == node.end_byte else text
    elif each.kind not in _FUNCTIONS:
        text = text.lstrip().split("\n", 1)[0]
    return signature_of(text)


def _start(node: "Node") -> int:
    """Return where a definition begins behind the comment that its node includes."""
    if not node.child_count:
        return node.start_byte
    first = node.child(0)
    if "comment" not in first.type:
        return node.start_byte
    following = first.next_sibling
    return node.start_byte if following is None else following.start_byte


def _body(node: "Node") -> "Node | None":
    """Return the body of a definition, also of the function that is a variable's value."""
    pending = [node]
    for _ in range(4):
        following: list[Node] = []
        for each in pending:
            body = each.child_by_field_name("body")
            if body is not None:
                return body
            for child in each.named_children:
                if _BODY_TYPES.search(child.type):
                    return child
            following += [
                child
                for child in each.named_children[-2:]
                if child.type not in {"parameters", "comment"}
            ]
        pending = following
    return None


def _nest(drafts: list[Draft]) -> None:
    stack: list[int] = []
    for index, draft in enumerate(drafts):
        while stack and not _holds(drafts[stack[-1]], draft):
            stack.pop()
        draft.parent = stack[-1] if stack else -1
        stack.append(index)


def _holds(outer: Draft, inner: Draft) -> bool:
    if inner.end > outer.end or (inner.start == outer.start and inner.end == outer.end):
        return False
    if outer.label in _VALUES and inner.label in _VALUES:
        return False  # ``a = b = 1``
    # ``typedef struct a {…} b`` makes two types side by side, ``struct a {…} b`` a type and a value.
    declares_both = outer.label == "alias" or outer.node.type in _DECLARE_TYPES
    return not (declares_both and inner.label in _CLASSES)


def _settle(language: str, draft: Draft, drafts: list[Draft]) -> None:
    """Work out kind and container from where a definition stands."""
    if draft.label in {"promoted", "field"} and draft.parent >= 0:
        _lift_to_class(draft, drafts)
    parent = drafts[draft.parent] if draft.parent >= 0 else None
    in_class = parent is not None and parent.label in _CLASSES
    if draft.label == "variable" and language in _CONSTANT_BY_CASE:
        draft.label = "constant" if _CAPITALS.match(draft.name) else "variable"
    if in_class and (
        draft.label == "variable" or (draft.label == "constant" and language in _LET_IS_MEMBER)
    ):
        draft.label = _MEMBER_KIND.get(language, "field")
    if in_class and draft.label == "function":
        draft.label = "method"
    if not draft.scope and parent is not None and parent.label != "closure":
        draft.scope = parent.scope if parent.label == "extension" else parent.name
    if draft.label in {"function", "method"} and (
        (draft.name in _CONSTRUCTORS and in_class) or (draft.scope and draft.name == draft.scope)
    ):
        draft.label = "constructor"


def _lift_to_class(draft: Draft, drafts: list[Draft]) -> None:
    """Give what a method defines of its object to the class."""
    parent = draft.parent
    while parent >= 0 and drafts[parent].label in _FUNCTIONS:
        parent = drafts[parent].parent
    if parent >= 0:
        draft.parent = parent


def _without_locals(drafts: list[Draft]) -> list[Draft]:
    """Leave out closures, what is local to a function, and repeated values."""
    kept: list[Draft] = []
    place: dict[int, int] = {-1: -1}
    seen: set[tuple[int, str]] = set()
    for index, draft in enumerate(drafts):
        parent = draft.parent
        local = draft.label in _VALUES and parent >= 0 and drafts[parent].label in _FUNCTIONS
        at = place[parent]
        if (
            draft.label == "closure"
            or local
            or (draft.label == "field" and _is_loose(draft, drafts))
        ):
            place[index] = at
            continue
        if draft.label in _ONCE:
            if (at, draft.name) in seen:
                place[index] = at
                continue
            seen.add((at, draft.name))
        draft.parent = at
        place[index] = len(kept)
        kept.append(draft)
    return kept


def _is_loose(draft: Draft, drafts: list[Draft]) -> bool:
    """Tell whether a field has no class: ``self.x = 1`` in a function outside of any."""
    return draft.node.type == "assignment" and (
        draft.parent < 0 or drafts[draft.parent].label not in _CLASSES
    )
