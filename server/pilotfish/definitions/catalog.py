"""Which definition of a name counts.

Owns: that, and what was found beside those.
Does not own: reading files (``loading``), when they are read again (``followed``).
See also: design 03 §1.1, §1.4, §4.2 (SK-1).
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Generic, Protocol, TypeVar

from pilotfish.definitions.loading import Known
from pilotfish.util.records import dataclass


class Named(Protocol):
    """Something with a name that it is asked for by."""

    @property
    def name(self) -> str:
        """Return the name."""
        ...


NamedT = TypeVar("NamedT", bound=Named)


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed(Generic[NamedT]):
    """A definition among all that were found."""

    found: NamedT
    replaced_by: NamedT | None
    """The one that counts instead; None when this one does."""


class Catalog(Generic[NamedT]):
    """What was last found."""

    def __init__(self, known: Known[NamedT]) -> None:
        """Begin with what is known."""
        self.take(known)

    def take(self, known: Known[NamedT]) -> None:
        """Replace what is known."""
        self._known = known
        self._active = MappingProxyType(_strongest(known.found))

    @property
    def known(self) -> Known[NamedT]:
        """Return everything that was found, replaced and broken definitions included."""
        return self._known

    def active(self) -> Mapping[str, NamedT]:
        """Return the definitions that count, by name, in the order of their names."""
        return self._active


def listed(known: Known[NamedT]) -> list[Listed[NamedT]]:
    """Return all definitions by name, of each name the one that counts first."""
    active = _strongest(known.found)
    rows = [
        Listed(found=each, replaced_by=None if active[each.name] is each else active[each.name])
        for each in known.found
    ]
    # The order of strength stays within a name.
    return sorted(rows, key=lambda row: row.found.name.lower())


def _strongest(found: Iterable[NamedT]) -> dict[str, NamedT]:
    """Return the first definition of each name: it replaces the later ones whole."""
    by_name: dict[str, NamedT] = {}
    for each in found:
        by_name.setdefault(each.name, each)
    return dict(sorted(by_name.items()))
