"""Reading the bytes of a request body.

Owns: strict JSON. Does not own: what is in it.
"""

import json
from typing import NoReturn

from pydantic import JsonValue

from tools.fake_model.jsontypes import JsonObject
from tools.fake_model.validation.problem import InvalidRequestError, need_object


def parse_body(raw: bytes) -> JsonObject:
    """Parse a body as strictly as the real API: UTF-8, no NaN, no half surrogate pairs.

    Raises:
        InvalidRequestError: The body is no JSON object.
    """
    try:
        body: JsonValue = json.loads(raw.decode("utf-8"), parse_constant=_refuse_constant)
        if b"\\ud" in raw or b"\\uD" in raw:
            # Only an escape can smuggle in half a pair; writing it out again brings it to light.
            json.dumps(body, ensure_ascii=False).encode("utf-8")
    except ValueError as error:
        raise InvalidRequestError("", f"the request body is not valid JSON: {error}") from error
    return need_object(body, "body")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
