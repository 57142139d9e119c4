"""Names that belong to a function, and those of the same name that do not."""

from collections.abc import AsyncGenerator, Mapping

import pytest
import pytest_asyncio

from tests.support.index_stage import IndexStage, place_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILES: Mapping[str, str] = {
    "a.py": "class Circle: ...\ndef title(): ...\ncount = 1\n",
    "b.py": (
        "from a import Circle, title, count\n\ndef f(a: Circle, b=count):\n    return g(title=title, x=count)\n\n"
        "def h():\n    if title in count: ...\n    g(\n        title=title,\n    )\n\n"
        "def i():\n    global count\n    count = 2\n"
    ),
    "c.py": (
        "def outer(title, x):\n    count, n = 3, 4\n    def inner():\n        return title, count, x.title\n\n"
        "class A:\n    title = 1\n    def m(self):\n        for n, count in self.title:\n            use(count)\n"
        "        return title\n"
    ),
    "g.go": "package g\n\ntype Shop struct{}\n\nvar total = 1\n",
    "h.go": (
        "package g\n\nfunc of(s Shop, n int) int {\n\ttotal = 2\n\treturn total\n}\n\n"
        "func no(total int) { total = 3 }\n\nfunc none() { total := 3; use(total) }\n"
    ),
    "v.js": "var sum = 1\n",
    "w.js": (
        "function f() { sum = 3; return sum }\nfunction g(sum) { return sum }\n"
        "function h() { const sum = 1; return sum }\n"
        "function i() { for (sum = 1; ;) use(sum) }\n"
    ),
    "k.c": "int amount = 1;\n",
    "l.c": (
        "void f() { amount = 2; }\nvoid g() { int amount = 2; use(amount); }\n"
        "int h(int amount) { return amount; }\n"
    ),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[IndexStage]:
    async with IndexStage.open(tmp_path_factory.mktemp("locals")) as opened:
        for name, text in FILES.items():
            opened.write(name, text)
        await opened.ready()
        yield opened


async def places(stage: IndexStage, kind: str, file: str, marked: str) -> list[str]:
    path = stage.root / file
    assert kind in {"definition", "references"}
    found = await stage.source.locate(
        "definition" if kind == "definition" else "references", path, place_of(path, marked)
    )
    assert found is not None
    return [f"{one.path.name}:{one.span.start.line + 1}" for one in found]


@pytest.mark.parametrize(
    ("file", "marked", "expected"),
    [
        ("b.py", "a: Cir|cle", "a.py:1"),
        ("b.py", "b=cou|nt", "a.py:3"),
        ("b.py", "=ti|tle, x", "a.py:2"),
        ("b.py", "x=cou|nt", "a.py:3"),
        ("b.py", "if ti|tle in", "a.py:2"),
        ("b.py", "=ti|tle,\n    )", "a.py:2"),
        ("c.py", "return ti|tle, count", "c.py:1"),
        ("c.py", "use(cou|nt)", "c.py:9"),
        ("h.go", "s Sh|op", "g.go:3"),
        ("h.go", "use(to|tal)", "h.go:10"),
    ],
)
async def test_a_name_is_a_function_s_own_where_that_binds_it(
    stage: IndexStage, file: str, marked: str, expected: str
) -> None:
    assert await places(stage, "definition", file, marked) == [expected]


@pytest.mark.parametrize(
    ("file", "marked", "expected"),
    [
        ("a.py", "def |title", ["a.py:2", "b.py:1", *["b.py:4"] * 2, "b.py:7", *["b.py:9"] * 2, "c.py:4", "c.py:9", "c.py:11"]),
        ("a.py", "|count", ["a.py:3", "b.py:1", "b.py:3", "b.py:4", "b.py:7", "b.py:13", "b.py:14"]),
        ("g.go", "var |total", ["g.go:5", "h.go:4", "h.go:5"]),
        ("v.js", "var |sum", ["v.js:1", *["w.js:1"] * 2, *["w.js:4"] * 2]),
        ("k.c", "int |amount", ["k.c:1", "l.c:1"]),
        ("c.py", "outer(|title", ["c.py:1", "c.py:4"]),
    ],
)  # fmt: skip
async def test_uses_of_a_name_are_not_those_of_a_function_s_own_one(
    stage: IndexStage, file: str, marked: str, expected: list[str]
) -> None:
    assert await places(stage, "references", file, marked) == expected
