"""What a customer wants."""

from dataclasses import dataclass

from quayside.catalogue import Item
from quayside.pricing import delivery_fee, line_total


@dataclass
class Line:
    """An item and how many of it."""

    item: Item
    quantity: int

    def total(self) -> int:
        """Return the price of the line in pence."""
        return line_total(self.item.price_pence, self.quantity)


class Basket:
    """Lines in the order they were added, one per item."""

    def __init__(self) -> None:
        self._lines: dict[str, Line] = {}

    def add(self, item: Item, quantity: int = 1) -> None:
        """Add some of an item. Raises ValueError when the quantity is not positive."""
        if quantity <= 0:
            raise ValueError("quantity must be positive")
        line = self._lines.setdefault(item.code, Line(item, 0))
        line.quantity += quantity

    def remove(self, code: str) -> None:
        """Take an item out. Does nothing when it is not there."""
        self._lines.pop(code, None)

    def lines(self) -> list[Line]:
        """Return the lines."""
        return list(self._lines.values())

    def total(self) -> int:
        """Return the price of everything in pence, without delivery."""
        return sum(line.total() for line in self._lines.values())

    def total_with_delivery(self) -> int:
        """Return the price of everything delivered. An empty basket costs nothing."""
        if not self._lines:
            return 0
        return self.total() + delivery_fee(self.total())
