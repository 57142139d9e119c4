"""JSON as the standard has it.

Owns: refusing what Python's reader takes for a number though no JSON text can carry it back: ``NaN``,
infinities, and numbers so large that they become infinite. One of them in a conversation, and no
request could be sent any more. Keep to the standard library: this is loaded before anything heavy.
"""

import json
import math
from collections.abc import Callable
from typing import Any, NoReturn


def loads(text: str | bytes) -> Any:
    """Read JSON.

    Raises:
        ValueError: It is none.
        RecursionError: It is nested too deeply.
    """
    return json.loads(text, parse_constant=_refuse, parse_float=_finite)


def loads_lenient(text: str | bytes) -> Any:
    """Read JSON as Python takes it, with null for what is no number.

    Raises:
        ValueError: It is none.
        RecursionError: It is nested too deeply.
    """
    return json.loads(text, parse_constant=lambda _: None, parse_float=_finite_or_none)


def encode(value: Any, default: Callable[[Any], Any] | None = None) -> bytes:
    """Return a value as UTF-8 JSON, in one line.

    Lone surrogates are escaped, since UTF-8 cannot hold them. What is no number is null: whoever
    reads would refuse the whole otherwise.

    Args:
        value: What to write.
        default: Makes JSON values of others.
    """
    try:
        text = json.dumps(
            value, default=default, separators=(",", ":"), ensure_ascii=False, allow_nan=False
        )
    except ValueError:
        value = loads_lenient(json.dumps(value, default=default))
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, default=default, separators=(",", ":")).encode()


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{digits[:20]} is too large a number")
    return number


def _finite_or_none(digits: str) -> float | None:
    number = float(digits)
    return None if math.isinf(number) else number
