"""Syntax errors, in every language that has a grammar, without a language server.

Owns: parsing a text, turning what does not parse into messages, comparing before and after an edit.
Does not own: telling anybody (``codeintel.after_edit``), the list of languages
(``codeintel.languages``).
See also: design §6.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

from pilotfish.codeintel.byte_positions import utf16_length
from pilotfish.codeintel.embedded import embedded_texts
from pilotfish.codeintel.languages import CHECKED_LANGUAGES, WITH_PARTS, grammar_of, language_of
from pilotfish.codeintel.line_map import LineKey, LineMap
from pilotfish.codeintel.open_trees import ParsedText
from pilotfish.codeintel.recent_trees import RecentTrees
from pilotfish.codeintel.symbols import MAX_TREE_BYTES
from pilotfish.codeintel.trees import TIME_LIMIT_S, load_grammar, parse
from pilotfish.ports.code import Position, Span
from pilotfish.util.records import dataclass

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_PROBLEMS = 50
"""Problems that a report holds; a text with more is broken as a whole."""

THREAD_FROM_CHARS = 20_000
"""Length of a text from which parsing would hold up the event loop noticeably."""

_MAX_QUOTE_CHARS = 40
"""Characters of the code that a message quotes."""

_MAX_CONTEXT_CHARS = 120
"""Characters of the line that a problem shows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SyntaxProblem:
    """A place that does not parse."""

    line: int
    """From 1."""
    column: int
    """From 1, in characters."""
    message: str
    """Holds no line numbers, so that it is the same before and after an edit elsewhere."""
    context: str
    """The line, trimmed."""
    span: Span
    """What to underline: within that line, empty for something missing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SyntaxReport:
    """What does not parse in a text."""

    language: str
    problems: tuple[SyntaxProblem, ...]
    """In the order of the text, at most ``MAX_PROBLEMS``."""
    timed_out: bool = False
    """True when parsing took too long; nothing is known then."""


class SyntaxChange(NamedTuple):
    """What an edit did to the syntax of a text."""

    added: tuple[SyntaxProblem, ...]
    """Positions in the new text."""
    fixed: tuple[SyntaxProblem, ...]
    """Positions in the old text."""


def checked_language(path: PurePath) -> str | None:
    """Return the language in which a file is checked, at least in parts; None for none."""
    language = language_of(path)
    if language is None:
        language = grammar_of(path)
        return language if language in WITH_PARTS else None
    return language


async def check_syntax(path: PurePath, text: str) -> SyntaxReport | None:
    """Report what does not parse; None when the language is not known."""
    language = checked_language(path)
    if language is None:
        return None
    # The first use loads the grammar from disk, tens of milliseconds.
    await asyncio.to_thread(load_grammar, language)
    if len(text) > THREAD_FROM_CHARS:
        return await asyncio.to_thread(_report, path, language, text)
    return _report(path, language, text)


def _report(path: PurePath, language: str, text: str) -> SyntaxReport:
    """Parse a text and report what does not parse. Blocking for long texts."""
    if len(text) <= MAX_TREE_BYTES:
        problems = _checked.find(str(path), language, text, TIME_LIMIT_S)
    else:
        # Lone surrogates (from undecodable names) have no UTF-8 form.
        data = text.encode("utf-8", "replace")
        tree = parse(language, data, limit_s=TIME_LIMIT_S)
        problems = None if tree is None else problems_of(ParsedText(language, data, tree))
    if problems is None:
        return SyntaxReport(language=language, problems=(), timed_out=True)
    return SyntaxReport(language=language, problems=problems)


def problems_in(root: "Node", data: bytes) -> tuple[SyntaxProblem, ...]:
    """Return what does not parse in a tree, in the order of the text, at most ``MAX_PROBLEMS``."""
    if not root.has_error:
        return ()
    lines = data.split(b"\n")
    problems: dict[tuple[int, int], SyntaxProblem] = {}
    for node in _broken_nodes(root):
        problem = _problem(node, data, lines)
        problems.setdefault((problem.line, problem.column), problem)
        if len(problems) >= MAX_PROBLEMS:
            break
    return tuple(problems[place] for place in sorted(problems))


def problems_of(parsed: ParsedText) -> tuple[SyntaxProblem, ...]:
    """Return what does not parse in a text and in its parts in other languages, in order."""
    found: list[SyntaxProblem] = []
    if parsed.language in CHECKED_LANGUAGES:
        found += problems_in(parsed.tree.root_node, parsed.data)
    if parsed.language in WITH_PARTS:
        for part in embedded_texts(parsed.language, parsed.tree, parsed.data):
            if part.is_judged and part.language in CHECKED_LANGUAGES:
                found += problems_in(part.root, parsed.data)
    return tuple(sorted(found, key=lambda problem: problem.span)[:MAX_PROBLEMS])


_checked = RecentTrees(problems_of)
"""What was checked last: each text is asked about before an edit, after it and before the next one."""


def new_problems(
    before: SyntaxReport, after: SyntaxReport, old_text: str, new_text: str
) -> SyntaxChange:
    """Tell which problems an edit added and which it fixed.

    A problem is the same when its message is, and its line, shifted by what was inserted and removed
    above it; within changed lines the message alone decides.
    """
    if not before.problems and not after.problems:
        return SyntaxChange((), ())
    shifts = LineMap(old_text, new_text)
    known = Counter((each.message, shifts.old_key(each.line)) for each in before.problems)
    present = Counter((each.message, shifts.new_key(each.line)) for each in after.problems)
    added, fixed = present - known, known - present
    return SyntaxChange(
        added=_pick(after.problems, added, shifts.new_key),
        fixed=_pick(before.problems, fixed, shifts.old_key),
    )


def _pick(
    problems: Sequence[SyntaxProblem],
    wanted: Counter[tuple[str, LineKey]],
    key_of: Callable[[int], LineKey],
) -> tuple[SyntaxProblem, ...]:
    left = wanted.copy()
    picked: list[SyntaxProblem] = []
    for problem in problems:
        key = (problem.message, key_of(problem.line))
        if left[key] > 0:
            left[key] -= 1
            picked.append(problem)
    return tuple(picked)


def _broken_nodes(root: "Node") -> Iterator["Node"]:
    """Yield what does not parse, in order: missing tokens, and errors with no error inside.

    An error that spans lines is yielded beside the ones in it: it begins where the broken
    construct does, they where the parser noticed.
    """
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_missing:
            yield node
            continue
        if not node.has_error and not node.is_error:
            continue
        broken = [child for child in node.children if child.has_error or child.is_missing]
        spans_lines = node.start_point.row != node.end_point.row
        if node.is_error and (not broken or spans_lines):
            yield node
        stack.extend(reversed(broken))


def _problem(node: "Node", data: bytes, lines: Sequence[bytes]) -> SyntaxProblem:
    row, byte_column = node.start_point.row, node.start_point.column
    line = lines[row] if row < len(lines) else b""
    before = line[:byte_column].decode("utf-8", "replace")
    # Not the node's text: of a template the parser got one that is filled up.
    quote = data[node.start_byte : node.end_byte].decode("utf-8", "replace").split("\n")[0].strip()
    if len(quote) > _MAX_QUOTE_CHARS:
        quote = quote[:_MAX_QUOTE_CHARS] + "..."
    if node.is_missing:
        message = f"syntax error: `{node.type}` is missing"
    elif node.start_point.row != node.end_point.row:
        message = f"syntax error: the code from `{quote}` on does not parse"
    else:
        message = f"syntax error: unexpected `{quote}`"
    end = node.end_point.column if row == node.end_point.row else len(line.rstrip())
    upto = line[: max(end, byte_column)].decode("utf-8", "replace")
    return SyntaxProblem(
        span=Span(Position(row, utf16_length(before)), Position(row, utf16_length(upto))),
        line=row + 1,
        column=len(before) + 1,
        message=message,
        context=line.decode("utf-8", "replace").strip()[:_MAX_CONTEXT_CHARS],
    )
