"""What is said of a value that a settings file holds and that cannot be one."""

from pydantic_core import ErrorDetails


def said_of(problem: ErrorDetails) -> str:
    """Return the problem in a few words, none of which is a name out of our code."""
    is_no_object = problem["type"] in {"model_type", "model_attributes_type", "dataclass_type"}
    return "Input should be an object" if is_no_object else problem["msg"]
