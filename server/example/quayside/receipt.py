"""The receipt as text."""

from quayside.basket import Basket
from quayside.money import fmt
from quayside.pricing import delivery_fee

WIDTH = 32


def receipt(basket: Basket, *, delivered: bool = False) -> str:
    """Return the receipt of a basket, one line for each item."""
    rows = []
    for line in basket.lines():
        rows.append(row(f"{line.quantity} x {line.item.name}", fmt(line.total())))
    total = basket.total()
    if delivered:
        fee = delivery_fee(total)
        rows.append(row("Delivery", fmt(fee) if fee else "free"))
        total += fee
    rows.append("-" * WIDTH)
    rows.append(row("Total", fmt(total)))
    return "\n".join(rows)


def row(label: str, amount: str) -> str:
    """Return a line with the label on the left and the amount on the right."""
    room = WIDTH - len(amount) - 1
    if len(label) > room:
        label = label[: room - 1] + "…"
    return f"{label:<{room}} {amount}"
