"""Writes what is generated from the wire models: the client's TypeScript and the protocol page.

Owns: the translation of ``pilotfish.wire`` into ``client-vscode/src/protocol/generated.ts`` and
``docs/protocol.md``.
Does not own: the models (``pilotfish.wire``), ACP's and LSP's own types (their packages).

``python -m tools.gen_protocol`` writes both files; ``--check`` writes nothing and exits with 1
when one of them is not what it would write.
"""

import ast
import inspect
import sys
import textwrap
import types
import typing
from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, Any, Literal, get_args, get_origin

from pilotfish.wire.base import WireModel
from pilotfish.wire.method import Method
from pilotfish.wire.methods import META_MODELS, METHODS, PROTOCOL_VERSION

from tools.generated import ROOT, GeneratedFile, generate

TYPESCRIPT = ROOT / "client-vscode" / "src" / "protocol" / "generated.ts"
PAGE = ROOT / "docs" / "protocol.md"

COMMAND = "python -m tools.gen_protocol"

LINE_WIDTH = 100
"""Prettier's print width in this repository: a longer declaration is broken over lines."""

_PLAIN: dict[Any, str] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
    Any: "unknown",
}


class UnsupportedTypeError(Exception):
    """A wire model uses a type that has no translation here."""


def to_typescript(annotation: Any) -> str:
    """Translate one annotation.

    Raises:
        UnsupportedTypeError: The annotation is none of those that wire models may use.
    """
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return " | ".join(_literal(value) for value in arguments)
    if origin in {typing.Union, types.UnionType}:
        return " | ".join(dict.fromkeys(to_typescript(argument) for argument in arguments))
    if origin in {list, tuple}:
        element = to_typescript(arguments[0])
        return f"readonly ({element})[]" if " | " in element else f"readonly {element}[]"
    if origin is dict:
        return f"Readonly<Record<string, {to_typescript(arguments[1])}>>"
    if isinstance(annotation, type) and issubclass(annotation, WireModel):
        return annotation.__name__
    message = f"no TypeScript for {annotation!r}; teach tools/gen_protocol.py about it"
    raise UnsupportedTypeError(message)


def _literal(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)


def collect_models() -> list[type[WireModel]]:
    """Return every model that travels, each after those that it refers to."""
    found: dict[type[WireModel], None] = {}

    def visit(model: type[WireModel]) -> None:
        if model in found:
            return
        model.model_rebuild()  # resolves references to classes that stand further down
        for field in model.model_fields.values():
            for inner in _models_in(field.annotation):
                visit(inner)
        found[model] = None

    for method in METHODS:
        visit(method.params)
        if method.result is not None:
            visit(method.result)
    for model in META_MODELS:
        visit(model)
    return list(found)


