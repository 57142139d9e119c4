"""Writes what the model is told of the arguments of our tools: their JSON schemas.

Owns: ``server/pilotfish/tooling/schemas.json``. Making the schemas from the models takes 25 ms, which
everyone would wait for who begins a session; reading them takes none.
Does not own: how a schema is made of a model (``pilotfish.tooling.schemas``).

``python -m tools.gen_tools`` writes the file; ``--check`` writes nothing and exits with 1 when it is
not what it would write.
"""

import json
import sys
from collections.abc import Iterator

from pilotfish.app import engine
from pilotfish.tooling.schemas import made_schema, name_of
from pilotfish.tooling.spec import ToolArgs

from tools.generated import ROOT, GeneratedFile, generate

COMMAND = "python -m tools.gen_tools"
FILE = ROOT / "server" / "pilotfish" / "tooling" / "schemas.json"


_LOADS_EVERY_TOOL = engine
"""The module of each tool must be loaded before its arguments can be found."""


def build_schemas() -> GeneratedFile:
    """Return the file with the schema of each class of arguments."""
    schemas = {
        name_of(each): made_schema(each)
        for each in _descendants(ToolArgs)
        if each.__module__.startswith("pilotfish.")
    }
    text = json.dumps(schemas, ensure_ascii=False, indent=1, sort_keys=False)
    return GeneratedFile(path=FILE, text=f"{text}\n")


def _descendants(base: type[ToolArgs]) -> Iterator[type[ToolArgs]]:
    for each in sorted(base.__subclasses__(), key=name_of):
        yield each
        yield from _descendants(each)


def main(arguments: list[str] | None = None) -> int:
    """Write the file, or compare it; return the exit code."""
    return generate(COMMAND, lambda: (build_schemas(),), arguments)


if __name__ == "__main__":
    sys.exit(main())
