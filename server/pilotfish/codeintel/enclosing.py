"""What a place in a text lies in.

Owns: the way from the top of an outline down to a place. Pure.
"""

from collections.abc import Iterable, Sequence

from pilotfish.ports.code import Position, Symbol


def enclosing(symbols: Sequence[Symbol], position: Position) -> tuple[Symbol, ...]:
    """Return the symbols around a place, the outermost first; empty at the top of a file."""
    found: list[Symbol] = []
    level: Iterable[Symbol] = symbols
    while True:
        inner = next((each for each in level if _holds(each, position)), None)
        if inner is None:
            return tuple(found)
        found.append(inner)
        level = inner.children


def qualified_name(chain: Sequence[Symbol]) -> str:
    """Return the name of the innermost symbol with those around it: ``Cart.total``."""
    return ".".join(symbol.name for symbol in chain)


def _holds(symbol: Symbol, position: Position) -> bool:
    return symbol.span.start <= position <= symbol.span.end
