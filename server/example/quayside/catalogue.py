"""What the stall sells."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """Something that can be bought by the piece."""

    code: str
    name: str
    price_pence: int


class Catalogue:
    """All items, by code."""

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self._items: dict[str, Item] = {}
        for item in items:
            self.add(item)

    def add(self, item: Item) -> None:
        """Put an item on sale. Raises ValueError when its code is taken."""
        if item.code in self._items:
            raise ValueError(f"code {item.code!r} is taken")
        self._items[item.code] = item

    def find(self, code: str) -> Item:
        """Return the item with that code. Raises KeyError when there is none."""
        return self._items[code]

    def search(self, words: str) -> list[Item]:
        """Return the items whose name has all the words, cheapest first."""
        wanted = words.lower().split()
        hits = [i for i in self._items.values() if all(w in i.name.lower() for w in wanted)]
        return sorted(hits, key=lambda item: (item.price_pence, item.name))
