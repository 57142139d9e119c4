"""How a check says what is wrong, and the readers all checks share.

Owns: the error with its path, and reading one field of an object strictly.
"""

from collections.abc import Collection

from pydantic import JsonValue

from tools.fake_model.jsontypes import JsonObject


class InvalidRequestError(Exception):
    """A request the real API would refuse with ``invalid_request_error``.

    Raised by checks; ``server`` answers 400 with its text.
    """

    def __init__(self, path: str, text: str) -> None:
        super().__init__(f"{path}: {text}" if path else text)


def need_object(value: JsonValue, path: str) -> JsonObject:
    """``value`` as an object.

    Raises:
        InvalidRequestError: It is something else.
    """
    if not isinstance(value, dict):
        raise InvalidRequestError(path, "must be an object")
    return value


def need_list(value: JsonValue, path: str) -> list[JsonValue]:
    """``value`` as an array.

    Raises:
        InvalidRequestError: It is something else.
    """
    if not isinstance(value, list):
        raise InvalidRequestError(path, "must be an array")
    return value


def need_text(owner: JsonObject, name: str, path: str, *, empty: bool = False) -> str:
    """The string field ``name`` of ``owner``.

    Raises:
        InvalidRequestError: It is missing, no string, or empty although ``empty`` is false.
    """
    value = owner.get(name)
    if name not in owner:
        raise InvalidRequestError(f"{path}.{name}".lstrip("."), "this field is required")
    if not isinstance(value, str):
        raise InvalidRequestError(f"{path}.{name}".lstrip("."), "must be a string")
    if not value and not empty:
        raise InvalidRequestError(f"{path}.{name}".lstrip("."), "must not be empty")
    return value


def is_integer(value: JsonValue) -> bool:
    """Whether ``value`` is a JSON integer; true and false are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def refuse_extra(owner: JsonObject, known: Collection[str], path: str) -> None:
    """Refuse fields that the API does not know.

    Raises:
        InvalidRequestError: There is one.
    """
    for name in owner:
        if name not in known:
            raise InvalidRequestError(f"{path}.{name}".lstrip("."), "this field is not known")
