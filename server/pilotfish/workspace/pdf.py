"""The text of PDF pages.

Owns: the page limits of design 06 §4.1, running the extraction in a process of its own.
Does not own: the extraction (``workspace.pdf_worker``).
"""

import asyncio
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, cast

from pilotfish.core.errors import WorkspaceError
from pilotfish.ports.processes import ProcessPort, ProcessSpec
from pilotfish.util.records import dataclass
from pilotfish.workspace import pdf_worker

MAX_UNASKED_PAGES = 10
"""A document with more pages is read only by naming some of them."""

MAX_PAGES = 20
"""Most pages of one read."""

TIME_LIMIT_S = 30.0
"""How long the extraction may take."""

_MAX_OUTPUT_BYTES = 8 * 1024 * 1024

_RANGE = re.compile(r"(\d{1,6})(?:\s*-\s*(\d{1,6}))?")


@dataclass(frozen=True, kw_only=True, slots=True)
class PageRange:
    """Pages from ``first`` to ``last``, counted from 1."""

    first: int
    last: int


@dataclass(frozen=True, kw_only=True, slots=True)
class PdfText:
    """Some pages of a document."""

    first: int
    pages: tuple[str, ...]
    total: int


def parse_pages(pages: str) -> PageRange:
    """Read a page or a range of pages.

    Raises:
        WorkspaceError: It is neither, or names too many pages.
    """
    found = _RANGE.fullmatch(pages.strip())
    first = int(found.group(1)) if found else 0
    last = int(found.group(2) or first) if found else 0
    if first < 1 or last < first:
        raise WorkspaceError(f"{pages!r} names no pages.", hint='Write "3" or "1-5".')
    if last - first >= MAX_PAGES:
        raise WorkspaceError(
            f"{pages} are {last - first + 1} pages; {MAX_PAGES} can be read at once.",
            hint="Read them in parts.",
        )
    return PageRange(first=first, last=last)


async def read_pdf(processes: ProcessPort, path: Path, wanted: PageRange | None) -> PdfText:
    """Extract the text of pages; of all when none are named and there are few.

    Raises:
        WorkspaceError: It is no readable PDF, takes too long, or pages must be named.
    """
    pages = wanted or PageRange(first=1, last=MAX_UNASKED_PAGES)
    answer = await _extract(processes, path, pages)
    total = int(answer["total"])
    if wanted is None and total > MAX_UNASKED_PAGES:
        raise WorkspaceError(
            f"{path} has {total} pages, too many to show at once.",
            hint=f'Name at most {MAX_PAGES} of them in pages, for example "1-{MAX_UNASKED_PAGES}".',
        )
    if pages.first > total:
        raise WorkspaceError(f"{path} has {total} pages; page {pages.first} is past its end.")
    return PdfText(first=pages.first, pages=tuple(answer["pages"]), total=total)


async def count_pages(processes: ProcessPort, data: bytes, name: str) -> int:
    """Return how many pages a document has.

    Raises:
        WorkspaceError: It is no readable PDF, or takes too long.
    """
    folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="pilotfish-document-"))
    path = folder / "attached.pdf"
    try:
        await asyncio.to_thread(path.write_bytes, data)
        answer = await _extract(processes, path, PageRange(first=1, last=0), name=name)
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    return int(answer["total"])


async def _extract(
    processes: ProcessPort, path: Path, pages: PageRange, *, name: str = ""
) -> dict[str, Any]:
    shown = name or str(path)
    program = [sys.executable, "-I", str(Path(pdf_worker.__file__))]
    spec = ProcessSpec(
        argv=[*program, str(path), str(pages.first), str(pages.last)],
        cwd=path.parent,
        purpose="document",
        label=f"text of {path.name}",
        env={"PYTHONIOENCODING": "utf-8"},
        max_output_bytes=_MAX_OUTPUT_BYTES,
        merge_stderr=False,
    )
    result = await processes.run(spec, timeout_s=TIME_LIMIT_S)
    way_out = "Extract its text with Bash, for example `pdftotext -layout FILE -`."
    if result.ended_by == "timeout":
        raise WorkspaceError(
            f"{shown} could not be read within {TIME_LIMIT_S:.0f} s.", hint="Name fewer pages."
        )
    if result.exit_code != 0 or result.ended_by != "itself":
        reason = result.error_output.decode(errors="replace").strip().splitlines()[-1:]
        why = reason[0] if reason else "the reader ended unexpectedly"
        raise WorkspaceError(f"{shown} cannot be read as a PDF: {why}.", hint=way_out)
    answer = cast("dict[str, Any]", json.loads(result.output))
    if "error" in answer:
        raise WorkspaceError(f"{shown} cannot be read as a PDF: {answer['error']}.", hint=way_out)
    return answer
