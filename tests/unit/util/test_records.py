"""Our data classes mean what the standard library's mean."""

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, field, fields, replace
from typing import Any

import pytest
from pilotfish.util.records import dataclass
from pydantic import TypeAdapter


@dataclass(frozen=True, kw_only=True, slots=True)
class Stored:
    """Module level, as pickle wants it."""

    name: str
    sizes: tuple[int, ...] = ()
    notes: list[str] = field(default_factory=list[str])


def plain_forms(dataclass: Callable[..., Any]) -> tuple[Any, Any, Any]:
    """Return the same classes, made by a decorator."""

    @dataclass
    class Place:
        """By place, with a default."""

        line: int
        column: int = 0

    @dataclass(frozen=True, kw_only=True, slots=True)
    class Fact:
        """By name, never changed, with a factory and a field that counts for nothing."""

        name: str
        words: list[str] = field(default_factory=list[str])
        origin: str = field(default="", repr=False, compare=False)

    @dataclass(frozen=True, kw_only=True, slots=True)
    class LongFact(Fact):
        """With a field more than its base."""

        length: int = 1

    return Place, Fact, LongFact


OURS, THEIRS = plain_forms(dataclass), plain_forms(dataclasses.dataclass)
BOTH = pytest.mark.parametrize("made", [OURS, THEIRS], ids=["ours", "standard"])


@BOTH
def test_values_come_by_place_by_name_and_by_default(made: tuple[Any, Any, Any]) -> None:
    place, fact, long_fact = made
    assert (place(3).line, place(3).column, place(column=2, line=1).column) == (3, 0, 2)
    assert fact(name="a").words == []
    assert fact(name="a").words is not fact(name="a").words
    assert (long_fact(name="a").length, long_fact(name="a", length=4).length) == (1, 4)


@BOTH
@pytest.mark.parametrize(
    ("arguments", "named"),
    [((), {}), ((1, 2), {}), (("a",), {}), ((), {"name": "a", "other": 1})],
)
def test_a_wrong_call_is_a_type_error(
    made: tuple[Any, Any, Any], arguments: tuple[Any, ...], named: dict[str, Any]
) -> None:
    for _ in range(2):  # the first call compiles
        with pytest.raises(TypeError):
            made[1](*arguments, **named)


@BOTH
def test_they_are_written_out_and_compared_field_by_field(made: tuple[Any, Any, Any]) -> None:
    place, fact, long_fact = made
    assert repr(place(1, 2)).endswith("Place(line=1, column=2)")
    assert repr(long_fact(name="a", origin="b")).endswith("LongFact(name='a', words=[], length=1)")
    assert place(1) == place(1, 0)
    assert place(1) != place(2)
    assert fact(name="a", origin="b") == fact(name="a", origin="c")
    assert fact(name="a") != long_fact(name="a")
    assert place(1) != (1, 0)


@BOTH
def test_only_what_never_changes_has_a_hash(made: tuple[Any, Any, Any]) -> None:
    place, fact, _ = made
    with pytest.raises(TypeError):
        hash(place(1))
    assert hash(fact(name="a", words=())) == hash(fact(name="a", words=(), origin="b"))
    assert len({fact(name="a", words=()), fact(name="a", words=())}) == 1


@BOTH
def test_what_never_changes_refuses(made: tuple[Any, Any, Any]) -> None:
    place, fact, _ = made
    moved = place(1)
    moved.line = 4
    assert moved.line == 4
    known = fact(name="a")
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'name'"):
        known.name = "b"
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'name'"):
        del known.name


@BOTH
def test_the_standard_library_works_with_them(made: tuple[Any, Any, Any]) -> None:
    place, fact, long_fact = made
    assert [each.name for each in fields(long_fact)] == ["name", "words", "origin", "length"]
    assert replace(fact(name="a"), words=["b"]).words == ["b"]
    assert asdict(place(1)) == {"line": 1, "column": 0}
    assert place.__match_args__ == ("line", "column")


def test_they_are_copied_and_stored() -> None:
    one = Stored(name="a", sizes=(1, 2), notes=["b"])
    assert copy.deepcopy(one) == one
    assert pickle.loads(pickle.dumps(one)) == one
    adapter = TypeAdapter(Stored)
    assert adapter.validate_json(adapter.dump_json(one)) == one


@pytest.mark.parametrize("decorator", [dataclass, dataclasses.dataclass])
def test_some_are_ordered(decorator: Callable[..., Any]) -> None:
    @decorator(frozen=True, order=True, slots=True)
    class Point:
        line: int
        column: int

    assert sorted([Point(2, 1), Point(1, 5), Point(1, 2)]) == [
        Point(1, 2),
        Point(1, 5),
        Point(2, 1),
    ]
    assert Point(1, 1) <= Point(1, 1) < Point(1, 2)
    with pytest.raises(TypeError):
        sorted([Point(1, 1), (1, 2)])


def test_own_methods_stay() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Named:
        name: str

        def __repr__(self) -> str:
            return "named"

        def __hash__(self) -> int:
            return 7

    assert (repr(Named(name="a")), hash(Named(name="a"))) == ("named", 7)


def test_what_would_not_be_called_is_refused() -> None:
    with pytest.raises(TypeError, match="__post_init__"):

        @dataclass
        class _Careful:
            name: str

            def __post_init__(self) -> None: ...


def test_no_text_is_compiled_before_the_first_object(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[object] = []

    def note(text: object, *_: object) -> None:
        compiled.append(text)

    plain = type("Late", (), {"__annotations__": {"name": str}, "__doc__": "Made late."})
    with monkeypatch.context() as patched:
        patched.setattr("builtins.exec", note)
        late: Any = dataclass(frozen=True, kw_only=True, slots=True)(plain)
    assert compiled == []
    assert late(name="a").name == "a"
