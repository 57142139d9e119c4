"""Which of several things with one name is meant, in projects of many languages, worked out by hand.

Each case has names that are there twice, so that a right answer is no accident.
"""

from collections.abc import AsyncGenerator, Mapping
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.index_stage import IndexStage, place_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILES: Mapping[str, str] = {
    "py/pkg/__init__.py": "from .shapes import Circle as Round\n",
    "py/pkg/shapes.py": (
        "class Circle:\n    def area(self): ...\n\n\ndef measure(shape):\n    return shape.area()\n"
    ),
    "py/others.py": "class Circle:\n    def area(self): ...\n\n\ndef measure(): ...\n",
    "py/use.py": (
        "import others\nfrom pkg import Round\nfrom pkg.shapes import (\n    Circle,\n    measure,\n)\n"
        "import pkg.shapes as sh\n\nmade = Round()\nother = Circle()\nnumber = measure(1)\n"
        "far = sh.measure(2)\nnear = others.measure()\n"
    ),
    "ts/lib/a.ts": "export function helper(n: number) { return n }\n",
    "ts/lib/b.ts": "export function helper(n: string) { return n }\n",
    "ts/use.ts": (
        "import {\n  helper,\n} from './lib/a.js';\nimport * as b from './lib/b';\n"
        "const one = helper(1), two = b.helper('');\n"
    ),
    "ts/parts/index.ts": "export { default } from './made';\n// export default other\n",
    "ts/parts/made.ts": "const x = 1;\nfunction made() {\n  switch (x) { default: return 'é as default' }\n}\n\nexport { x, made as default };\n",
    "ts/parts/plain.tsx": "class Plain {}\nexport default Plain; // as it is\n",
    "ts/parts/none.mts": "export default () => 1\n",
    "ts/parts/wrapped.ts": "// It is wrapped.\nconst inner = () => 1;\nexport default memo(inner);\n",
    "ts/parts/direct.js": "export default async function draw() {}\n",
    "ts/parts/View.vue": "<template/>\n<script>\nexport default { name: 'x' }\n</script>\n",
    "ts/parts/named.ts": "export const other = 1, draw2 = 2;\n",
    "ts/defaults.ts": (
        "import draw2, {\n  other,\n} from './parts/direct';\nimport type P from './parts/plain.js';\n"
        "import { default as N } from './parts/none.mjs';\nimport W from './parts/wrapped';\n"
        "import View from './parts/View.vue';\nimport M, * as all from './parts';\n"
        "import far from '../../outside';\nimport inner from './parts/wrapped';\n"
        "draw2();\nconst p: P = N();\nW(); M(); View.x; far(); p.draw2; inner();\n"
    ),
    "go/shape.go": "package g\n\ntype Sq struct{}\n\nfunc (s Sq) Area() int { return 1 }\n",
    "go/use.go": "package g\n\nfunc Area() int { return 2 }\n\nfunc use(s Sq) int { return s.Area() }\n",
    "go/kind.go": "package g\n\ntype Kind int\n\ntype Base struct{}\n",
    "go/shop.go": (
        "package g\n\ntype Shop struct {\n\t*Base\n\tKind Kind\n\tin struct{ Base }\n}\n\n"
        "type Other struct{ Kind }\n\nfunc of(s Shop) Kind { return s.Kind }\n"
    ),
    "go/far/use.go": "package far\n\nvar made g.Base\n",
    "ts/parts/field.ts": "class Kind {}\nclass Box { Kind: Kind; of(): Kind { return this.Kind } }\n",
    "cpp/box.hpp": "namespace geo {\nclass Box { public: Box(int w); int area() const; };\n}\n",
    "cpp/box.cpp": (
        '#include "box.hpp"\ngeo::Box::Box(int w) {}\nint geo::Box::area() const { return 1; }\n'
        "int main() { geo::Box made(1); return made.area(); }\n"
    ),
    "rs/lib.rs": "pub struct Sq;\nimpl Sq { pub fn of() -> Sq { Sq } }\npub fn of() {}\n",
    "rs/use.rs": "fn main() { let q = Sq::of(); }\n",
    "java/Sq.java": "class Sq { double area() { return 1; } }\n",
    "java/Use.java": "import java.Sq;\nclass Use { double x = new Sq().area(); }\n",
    "scala/Sq.scala": "class Sq { def area = 1 }\n",
    "scala/use.scala": "import scala.{Sq => Renamed}\nobject Use { val made = new Renamed() }\n",
    "rb/deep.rb": "class Outer::Deep\n  def self.made; end\nend\nclass Deep2; def self.made; end; end\n",
    "rb/use.rb": "Outer::Deep.made\n",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[IndexStage]:
    async with IndexStage.open(tmp_path_factory.mktemp("many")) as opened:
        for name, text in FILES.items():
            opened.write(name, text)
        await opened.ready()
        yield opened


@pytest.mark.parametrize(
    ("file", "marked", "expected"),
    [
        ("py/use.py", "made = Ro|und()", ["py/pkg/shapes.py:1"]),
        ("py/use.py", "other = Cir|cle()", ["py/pkg/shapes.py:1"]),
        ("py/use.py", "number = mea|sure(1)", ["py/pkg/shapes.py:5"]),
        ("py/use.py", "far = sh.mea|sure(2)", ["py/pkg/shapes.py:5"]),
        ("py/use.py", "near = others.mea|sure()", ["py/others.py:5"]),
        ("py/pkg/shapes.py", "return shape.ar|ea()", ["py/pkg/shapes.py:2"]),
        ("ts/use.ts", "one = hel|per(1)", ["ts/lib/a.ts:1"]),
        ("ts/use.ts", "two = b.hel|per('')", ["ts/lib/b.ts:1"]),
        ("ts/defaults.ts", "draw|2();", ["ts/parts/direct.js:1"]),
        ("ts/defaults.ts", "p: |P =", ["ts/parts/plain.tsx:1"]),
        ("ts/defaults.ts", "= |N()", ["ts/parts/none.mts:1"]),
        ("ts/defaults.ts", "|W();", ["ts/parts/wrapped.ts:2"]),
        ("ts/defaults.ts", "|M();", ["ts/parts/made.ts:2"]),
        ("ts/defaults.ts", "Vi|ew.x", ["ts/parts/View.vue:1"]),
        ("ts/defaults.ts", "fa|r();", []),
        ("ts/defaults.ts", "p.dra|w2", ["ts/parts/named.ts:1"]),
        ("ts/defaults.ts", "inn|er();", ["ts/parts/wrapped.ts:2"]),
        ("go/use.go", "return s.Ar|ea()", ["go/shape.go:5"]),
        ("go/shop.go", "*Ba|se", ["go/kind.go:5"]),
        ("go/shop.go", "in struct{ Ba|se }", ["go/kind.go:5"]),
        ("go/shop.go", "Kind |Kind", ["go/kind.go:3"]),
        ("go/shop.go", "Ki|nd Kind", ["go/shop.go:5"]),
        ("go/shop.go", "Other struct{ Ki|nd }", ["go/kind.go:3"]),
        ("go/shop.go", "(s Shop) Ki|nd", ["go/kind.go:3"]),
        ("go/far/use.go", "made g.Ba|se", ["go/kind.go:5"]),
        ("ts/parts/field.ts", "Kind: Ki|nd;", ["ts/parts/field.ts:1"]),
        ("ts/parts/field.ts", "this.Ki|nd", ["ts/parts/field.ts:2"]),
        ("cpp/box.cpp", "{ geo::Bo|x made(1)", ["cpp/box.hpp:2"]),
        ("cpp/box.cpp", "return made.ar|ea()", ["cpp/box.cpp:3", "cpp/box.hpp:2"]),
        ("rs/use.rs", "Sq::o|f()", ["rs/lib.rs:2"]),
        ("java/Use.java", "new Sq().ar|ea()", ["java/Sq.java:1"]),
        ("scala/use.scala", "new Rena|med()", ["scala/Sq.scala:1"]),
        ("rb/use.rb", "Deep.ma|de", ["rb/deep.rb:2"]),
    ],
)
async def test_a_use_leads_to_what_is_meant(
    stage: IndexStage, file: str, marked: str, expected: list[str]
) -> None:
    path = stage.root / file
    found = await stage.source.locate("definition", path, place_of(path, marked))
    assert found is not None
    assert [_described(stage.root, one.path, one.span.start.line) for one in found] == expected


async def test_a_symbol_tells_what_the_code_says_it_belongs_to(stage: IndexStage) -> None:
    found = [one.container for one in await stage.symbols("Area") if one.path.name == "shape.go"]
    assert found == ["Sq"]


def _described(root: Path, path: Path, line: int) -> str:
    return f"{path.relative_to(root).as_posix()}:{line + 1}"