def _models_in(annotation: Any) -> Iterator[type[WireModel]]:
    if isinstance(annotation, type) and issubclass(annotation, WireModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


def _docs_of_fields(model: type[WireModel]) -> dict[str, str]:
    """Read the strings that stand under the fields of a model."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(model)))
    body = typing.cast("ast.ClassDef", tree.body[0]).body
    docs: dict[str, str] = {}
    for field, below in pairwise(body):
        if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
            continue
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            docs[field.target.id] = " ".join(str(below.value.value).split())
    return docs


def _summary(model: type[WireModel]) -> str:
    return " ".join((inspect.getdoc(model) or "").split()).replace("``", "`")


def _interface(model: type[WireModel]) -> list[str]:
    docs = _docs_of_fields(model)
    lines = [f"/** {_summary(model)} */"]
    if not model.model_fields:
        return [*lines, f"export type {model.__name__} = Readonly<Record<string, never>>;", ""]
    lines.append(f"export interface {model.__name__} {{")
    for name, field in model.model_fields.items():
        if name in docs:
            lines.append(f"  /** {docs[name]} */")
        # Whoever sends may leave out what has a default, in both directions.
        mark = "" if field.is_required() else "?"
        lines.extend(_property(f"{field.alias or name}{mark}", to_typescript(field.annotation)))
    return [*lines, "}", ""]


def _property(name: str, kind: str) -> list[str]:
    line = f"  readonly {name}: {kind};"
    parts = kind.split(" | ")
    if len(line) <= LINE_WIDTH or len(parts) == 1:
        return [line]
    broken = [f"    | {part}" for part in parts]
    return [f"  readonly {name}:", *broken[:-1], f"{broken[-1]};"]


def _constant_name(method: Method) -> str:
    first, *rest = _path_of(method)
    return first + "".join(part.capitalize() for part in rest) + "Method"


def _path_of(method: Method) -> list[str]:
    return method.name.removeprefix("_pilotfish/").split("/")


def _method(method: Method) -> list[str]:
    result = "null" if method.result is None else method.result.__name__
    generic = (
        f"RequestMethod<{method.params.__name__}, {result}>"
        if method.kind == "request"
        else f"NotificationMethod<{method.params.__name__}>"
    )
    head = f"export const {_constant_name(method)}: {generic} = {{"
    return [
        f"/** {method.doc} {_direction(method)}. */",
        head,
        f'  method: "{method.name}",',
        "};",
        "",
    ]


def _direction(method: Method) -> str:
    return "Client to server" if method.direction == "client_to_server" else "Server to client"


def build_typescript() -> GeneratedFile:
    """Build the client's module of types and method names."""
    lines = [
        f"// Generated by `{COMMAND}` from server/pilotfish/wire. Do not edit.",
        "",
        f"export const PROTOCOL_VERSION = {PROTOCOL_VERSION};",
        "",
        "/** Name and types of a request; the types exist only while compiling. */",
        "export interface RequestMethod<Params, Result> {",
        "  readonly method: string;",
        "  readonly types?: (params: Params) => Result;",
        "}",
        "",
        "/** Name and type of a notification. */",
        "export interface NotificationMethod<Params> {",
        "  readonly method: string;",
        "  readonly types?: (params: Params) => void;",
        "}",
        "",
    ]
    for model in collect_models():
        lines.extend(_interface(model))
    for method in METHODS:
        lines.extend(_method(method))
    return GeneratedFile(path=TYPESCRIPT, text="\n".join(lines).rstrip() + "\n")


def build_page() -> GeneratedFile:
    """Build the page that lists the methods and their fields."""
    lines = [
        "# Methods of our own",
        "",
        f"Generated by `{COMMAND}` from `server/pilotfish/wire`; do not edit. Protocol version: "
        f"{PROTOCOL_VERSION}.",
        "",
        "They ride on the same connection as the Language Server Protocol and the Agent Client",
        "Protocol, for what neither has a word for.",
        "",
        "| Method | Direction | Kind | Parameters | Result | Purpose |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    lines.extend(_table_row(method) for method in METHODS)
    for model in collect_models():
        lines.extend(_page_section(model))
    return GeneratedFile(path=PAGE, text="\n".join(lines).rstrip() + "\n")


def _table_row(method: Method) -> str:
    result = "" if method.result is None else _link(method.result)
    cells = (
        f"`{method.name}`",
        _direction(method).lower(),
        method.kind,
        _link(method.params),
        result,
        method.doc,
    )
    return f"| {' | '.join(cells)} |"


def _link(model: type[WireModel]) -> str:
    return f"[{model.__name__}](#{model.__name__.lower()})"


def _page_section(model: type[WireModel]) -> list[str]:
    docs = _docs_of_fields(model)
    lines = ["", f"## {model.__name__}", "", _summary(model)]
    if model.model_fields:
        lines.extend(["", "| Field | Type | Required | Meaning |", "| --- | --- | --- | --- |"])
    for name, field in model.model_fields.items():
        kind = to_typescript(field.annotation).replace("|", "\\|")
        required = "yes" if field.is_required() else "no"
        meaning = docs.get(name, "").replace("``", "`").replace("|", "\\|")
        lines.append(f"| `{field.alias or name}` | `{kind}` | {required} | {meaning} |")
    return lines


def main(arguments: list[str] | None = None) -> int:
    """Write the generated files, or compare them; return the exit code."""
    return generate(COMMAND, lambda: (build_typescript(), build_page()), arguments)


if __name__ == "__main__":
    sys.exit(main())
