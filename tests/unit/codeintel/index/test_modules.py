"""What imports of JavaScript and its kin lead to: aliases, ``require``, what is exported inside of calls."""

from collections.abc import AsyncGenerator, Mapping

import pytest
import pytest_asyncio

from tests.support.index_stage import IndexStage, place_of

pytestmark = pytest.mark.asyncio(loop_scope="module")

CARD = "// It is a card.\nfunction Card() {}\n"

FILES: Mapping[str, str] = {
    "web/tsconfig.json": (
        '{\n  // As in an editor.\n  "compilerOptions": {\n    "paths": {"@/*": ["./gen/*", "./src/*"],},\n  },\n}\n'
    ),
    "web/src/card.ts": CARD + "export default Card;\nexport const far = 1;\n",
    "web/src/other/card.ts": CARD + "export default Card;\n",
    "web/src/use.ts": (
        "import C from '@/card';\nimport Part, { far } from '@/other/card';\nimport React from 'react';\n"
        "C(); Part(); React.x; far;\n"
    ),
    "web/far.ts": "export const far = 2;\n",
    "old/jsconfig.json": '{"compilerOptions": {"baseUrl": "lib"}}',
    "old/lib/card.js": CARD + "export default Card;\n",
    "old/use.js": "import C from 'card';\nC();\n",
    "wrap/memo.tsx": CARD + "export default React.memo(Card);\n",
    "wrap/twice.tsx": CARD + "export default memo<Props>(\n  forwardRef(Card),\n  same,\n);\n",
    "wrap/curried.tsx": CARD + "export default connect(state(1), rest)(Card);\n",
    "wrap/place.tsx": "const é = 1;\nexport default forwardRef(function Card(props) {});\n",
    "wrap/none.tsx": "export default make({ a: 1 });\n",
    "wrap/use.tsx": (
        "import A from './memo';\nimport B from './twice';\nimport C from './curried';\n"
        "import D from './place';\nimport E from './none';\n<A/>; <B/>; <C/>; <D/>; E();\n"
    ),
    "node/all.js": CARD + "module.exports = Card;\n",
    "node/made.js": "\nmodule.exports = function () {};\n",
    "node/named.js": "\nmodule.exports = class Named {};\n",
    "node/parts.js": CARD
    + "const two = 2;\nexports.three = () => 3;\nmodule.exports = { Card, two };\n",
    "node/on.js": "module.exports = require('./parts');\n",
    "node/esm.js": CARD + "export default Card;\n",
    "node/deep/index.js": CARD + "module.exports = wrap(Card);\n",
    "node/use.js": (
        "const all = require('./all');\nconst made = require('./made.js'), named = require('./named');\n"
        "const { Card, two: second,\n  three } = require('./on');\nconst one = require('./parts').two;\n"
        "const { default: esm } = require('./esm');\nconst deep = require('./deep');\n"
        "const fs = require('fs');\nconst none = require('./none');\n"
        "all(); made(); named(); Card(); second(); three(); one(); esm(); deep(); fs(); none();\n"
        "function inside() {\n  const it = require('./all');\n  it();\n}\n"
    ),
    "node/import.mjs": "import all from './all.js';\nall();\n",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[IndexStage]:
    async with IndexStage.open(tmp_path_factory.mktemp("modules")) as opened:
        for name, text in FILES.items():
            opened.write(name, text)
        await opened.ready()
        yield opened


@pytest.mark.parametrize(
    ("file", "marked", "expected"),
    [
        ("web/src/use.ts", "|C();", "web/src/card.ts:2"),
        ("web/src/use.ts", "|Part();", "web/src/other/card.ts:2"),
        ("web/src/use.ts", " |far;", "web/far.ts:1"),
        ("old/use.js", "|C();", "old/lib/card.js:2"),
        ("wrap/use.tsx", "<|A/>", "wrap/memo.tsx:2"),
        ("wrap/use.tsx", "<|B/>", "wrap/twice.tsx:2"),
        ("wrap/use.tsx", "<|C/>", "wrap/curried.tsx:2"),
        ("wrap/use.tsx", "<|D/>", "wrap/place.tsx:2"),
        ("wrap/use.tsx", "|E();", "wrap/none.tsx:1"),
        ("node/use.js", "|all();", "node/all.js:2"),
        ("node/use.js", "const |all =", "node/all.js:2"),
        ("node/use.js", "|made();", "node/made.js:2"),
        ("node/use.js", "|named();", "node/named.js:2"),
        ("node/use.js", "|Card();", "node/parts.js:2"),
        ("node/use.js", "|second();", "node/parts.js:3"),
        ("node/use.js", "|three();", "node/parts.js:4"),
        ("node/use.js", " |one();", "node/parts.js:3"),
        ("node/use.js", "|esm();", "node/esm.js:2"),
        ("node/use.js", "|deep();", "node/deep/index.js:2"),
        ("node/use.js", "|fs();", "node/use.js:8"),
        ("node/use.js", "|none();", "node/use.js:9"),
        ("node/use.js", " |it();", "node/all.js:2"),
        ("node/import.mjs", "|all();", "node/all.js:2"),
    ],
)
async def test_a_name_leads_to_what_its_module_exports(
    stage: IndexStage, file: str, marked: str, expected: str
) -> None:
    path = stage.root / file
    found = await stage.source.locate("definition", path, place_of(path, marked))
    assert found is not None
    assert [
        f"{one.path.relative_to(stage.root).as_posix()}:{one.span.start.line + 1}" for one in found
    ] == [expected]


async def test_uses_of_what_was_required_are_told_with_both_its_places(stage: IndexStage) -> None:
    path = stage.root / "node/use.js"
    found = await stage.source.locate("references", path, place_of(path, "|made();"))
    assert found is not None
    assert [(one.path.name, one.span.start.line + 1) for one in found] == [
        ("use.js", 2),
        ("use.js", 10),
        ("made.js", 2),
    ]
