"""``dataclass``: the standard library's, made in a part of the time.

Owns: the methods of data classes. They do what the standard library's do, but no text is compiled for
them while modules load: the ``__init__`` of a class is compiled when its first object is made, and the
other methods work on the values of the fields. The standard library compiles six texts for each class,
and we have hundreds of classes, few of which a run needs before its first request: that was half of
what loading our modules cost.
Does not own: fields. The standard library reads them, so its ``fields``, ``replace``, ``asdict`` and
``field`` are the ones to use.
"""

import dataclasses
import operator
from collections.abc import Callable, Mapping
from dataclasses import MISSING, FrozenInstanceError
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - checkers know its meaning
else:

    def dataclass(
        cls: type | None = None,
        /,
        *,
        frozen: bool = False,
        kw_only: bool = False,
        slots: bool = False,
        eq: bool = True,
        order: bool = False,
    ) -> Any:
        """Make a class a data class; the parameters mean what they mean in ``dataclasses``."""

        def made(plain: type) -> type:
            if plain.__doc__ is None:
                # The standard library would write the signature there, which takes as long as the rest.
                plain.__doc__ = plain.__name__
            fields_only = dataclasses.dataclass(
                init=False, repr=False, eq=False, kw_only=kw_only, slots=slots
            )
            return _equip(fields_only(plain), frozen=frozen, eq=eq, order=order)

        return made if cls is None else made(cls)


_ORDER = {
    "__lt__": operator.lt,
    "__le__": operator.le,
    "__gt__": operator.gt,
    "__ge__": operator.ge,
}

_NOT_GIVEN = object()
"""Default of a parameter whose value a factory makes."""


def _equip(cls: Any, *, frozen: bool, eq: bool, order: bool) -> type:
    """Add the methods that the class does not write itself."""
    if hasattr(cls, "__post_init__"):
        raise TypeError(f"{cls.__name__}: __post_init__ would not be called")
    own = cast("Mapping[str, Any]", vars(cls))
    written = {name for name, value in own.items() if value is not None}
    values = _values_of(tuple(each.name for each in dataclasses.fields(cls) if each.compare))
    methods: dict[str, Any] = {"__init__": _first_init(cls, frozen), "__repr__": _repr}
    if eq:
        methods |= {"__eq__": _comparison(operator.eq, values), "__hash__": None}
        if frozen:
            methods["__hash__"] = _hash_of(values)
    if order:
        methods |= {name: _comparison(compare, values) for name, compare in _ORDER.items()}
    if frozen:
        methods |= _refusals(cls)
    for name in methods.keys() - written:
        setattr(cls, name, methods[name])
    return cls


def _first_init(cls: Any, frozen: bool) -> Callable[..., None]:  # noqa: FBT001 - a flag of the class
    """Return an ``__init__`` that puts the real one into its place."""

    def first_init(self: Any, *arguments: Any, **named: Any) -> None:
        cls.__init__ = _compiled_init(cls, frozen=frozen)
        cls.__init__(self, *arguments, **named)

    return first_init


def _compiled_init(cls: Any, *, frozen: bool) -> Callable[..., None]:
    scope: dict[str, Any] = {"_not_given": _NOT_GIVEN, "_set": object.__setattr__}
    by_place: list[str] = []
    by_name: list[str] = []
    body: list[str] = []
    for number, each in enumerate(dataclasses.fields(cls)):
        parameter, value = each.name, each.name
        if each.default_factory is not MISSING:
            scope[f"_made_{number}"] = each.default_factory
            parameter += "=_not_given"
            value = f"_made_{number}() if {each.name} is _not_given else {each.name}"
        elif each.default is not MISSING:
            scope[f"_usual_{number}"] = each.default
            parameter += f"=_usual_{number}"
        (by_name if each.kw_only else by_place).append(parameter)
        body.append(
            f" _set(_self, {each.name!r}, {value})" if frozen else f" _self.{each.name} = {value}"
        )
    parameters = ", ".join(["_self", *by_place, *(["*", *by_name] if by_name else [])])
    text = f"def __init__({parameters}):\n" + "\n".join(body or [" pass"])
    exec(text, scope)  # noqa: S102 - made of the names of our own fields, as the standard library does
    init: Callable[..., None] = scope["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


@recursive_repr()
def _repr(self: Any) -> str:
    shown = [
        f"{each.name}={getattr(self, each.name)!r}"
        for each in dataclasses.fields(self)
        if each.repr
    ]
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _values_of(names: tuple[str, ...]) -> Callable[[Any], Any]:
    """Return what reads the values of some fields, as one that can be compared."""
    match names:
        case ():
            return lambda _: ()
        case (name,):
            read = operator.attrgetter(name)
            return lambda self: (read(self),)
        case _:
            return operator.attrgetter(*names)


def _comparison(
    compare: Callable[[Any, Any], bool], values: Callable[[Any], Any]
) -> Callable[[Any, Any], Any]:
    def compared(self: Any, other: Any) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return compare(values(self), values(other))

    return compared


def _hash_of(values: Callable[[Any], Any]) -> Callable[[Any], int]:
    def hashed(self: Any) -> int:
        return hash(values(self))

    return hashed


def _refusals(cls: Any) -> dict[str, Any]:
    """Return what keeps objects as they are, and how slots of such objects are stored."""
    own = frozenset(each.name for each in dataclasses.fields(cls))

    def refuse_set(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in own:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        object.__setattr__(self, name, value)

    def refuse_delete(self: Any, name: str) -> None:
        if type(self) is cls or name in own:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        object.__delattr__(self, name)

    refusals: dict[str, Any] = {"__setattr__": refuse_set, "__delattr__": refuse_delete}
    if "__slots__" in vars(cls):
        refusals |= {"__getstate__": _state, "__setstate__": _set_state}
    return refusals


def _state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for each, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
