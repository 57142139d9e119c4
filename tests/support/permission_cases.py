"""The recorded permission cases of ``tests/fixtures/permission-cases.jsonl``."""

from dataclasses import dataclass
from pathlib import Path

from pilotfish.permissions.recorded import RecordedCase, parse_case

FILE = Path(__file__).parents[1] / "fixtures" / "permission-cases.jsonl"


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line with what it says."""

    text: str
    case: RecordedCase


def load_cases() -> list[Line]:
    """Read the cases, one a line."""
    texts = FILE.read_text(encoding="utf-8").splitlines()
    return [Line(text=text, case=parse_case(text)) for text in texts if text]
