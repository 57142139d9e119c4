"""What ``tools.bench.index`` measures in a process of its own; prints JSON."""

import json
import random
import re
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from string import ascii_lowercase

from pilotfish.codeintel.index.database import Database
from pilotfish.codeintel.index.names import NameTable
from pilotfish.codeintel.index.rows import all_names, symbols_named
from pilotfish.codeintel.trees import parse

WORDS = (
    "get set code source index file path name value list map tree node token parse build make "
    "read write open close user session event turn model tool call result state error text line "
    "span range symbol query match find walk watch lock store cache test check run start stop "
    "begin end client server wire edge port clock task scope group job work item entry key hash "
    "digest size count limit first last next old new left right top bottom inner outer base "
    "derived simple fast slow deep"
)
"""What the names are made of."""


def parsing(root: Path) -> dict[str, float]:
    """Parse all files by tree-sitter and do nothing with them."""
    texts = [path.read_bytes() for path in root.rglob("*.py")]
    began = time.perf_counter()
    for text in texts:
        parse("python", text)
    return {"seconds": time.perf_counter() - began}


def symbols(count: int) -> dict[str, float]:
    """Search among so many symbols with distinct names."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "x.sqlite")
        database.open()
        database.write(lambda writer: _fill(writer, count))
        began = time.perf_counter()
        names = database.read(lambda reader: all_names(reader, count)) or []
        text = "\n".join(names)
        table = NameTable(names)
        names_again = names[:: len(names) // 200]
        del names
        build_s = time.perf_counter() - began
        began = time.perf_counter()
        list(re.finditer("(?m)^[^\nq]*q[^\nx]*x[^\nz]*z", text))
        regex_ms = (time.perf_counter() - began) * 1000
        del text
        queries = list(_queries(names_again))
        times = [median(_ask(database, table, query) for _ in range(3)) for query in queries]
        database.close()
    return {
        "median_ms": median(times),
        "worst_ms": max(times),
        "queries": len(queries),
        "slow_ms": sorted(times)[-len(times) // 20],
        "regex_ms": regex_ms,
        "build_s": build_s,
        "memory_mb": _peak_mb(),
    }


def _peak_mb() -> float:
    """Return the most memory that this process had.

    Where Linux tells it; ``ru_maxrss`` begins with what the process had that started this one.
    """
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text(encoding="utf-8"))
        if found is not None:
            return int(found[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _queries(names: Sequence[str]) -> Iterator[str]:
    """Ask for what is hard: one letter, few, many, in any order, much repeated, of other scripts."""
    chance = random.Random(2)  # noqa: S311 - the same queries each time
    yield from ascii_lowercase
    yield from (one + other for one in "aeqx_1" for other in "aeiqsxz5")
    yield from ("eeee", "eeeeee", "s" * 9, "é", "日本", "a.b", "1e", "teerts")
    for length in (3, 4, 5, 6, 8, 12, 20):
        yield from ("".join(chance.choices("etsnroialcdx_9q", k=length)) for _ in range(10))
    for name in names:
        if len(name) >= 12:
            length = chance.choice((3, 4, 6, 8, 12))
            yield "".join(name[at] for at in sorted(chance.sample(range(len(name)), length)))
    yield from (name[: len(name) // 2] for name in names[::10])
    yield from (name + "q" for name in names[::10])
    yield from (name[::-1] for name in names[::10])


def _ask(database: Database, table: NameTable, query: str) -> float:
    began = time.perf_counter()
    names = table.search(query, 100)
    database.read(lambda reader: symbols_named(reader, names, 200))
    return (time.perf_counter() - began) * 1000


def _fill(writer: sqlite3.Connection, count: int) -> None:
    writer.execute("BEGIN")
    writer.executemany(
        "INSERT INTO files VALUES (?, ?, 0, 0, x'', 'python', 1)",
        ((number, f"pkg/m{number}.py") for number in range(count // 50 + 1)),
    )
    writer.executemany(
        "INSERT INTO symbols VALUES (?, ?, ?, 'function', -1, 1, 0, 2, 0, 1, 4, 9, ?, '', '')",
        (
            (number // 50, number % 50, name, f"def {name}()")
            for number, name in enumerate(_names(count))
        ),
    )
    writer.execute("COMMIT")


def _names(count: int) -> Iterator[str]:
    chance = random.Random(1)  # noqa: S311 - the same names each time
    known = WORDS.split()
    seen: set[int] = set()
    while len(seen) < count:
        words = [chance.choice(known) for _ in range(chance.randint(1, 4))]
        style = chance.randrange(3)
        name = "_".join(words) if style == 0 else "".join(word.capitalize() for word in words)
        if style == 1:
            name = name[0].lower() + name[1:]
        if chance.random() < 0.6:
            name += str(chance.randint(0, 999))
        if hash(name) not in seen:
            seen.add(hash(name))
            yield name


if __name__ == "__main__":
    what, argument = sys.argv[1:3]
    found = parsing(Path(argument)) if what == "parse" else symbols(int(argument))
    sys.stdout.write(json.dumps(found))
