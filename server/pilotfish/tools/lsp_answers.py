"""What the LSP tool tells the model.

Owns: the form of answers: ``path:line: text``, short, capped, without hidden files.
Does not own: the answers themselves (``codeintel.sources``).
"""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path

from pilotfish.codeintel.text_lines import TextLines
from pilotfish.core.errors import WorkspaceError
from pilotfish.ports.code import CallLink, Location, Symbol
from pilotfish.ports.diagnostics import Problem
from pilotfish.tooling.context import ToolContext
from pilotfish.tooling.spec import ToolInputError
from pilotfish.tools.paths import short_path
from pilotfish.tools.read_checks import check_readable
from pilotfish.tools.search_checks import hidden_note
from pilotfish.util.records import dataclass
from pilotfish.util.text_span import shortened
from pilotfish.util.visible import visible
from pilotfish.workspace.git_ignore import ignored_files
from pilotfish.workspace.loaded_file import find_document

MAX_PLACES = 100
"""Places in one answer (design 06 §15)."""

MAX_FOUND_SYMBOLS = 3 * MAX_PLACES
"""Symbols of the project that are asked for: what is not shown leaves room, and is counted."""

MAX_SYMBOLS = 200
"""Symbols in one answer."""

MAX_PROBLEMS = 100
"""Diagnostics in one answer."""

MAX_LINE_CHARS = 160
"""Longest text of a line that is shown beside its number."""

MAX_HOVER_CHARS = 6_000
"""Longest documentation of one symbol."""

MAX_MESSAGE_CHARS = 400
"""Longest text of one diagnostic."""

MAX_FILE_BYTES = 2_000_000
"""Largest file of which lines are shown."""

MAX_CONSIDERED = 1_000
"""So much of an answer is looked at; one that long has no end that is known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Row:
    """A line of a file in an answer."""

    path: Path
    line: int
    """From 0."""
    count: int
    """How many places it holds."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _LeftOut:
    """Files that an answer does not show."""

    hidden: frozenset[Path] = frozenset()
    """By deny rules."""
    ignored: frozenset[Path] = frozenset()
    """By git."""

    def __contains__(self, path: Path) -> bool:
        return path in self.hidden or path in self.ignored


_NOTHING_LEFT_OUT = _LeftOut()


async def places_text(
    places: Sequence[Location], ctx: ToolContext, *, with_ignored: bool = True
) -> str:
    """Return places as lines with their text, files in the order of the answer.

    Args:
        places: What was found.
        ctx: Tells what may be shown.
        with_ignored: Whether files that git ignores belong to it: a definition may be in a library,
            but uses in what was built are noise.
    """
    considered = places[:MAX_CONSIDERED]
    left_out = await _left_out([each.path for each in considered], ctx, with_ignored=with_ignored)
    rows = _rows_of([each for each in considered if each.path not in left_out])
    lines = await _row_lines(rows[:MAX_PLACES], ctx)
    more = len(places) >= MAX_CONSIDERED
    note = _cut_note(len(rows), MAX_PLACES, "places", more=more)
    return _with_notes(lines, note, left_out)


async def calls_text(links: Sequence[CallLink], ctx: ToolContext, *, incoming: bool) -> str:
    """Return the functions at the other end of calls, with the lines of the calls."""
    considered = links[:MAX_CONSIDERED]
    paths = [each.symbol.path for each in considered]
    left_out = await _left_out(paths, ctx, with_ignored=not incoming)
    shown = [each for each in considered if each.symbol.path not in left_out]
    lines: list[str] = []
    for link in shown[:MAX_PLACES]:
        symbol = link.symbol
        place = f"{short_path(symbol.path, ctx)}:{symbol.name_span.start.line + 1}"
        # The calls stand in the caller's file: for what is called, that is the file asked about.
        sites = sorted({each.start.line + 1 for each in link.sites[:MAX_CONSIDERED]})
        named = ", ".join(str(number) for number in sites[:10])
        where = f" (called in line {named}{', …' if len(sites) > 10 else ''})" if named else ""
        lines.append(f"{place}: {_titled(symbol)}{where}")
    note = _cut_note(
        len(shown), MAX_PLACES, "callers" if incoming else "functions",
        more=len(links) >= MAX_CONSIDERED,
    )  # fmt: skip
    return _with_notes(lines, note, left_out)


