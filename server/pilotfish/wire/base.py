"""Base of all wire models.

Inbound, unknown fields pass (a newer client may talk to an older server) and wrong types are an
error that names the field. JSON is camelCase; Python is snake_case.
"""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class WireModel(BaseModel):
    """A frozen record that travels as camelCase JSON."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, frozen=True, strict=True, extra="ignore"
    )
