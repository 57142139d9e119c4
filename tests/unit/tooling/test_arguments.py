"""What the model sent as arguments: small mistakes are put right, others explained."""

from typing import Any

import pytest
from pilotfish.tooling.arguments import explain_problems, read_arguments
from pilotfish.tooling.spec import Tool
from pilotfish.tools.multi_edit import MultiEditTool
from pilotfish.tools.read import ReadTool
from pydantic import ValidationError


@pytest.mark.parametrize(
    ("tool", "given", "field", "value"),
    [
        (ReadTool(), {"file_path": "a", "limit": "20"}, "limit", 20),
        (ReadTool(), {"file_path": "a", "limit": None, "pages": None}, "pages", None),
        (
            MultiEditTool(),
            {"file_path": "a", "edits": '[{"old_string": "x", "new_string": "y"}]'},
            "file_path",
            "a",
        ),
    ],
)
def test_small_mistakes_are_put_right(
    tool: Tool[Any], given: dict[str, Any], field: str, value: object
) -> None:
    assert getattr(read_arguments(tool, given), field) == value


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"file_path": "a", "foo": 1}, "`foo` is not an argument of Read"),
        ({"path": "a"}, "did you mean `file_path`?"),
        ({}, "`file_path` is required"),
        ({"file_path": "a", "limit": "many"}, "`limit`: "),
        ({"file_path": None}, "`file_path`: "),
        ({"file_path": ["a"]}, "`file_path`: "),
    ],
)
def test_other_mistakes_are_explained_by_the_name_of_the_argument(
    given: dict[str, Any], told: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        read_arguments(ReadTool(), given)
    assert told in explain_problems(ReadTool(), caught.value)
    assert "nothing was run" in explain_problems(ReadTool(), caught.value)


@pytest.mark.parametrize("edits", ["no JSON", "[", "3", "[" * 100_000])
def test_text_that_is_no_list_stays_a_mistake(edits: str) -> None:
    with pytest.raises(ValidationError):
        read_arguments(MultiEditTool(), {"file_path": "a", "edits": edits})
