"""Prices: what a line of a basket costs, and what delivery costs."""

BULK_QUANTITY = 10
BULK_PERCENT = 10

DELIVERY_PENCE = 450
FREE_DELIVERY_FROM_PENCE = 3000


def line_total(price_pence: int, quantity: int) -> int:
    """Return the price of a line. Ten or more of a kind are ten percent cheaper."""
    total = price_pence * quantity
    if quantity > BULK_QUANTITY:
        total -= total * BULK_PERCENT // 100
    return total


def delivery_fee(total_pence: int) -> int:
    """Return what delivery costs. Orders of at least thirty pounds travel free."""
    if total_pence >= FREE_DELIVERY_FROM_PENCE:
        return 0
    return DELIVERY_PENCE
