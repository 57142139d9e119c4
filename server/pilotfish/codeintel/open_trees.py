"""Syntax trees of texts that change.

Owns: keeping the tree of each open document within a cap, making the next tree from the last one, and
doing so in a thread when it may take long.
Does not own: the documents themselves, what is read from a tree (``codeintel.features``).

The text is the truth, not the editor's changes: what differs from the text of the last tree is found
by comparing, so one wrong change cannot spoil all trees after it.
"""

import asyncio
from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING

from pilotfish.codeintel.byte_positions import BytePositions
from pilotfish.codeintel.facts import FileFacts
from pilotfish.codeintel.symbols import MAX_TREE_BYTES, facts_of_text
from pilotfish.codeintel.trees import TIME_LIMIT_S, parse
from pilotfish.util.records import dataclass

if TYPE_CHECKING:
    from tree_sitter import Point, Tree

MAX_KEPT_BYTES = 4_000_000
"""Length of all texts whose trees are kept; trees take about 24 times as much memory."""

MAX_KEPT = 200
"""Trees that are kept."""

THREAD_FROM_BYTES = 20_000
"""Length of a text from which it is parsed in a thread: slow grammars need some milliseconds for it."""

FRESH_BELOW_BYTES = 100_000
"""A tree with errors is made anew below this length: how the parser gets over an error depends on the
tree before."""


@dataclass(frozen=True)
class ParsedText:
    """A text and its tree; both stay as they are."""

    language: str
    data: bytes
    """The text in UTF-8."""
    tree: "Tree"

    @cached_property
    def positions(self) -> BytePositions:
        """The text's lines."""
        return BytePositions(self.data)

    @cached_property
    def facts(self) -> FileFacts:
        """What the text defines and uses. The first time blocks, for long texts noticeably."""
        return facts_of_text(self.language, self.tree, self.data)


class OpenTrees:
    """The trees of open documents, by a key such as their address."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, ParsedText] = OrderedDict()
        self._size = 0
        self._locks: dict[str, asyncio.Lock] = {}

    @property
    def kept_bytes(self) -> int:
        """Length of the texts whose trees are kept."""
        return self._size

    async def parse(self, key: str, language: str, text: str) -> ParsedText | None:
        """Return the tree of a document's text; None when it is too big or took too long.

        Raises:
            LookupError: There is no grammar of that name.
        """
        lock = self._locks.setdefault(key, asyncio.Lock())
        async with lock:
            if len(text) > THREAD_FROM_BYTES:
                parsed = await asyncio.to_thread(parse_again, self._kept.get(key), language, text)
            else:
                parsed = parse_again(self._kept.get(key), language, text)
            self.forget(key)
            if parsed is not None:
                self._keep(key, parsed)
            return parsed

    def forget(self, key: str) -> None:
        """Let go of a document's tree."""
        known = self._kept.pop(key, None)
        if known is not None:
            self._size -= len(known.data)
        lock = self._locks.get(key)
        if lock is not None and not lock.locked():
            del self._locks[key]

    def _keep(self, key: str, parsed: ParsedText) -> None:
        self._kept[key] = parsed
        self._size += len(parsed.data)
        while len(self._kept) > 1 and (self._size > MAX_KEPT_BYTES or len(self._kept) > MAX_KEPT):
            self.forget(next(iter(self._kept)))


def parse_again(
    known: ParsedText | None, language: str, text: str, limit_s: float = TIME_LIMIT_S
) -> ParsedText | None:
    """Return the tree of a text, made from that of an earlier one; None when it is too big or takes too long.

    Blocks.
    """
    # Lone surrogates (from undecodable names) have no UTF-8 form; a question mark is as long.
    data = text.encode("utf-8", "replace")
    if len(data) > MAX_TREE_BYTES:
        return None
    if known is not None and known.language == language:
        if known.data == data:
            return known
        tree = parse(language, data, edited_tree(known.tree, known.data, data), limit_s)
        if tree is not None and not (tree.root_node.has_error and len(data) < FRESH_BELOW_BYTES):
            return ParsedText(language, data, tree)
    tree = parse(language, data, limit_s=limit_s)
    return None if tree is None else ParsedText(language, data, tree)


def edited_tree(tree: "Tree", old: bytes, new: bytes) -> "Tree":
    """Return a copy of a tree that knows in which range its text has changed."""
    start = _common_prefix(old, new)
    tail = _common_prefix_of_ends(old, new, min(len(old), len(new)) - start)
    old_end, new_end = len(old) - tail, len(new) - tail
    copy = tree.copy()
    copy.edit(
        start, old_end, new_end, _point(old, start), _point(old, old_end), _point(new, new_end)
    )
    return copy


def _common_prefix(left: bytes, right: bytes) -> int:
    """Length of the common beginning, by halving: comparing slices is fast, bytes are not.

    It ends before a whole character: the parser reads characters.
    """
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    while low and (_within(left, low) or _within(right, low)):
        low -= 1
    return low


def _common_prefix_of_ends(left: bytes, right: bytes, limit: int) -> int:
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        ends = left[len(left) - middle : len(left) - low]
        if ends == right[len(right) - middle : len(right) - low]:
            low = middle
        else:
            high = middle - 1
    while low and _within(left, len(left) - low):
        low -= 1
    return low


def _within(data: bytes, at: int) -> bool:
    """Tell whether a place lies within a character."""
    return at < len(data) and data[at] & 0xC0 == 0x80


def _point(data: bytes, at: int) -> "Point":
    from tree_sitter import Point

    return Point(data.count(b"\n", 0, at), at - (data.rfind(b"\n", 0, at) + 1))
