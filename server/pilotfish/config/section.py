"""What all sections of a settings file have in common."""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Section(BaseModel):
    """A section; unknown keys are kept, so that they can be reported."""

    model_config = ConfigDict(
        extra="allow",
        frozen=True,
        alias_generator=to_camel,
        populate_by_name=True,
        strict=True,
        defer_build=True,  # the settings as a whole are built from it; by itself few are
    )
