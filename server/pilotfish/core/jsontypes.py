"""JSON as types.

Owns: the aliases for plain JSON. Does not own: parsing or validation.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    JsonValue: TypeAlias = (
        "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
    )
else:
    # At run time nothing walks the alias, and a recursive one would have to be resolved by whoever
    # builds a serialiser for a record that holds JSON.
    JsonValue = Any

JsonObject: TypeAlias = dict[str, JsonValue]
JsonMapping: TypeAlias = Mapping[str, JsonValue]
