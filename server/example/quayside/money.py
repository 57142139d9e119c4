"""Amounts of money. An amount is a whole number of pence; this turns it into text and back."""

PENCE_PER_POUND = 100


def fmt(pence: int) -> str:
    """Return an amount as people write it: ``£12.05``, ``-£0.50``."""
    sign = "-" if pence < 0 else ""
    pounds, rest = divmod(abs(pence), PENCE_PER_POUND)
    return f"{sign}£{pounds}.{rest:02d}"


def parse_pounds(text: str) -> int:
    """Read an amount such as ``12``, ``12.5`` or ``£12.05``.

    Raises ValueError when the text is no amount.
    """
    pounds, _, rest = text.strip().removeprefix("£").partition(".")
    if not pounds.isdecimal() or len(rest) > 2 or (rest and not rest.isdecimal()):
        raise ValueError(f"not an amount: {text!r}")
    return int(pounds) * PENCE_PER_POUND + int(rest.ljust(2, "0"))