async def workspace_symbols_text(symbols: Sequence[Symbol], ctx: ToolContext, *, more: bool) -> str:
    """Return symbols of the project, one a line; ``more``: there may be more than were asked for."""
    considered = symbols[:MAX_CONSIDERED]
    left_out = await _left_out([each.path for each in considered], ctx, with_ignored=False)
    shown = [each for each in considered if each.path not in left_out]
    lines = [
        f"{short_path(each.path, ctx)}:{each.name_span.start.line + 1}: {_titled(each)}"
        for each in shown[:MAX_PLACES]
    ]
    note = _cut_note(
        len(shown), MAX_PLACES, "symbols", more=more,
        hint="Make the query longer.",
    )  # fmt: skip
    return _with_notes(lines, note, left_out)


def document_symbols_text(symbols: Sequence[Symbol]) -> str:
    """Return the outline of a file, parts indented below their whole."""
    rows = list(_outline(symbols, MAX_CONSIDERED))
    lines = [
        f"{'  ' * depth}{_lines_of(symbol)}: {_titled(symbol, container=False)}"
        for depth, symbol in rows[:MAX_SYMBOLS]
    ]
    return _with_notes(lines, _cut_note(len(rows), MAX_SYMBOLS, "symbols", more=False))


def loading_note(servers: Sequence[str]) -> str:
    """Say that servers have not read the project yet; empty for none."""
    if not servers:
        return ""
    verb = "is" if len(servers) == 1 else "are"
    names = " and ".join(one_line(name, 60) for name in servers[:5])
    return f"{names} {verb} still loading the project and may know more: ask again in a while."


def hover_text(text: str) -> str:
    """Return documentation, cut to what is useful."""
    text = text.strip()
    if len(text) <= MAX_HOVER_CHARS:
        return text
    return f"{text[:MAX_HOVER_CHARS]}\n(Cut here; it has {len(text):,} characters.)"


async def problems_text(found: Sequence[tuple[Path, Problem]], ctx: ToolContext) -> str:
    """Return diagnostics, errors first."""
    left_out = await _left_out([path for path, _ in found], ctx, with_ignored=True)
    shown = [each for each in found if each[0] not in left_out]
    shown.sort(key=lambda each: (each[1].severity != "error", each[0], each[1].line))
    lines = [_problem(path, problem, ctx) for path, problem in shown[:MAX_PROBLEMS]]
    errors = sum(problem.severity == "error" for _, problem in shown)
    head = [f"{errors} errors, {len(shown) - errors} warnings"] if shown else []
    note = _cut_note(len(shown), MAX_PROBLEMS, "diagnostics", more=False)
    return _with_notes([*head, *lines], note, left_out)


def _problem(path: Path, problem: Problem, ctx: ToolContext) -> str:
    label = " ".join(part for part in (problem.source, problem.code) if part)
    message = one_line(problem.message, MAX_MESSAGE_CHARS)
    place = f"{short_path(path, ctx)}:{problem.line}:{problem.column}"
    return f"{place}: {problem.severity}: {message}{f' [{one_line(label)}]' if label else ''}"


def one_line(text: str, limit: int = MAX_LINE_CHARS) -> str:
    """Return a foreign text as one short line without control characters."""
    return shortened(visible(" ".join(text[: limit * 4].split())), limit)


async def _left_out(paths: Sequence[Path], ctx: ToolContext, *, with_ignored: bool) -> _LeftOut:
    """Tell which files are not shown."""
    unique = dict.fromkeys(paths)
    hidden = await asyncio.to_thread(ctx.hidden_files, unique)
    if with_ignored:
        return _LeftOut(hidden=hidden)
    ignored = await asyncio.to_thread(ignored_files, unique, (*ctx.roots, ctx.cwd))
    return _LeftOut(hidden=hidden, ignored=ignored - hidden)


