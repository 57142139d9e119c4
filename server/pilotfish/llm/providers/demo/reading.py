"""Making sense of what tools answer.

Owns: reading numbered listings, unittest's output, path lists and diagnostics. Pure.
Does not own: what follows from it (the tasks).
"""

import re
from collections.abc import Sequence
from typing import Literal

from pilotfish.util.records import dataclass

_NUMBERED_LINE = re.compile(r"^\s*(?P<number>\d+)(?:\t|→)(?P<text>.*)$")
_RAN = re.compile(r"^Ran (?P<count>\d+) tests?\b", re.MULTILINE)
_FAILED_TEST = re.compile(r"^(?:FAIL|ERROR): (?P<name>\S+) \((?P<where>[^)]*)\)", re.MULTILINE)
_FRAME = re.compile(r'^\s*File "(?P<path>[^"]+)", line (?P<line>\d+)(?:, in (?P<name>\S+))?')
_REASON = re.compile(r"^(?P<reason>\w+(?:Error|Exception|Warning)\b.*)$", re.MULTILINE)
_PLACE = re.compile(
    r"(?P<path>[^\s:()\"'`]*[\w-]+\.py)(?::|\(|,? line )(?P<line>\d+)(?P<rest>[^\n]*)"
)
_PYTHON_PATH = re.compile(r"(?P<path>(?:[A-Za-z]:)?[^\s:*?\"<>|]+\.py)\b")

NEW_DIAGNOSTICS = "diagnostics are new"
"""Words that a note about new diagnostics contains (design 00 §6)."""


class Listing:
    """A file as Read shows it."""

    def __init__(self, text: str) -> None:
        matches = [_NUMBERED_LINE.match(line) for line in text.split("\n")]
        self.lines = [match["text"].rstrip("\r") for match in matches if match]

    @property
    def text(self) -> str:
        """The content, lines joined by line breaks."""
        return "\n".join(self.lines)

    def snippet(self, index: int) -> str:
        """Return the line at ``index``, with as many lines before it as make it unique."""
        start = index
        while True:
            snippet = "\n".join(self.lines[start : index + 1])
            if start == 0 or (snippet.strip() and self.text.count(snippet) == 1):
                return snippet
            start -= 1

    def last_index(self) -> int:
        """Return the index of the last line that is not blank; -1 when there is none."""
        for index in range(len(self.lines) - 1, -1, -1):
            if self.lines[index].strip():
                return index
        return -1

    def find(self, pattern: str) -> int:
        """Return the index of the first line that matches; -1 when none does."""
        compiled = re.compile(pattern)
        for index, line in enumerate(self.lines):
            if compiled.search(line):
                return index
        return -1

    def block(self, start: int) -> range:
        """Return the lines of the definition that begins at ``start``."""
        end = start + 1
        while end < len(self.lines) and self.lines[end][:1] in {"", " ", "\t", ")"}:
            end += 1
        return range(start, end)


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """A test that failed, or a file that could not be loaded."""

    test: str
    path: str
    """Where it failed: the last frame of the traceback."""
    line: int
    reason: str
    """The exception and its text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A problem at a line of a file."""

    path: str
    line: int
    message: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TestRun:
    """What a run of unittest said."""

    state: Literal["passed", "failed", "not_run"]
    count: int
    failures: tuple[Failure, ...]

    @property
    def names(self) -> str:
        """The failing tests, for people."""
        return ", ".join(f"`{failure.test}`" for failure in self.failures)


def read_test_run(output: str) -> TestRun:
    """Read the output of ``python3 -m unittest``."""
    ran = _RAN.search(output)
    count = int(ran["count"]) if ran else 0
    failures = _failures(output)
    if failures:
        return TestRun(state="failed", count=count, failures=failures)
    if count and re.search(r"^OK\b", output, re.MULTILINE):
        return TestRun(state="passed", count=count, failures=())
    return TestRun(state="not_run", count=count, failures=())


def read_paths(output: str) -> list[str]:
    """Return the Python files that Glob or Grep listed, each once."""
    found = (match["path"] for match in _PYTHON_PATH.finditer(output))
    return list(dict.fromkeys(found))


def read_new_diagnostics(notes: Sequence[str]) -> list[Place]:
    """Return the problems in Python files that notes call new."""
    places: list[Place] = []
    for note in notes:
        if NEW_DIAGNOSTICS not in note:
            continue
        for match in _PLACE.finditer(note):
            message = re.sub(r"^[\s:,\d)\]-]+", "", match["rest"]).strip()
            places.append(
                Place(path=match["path"], line=int(match["line"]), message=message or "a problem")
            )
    return places


def unclosed_line(listing: Listing, near_line: int) -> int:
    """Return the index of the line nearest to a line number that opens more than it closes.

    -1 when no line does, or when the bracket is closed further down.
    """
    candidates = [index for index, line in enumerate(listing.lines) if open_brackets(line) > 0]
    loose = [index for index in candidates if not _is_closed_below(listing, index)]
    return min(loose, key=lambda index: abs(index + 1 - near_line), default=-1)


def open_brackets(line: str) -> int:
    """Return how many round brackets a line opens and does not close."""
    return line.count("(") - line.count(")")


def _is_closed_below(listing: Listing, index: int) -> bool:
    depth = open_brackets(listing.lines[index])
    for line in listing.lines[index + 1 :]:
        depth += open_brackets(line)
        if depth <= 0:
            return True
    return False


def _failures(output: str) -> tuple[Failure, ...]:
    heads = list(_FAILED_TEST.finditer(output))
    ends = [*(head.start() for head in heads[1:]), len(output)][: len(heads)]
    return tuple(
        _failure(head["name"], output[head.end() : end])
        for head, end in zip(heads, ends, strict=True)
    )


def _failure(test: str, traceback: str) -> Failure:
    frames = [match for line in traceback.split("\n") if (match := _FRAME.match(line))]
    reasons = list(_REASON.finditer(traceback))
    return Failure(
        test=test,
        path=frames[-1]["path"] if frames else "",
        line=int(frames[-1]["line"]) if frames else 0,
        reason=reasons[-1]["reason"] if reasons else "it failed",
    )
