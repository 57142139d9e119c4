"""Documents that tests read: PDF files and notebooks, made here so that every byte is known."""

import json
from collections.abc import Sequence
from typing import Any


def pdf(pages: Sequence[str]) -> bytes:
    """Return a PDF with one line of text on each page."""
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET"
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {5 + 2 * at} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    out = b"%PDF-1.4\n"
    places: list[int] = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    return (
        out
        + (
            f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\n"
            f"startxref\n{len(out)}\n%%EOF\n"
        ).encode()
    )


def code(cell_id: str, source: str | list[str], **more: Any) -> dict[str, Any]:
    """Return a code cell with an output."""
    output = {"name": "stdout", "output_type": "stream", "text": ["hello\n"]}
    return {
        "cell_type": "code",
        "execution_count": 3,
        "id": cell_id,
        "metadata": {"tags": ["kept"], "zeta": 1, "alpha": 2},
        "outputs": [output],
        "source": source,
    } | more


def markdown(cell_id: str, source: str | list[str]) -> dict[str, Any]:
    """Return a cell of prose."""
    return {"cell_type": "markdown", "id": cell_id, "metadata": {}, "source": source}


def notebook(*cells: dict[str, Any], minor: int = 5) -> dict[str, Any]:
    """Return a notebook with its keys in an order of its own."""
    return {
        "cells": list(cells),
        "metadata": {"kernelspec": {"language": "python", "name": "python3"}, "custom": {"b": 1, "a": 2}},
        "nbformat": 4,
        "nbformat_minor": minor,
    }  # fmt: skip


def notebook_text(*cells: dict[str, Any], indent: int | str | None = 1, minor: int = 5) -> str:
    """Return a notebook as Jupyter writes it, unless another indent is given."""
    return json.dumps(notebook(*cells, minor=minor), indent=indent, ensure_ascii=False) + "\n"
