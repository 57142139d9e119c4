"""``python -m tools.bench``: measure and print; ``--update`` writes docs/performance.md."""

import asyncio
import sys

from tools.bench.measures import MEASURES, ROOT, Row

DOCUMENT = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"


async def measure() -> list[Row]:
    """Run every measurement, one after the other."""
    rows: list[Row] = []
    for measurement in MEASURES:
        row = await measurement()
        print(f"{row.name}: {row.value} (aim {row.aim}) {row.baseline} {row.note}", flush=True)
        rows.append(row)
    return rows


def table(rows: list[Row]) -> str:
    """Return the rows as a Markdown table."""
    lines = ["| What | Measured | Aim | Against | Runs |", "| --- | --- | --- | --- | --- |"]
    lines += [
        f"| {row.name} | {row.value} | {row.aim} | {row.baseline or '–'} | {row.note or '–'} |"
        for row in rows
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and write the table when asked to."""
    rows = asyncio.run(measure())
    if "--update" in sys.argv:
        text = DOCUMENT.read_text(encoding="utf-8")
        before, _, rest = text.partition(BEGIN)
        _, _, after = rest.partition(END)
        new = f"{before}{BEGIN}\n{table(rows)}\n{END}{after}"
        DOCUMENT.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