def _rows_of(places: Sequence[Location]) -> list[_Row]:
    """Join places in one line, keep files together."""
    counts: dict[Path, dict[int, int]] = {}
    for place in dict.fromkeys(places):
        lines = counts.setdefault(place.path, {})
        lines[place.span.start.line] = lines.get(place.span.start.line, 0) + 1
    return [
        _Row(path=path, line=line, count=count)
        for path, lines in counts.items()
        for line, count in sorted(lines.items())
    ]


async def _row_lines(rows: Sequence[_Row], ctx: ToolContext) -> list[str]:
    texts: dict[Path, TextLines | None] = {}
    found: list[str] = []
    for row in rows:
        if row.path not in texts:
            texts[row.path] = await _lines_of_file(row.path, ctx)
        lines = texts[row.path]
        text = "" if lines is None else one_line(lines.line(row.line))
        times = f" (×{row.count})" if row.count > 1 else ""
        place = f"{short_path(row.path, ctx)}:{row.line + 1}"
        found.append(f"{place}: {text}{times}" if text else f"{place}{times}")
    return found


async def _lines_of_file(path: Path, ctx: ToolContext) -> TextLines | None:
    """Return a file's lines; None where they are not shown: outside the project, no text, too long."""
    try:
        real_path = await asyncio.to_thread(path.resolve)
        if not any(real_path.is_relative_to(root) for root in ctx.roots):
            return None
        if find_document(ctx.editor, path) is None:
            await asyncio.to_thread(_check_small_file, path, ctx.cwd)
        loaded = await ctx.edits.load(path)
    except (WorkspaceError, ToolInputError, OSError, RuntimeError):
        return None
    if loaded.text is None or len(loaded.text) > MAX_FILE_BYTES:
        return None
    return await asyncio.to_thread(TextLines, loaded.text)


def _check_small_file(path: Path, cwd: Path) -> None:
    """Make sure that a file that somebody else named can be loaded at once. Blocking."""
    check_readable(path, cwd)
    if path.stat().st_size > MAX_FILE_BYTES:
        raise ToolInputError(f"{path} is too large to show lines of it.")


def _outline(symbols: Sequence[Symbol], room: int) -> Iterator[tuple[int, Symbol]]:
    """Walk a forest from the top, without recursion: its depth is not ours to choose."""
    stack = [(0, symbol) for symbol in reversed(symbols[:room])]
    while stack and room > 0:
        depth, symbol = stack.pop()
        room -= 1
        yield depth, symbol
        stack += [(depth + 1, child) for child in reversed(symbol.children[:room])]


def _titled(symbol: Symbol, *, container: bool = True) -> str:
    within = f" in {one_line(symbol.container)}" if container and symbol.container else ""
    detail = f" — {one_line(symbol.detail)}" if symbol.detail else ""
    return f"{symbol.kind.replace('_', ' ')} {one_line(symbol.name)}{within}{detail}"


def _lines_of(symbol: Symbol) -> str:
    first, last = symbol.span.start.line + 1, symbol.span.end.line + 1
    return str(first) if first == last else f"{first}-{last}"


def _cut_note(total: int, limit: int, noun: str, *, more: bool, hint: str = "") -> str:
    if total <= limit and not more:
        return ""
    known = f"{total} or more" if more else str(total)
    return f"The first {min(total, limit)} of {known} {noun} are shown. {hint}".rstrip()


def _with_notes(lines: list[str], note: str, left_out: _LeftOut = _NOTHING_LEFT_OUT) -> str:
    count = len(left_out.ignored)
    noun = "1 file" if count == 1 else f"{count} files"
    ignored = f"{noun} that git ignores {'is' if count == 1 else 'are'} left out." if count else ""
    notes = [each for each in (note, hidden_note(len(left_out.hidden)), ignored) if each]
    return "\n".join([*lines, *(f"({each})" for each in notes)])
