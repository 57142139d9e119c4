"""``python -m tools.bench``: measure and print; ``--update`` writes docs/performance.md."""

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Sequence

from tools.bench.measures import MEASURES, ROOT, Row

DOCUMENT = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"


async def measure(wanted: Sequence[Callable[[], Awaitable[Row]]]) -> list[Row]:
    """Run measurements, one after the other."""
    rows: list[Row] = []
    for measurement in wanted:
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
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=main.__doc__)
    parser.add_argument("only", nargs="*", help="measure only what has one of these in its name")
    parser.add_argument("--update", action="store_true", help=f"write {DOCUMENT.relative_to(ROOT)}")
    given = parser.parse_args()
    wanted = [
        one
        for one in MEASURES
        if not given.only or any(part in one.__name__ for part in given.only)
    ]
    if given.update and given.only:
        parser.error("the table holds all rows: --update measures everything")
    if not wanted:
        parser.error(
            "nothing is called so; there are: " + " ".join(one.__name__ for one in MEASURES)
        )
    rows = asyncio.run(measure(wanted))
    if given.update:
        text = DOCUMENT.read_text(encoding="utf-8")
        before, _, rest = text.partition(BEGIN)
        _, _, after = rest.partition(END)
        new = f"{before}{BEGIN}\n{table(rows)}\n{END}{after}"
        DOCUMENT.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
