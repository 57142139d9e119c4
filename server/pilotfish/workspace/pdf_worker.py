"""Extracts the text of PDF pages; a program of its own, run by ``workspace.pdf``.

A PDF is a program for drawing, and a hostile one can keep a reader busy or fill its memory. Here that
ends with this process. Prints one JSON object.
"""

import json
import logging
import sys
from typing import Any

MAX_MEMORY_BYTES = 1024**3
"""Address space of this process; more ends it."""

MAX_PAGE_CHARS = 50_000
"""Text kept of one page."""


def extract(path: str, first: int, last: int) -> dict[str, Any]:
    """Return the number of pages and the text of those from ``first`` to ``last``, from 1."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            return {"error": "it is protected by a password"}
        total = len(reader.pages)
        wanted = range(first, min(last, total) + 1)
        pages = [reader.pages[number - 1].extract_text()[:MAX_PAGE_CHARS] for number in wanted]
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        # Beyond its own errors, pypdf raises these on damaged files.
        return {"error": f"{type(error).__name__}: {error}"}
    except (RecursionError, MemoryError, NotImplementedError) as error:
        return {"error": f"it is too complex ({type(error).__name__})"}
    return {"total": total, "pages": pages}


def main() -> None:
    """Read the arguments ``PATH FIRST LAST`` and print the result."""
    path, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    _limit_memory()
    logging.disable()
    sys.stdout.write(json.dumps(extract(path, first, last)))


def _limit_memory() -> None:
    try:
        import resource  # noqa: PLC0415
    except ImportError:  # Windows: the time limit must do
        return
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))


if __name__ == "__main__":
    main()
