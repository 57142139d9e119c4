"""What an editor hears about languages within languages, through the real server.

The expected results are written from the texts by hand: lines from 1, columns in UTF-16 units from 0.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.stage import Stage, all_text, environment
from tests.support.wire_client import WireClient
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

GRIN = "\N{GRINNING FACE}"

VUE = f"""<script setup lang="ts">
/* {GRIN} */ function fill(count: number) {{
  const made = () => {{
    return count;
  }};
  return made;
}}
</script>
<template>
  <p>{{{{ fill(1) }}}}</p>
</template>
"""
SVELTE = f"""<script>
  /* {GRIN} */ class Shelf {{
    fill() {{
      return 1;
    }}
  }}
</script>
<p>{{new Shelf().fill()}}</p>
"""
ASTRO = f"""---
/* {GRIN} */ function title() {{
  return "a";
}}
if (!title()) return;
---
<h1>{{title()}}</h1>
"""
YAML_FRONT = f"""---
title: "{GRIN}"
tags:
  - a
  - b
---

# A

Text.
"""
TOML_FRONT = f"""+++
title = "{GRIN}"
tags = [
  "a",
]
+++

# A

Text.
"""
PHP = f"""<?php $name = "{GRIN}"; ?>
<ul class="<?= $name ?>">
<?php foreach ($all as $one) {{ ?>
  <li>{GRIN} <?= $one ?></li>
<?php }} ?>
</ul>
<script>
/* {GRIN} */ function fill(count) {{
  return 1;
}}
</script>
<script>const all = <?= json_encode($all) ?>;</script>
<style>
p {{
  color: red;
}}
</style>
"""
ERB = f"""<%# {GRIN} -%>
<ul class="<%= names %>">
<% @all.each do |one| %>
  <li>{GRIN} <%= one.name -%></li>
<% end %>
</ul>
<script>
/* {GRIN} */ function fill(count) {{
  return 1;
}}
</script>
"""
EJS = f"""<%# {GRIN} -%>
<ul class="<%= names %>">
<% for (const one of all) {{ %>
  <li>{GRIN} <%= one.name -%></li>
<% }} %>
</ul>
<script>
/* {GRIN} */ function fill(count) {{
  return 1;
}}
</script>
"""


class Opened:
    """An open document of a real server."""

    def __init__(self, client: WireClient, path: Path, language: str) -> None:
        self._client = client
        self._document: dict[str, Any] = {"uri": path.as_uri()}
        self._language = language
        self._version = 0

    def show(self, text: str) -> None:
        """Open the document, or change all of it."""
        self._version += 1
        document = self._document | {"version": self._version}
        if self._version == 1:
            document |= {"languageId": self._language, "text": text}
            self._client.notify("textDocument/didOpen", {"textDocument": document})
            return
        changed = {"textDocument": document, "contentChanges": [{"text": text}]}
        self._client.notify("textDocument/didChange", changed)

    async def ask(self, method: str) -> Any:
        """Ask about the document."""
        return await self._client.request(method, {"textDocument": self._document})

    async def problems(self) -> list[tuple[int, int, int]]:
        """Return line and columns of what does not parse."""
        found = (await self.ask("textDocument/diagnostic"))["items"]
        spans = [each["range"] for each in found]
        return [
            (one["start"]["line"] + 1, one["start"]["character"], one["end"]["character"])
            for one in spans
        ]

    async def names(self) -> list[tuple[str, int, int]]:
        """Return the symbols with line and column of where they are."""
        found = await self.ask("textDocument/documentSymbol")
        starts = [one["location"]["range"]["start"] for one in found]
        return [
            (one["name"], start["line"] + 1, start["character"])
            for one, start in zip(found, starts, strict=True)
        ]

    async def folds(self) -> set[tuple[int, int]]:
        """Return first and last line of what folds."""
        found = await self.ask("textDocument/foldingRange")
        return {(one["startLine"] + 1, one["endLine"] + 1) for one in found}


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def client(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[WireClient]:
    root = tmp_path_factory.mktemp("embedded")
    started = await WireClient.start(environment(root / "home"), cwd=root)
    await started.initialize(root)
    # The first answer comes once all is loaded, which a busy machine takes long for.
    _, first = started.send_request("workspace/symbol", {"query": "anything"})
    await asyncio.wait_for(first, 120)
    yield started
    assert await started.stop() == 0


DOCUMENTS = [
    pytest.param("a.vue", VUE, ("count;", "(;"), (4, 11, 12), id="vue"),
    pytest.param("a.svelte", SVELTE, ("return 1;", "let a = ;"), (4, 12, 13), id="svelte"),
    pytest.param("a.astro", ASTRO, ('return "a";', "let a = ;"), (3, 8, 9), id="astro"),
    pytest.param("a.php", PHP, ("return 1;", "let a = ;"), (9, 8, 9), id="php, script"),
    pytest.param("b.php", PHP, ("color: red;", "color red"), (15, 2, 11), id="php, style"),
    pytest.param("a.erb", ERB, ("return 1;", "let a = ;"), (9, 8, 9), id="erb, script"),
    pytest.param("b.erb", ERB, ("one.name", "one.name)"), (4, 21, 26), id="erb, code"),
    pytest.param("a.ejs", EJS, ("return 1;", "let a = ;"), (9, 8, 9), id="ejs, script"),
    pytest.param("b.ejs", EJS, ("one.name", "one.)"), (4, 16, 18), id="ejs, code"),
    pytest.param("yaml.md", YAML_FRONT, ("  - b", "  b: ["), (4, 2, 5), id="yaml front matter"),
    pytest.param("toml.md", TOML_FRONT, ('"a",', "a b"), (4, 2, 5), id="toml front matter"),
]


@pytest.mark.parametrize(("name", "text", "broken", "place"), DOCUMENTS)
async def test_what_does_not_parse_within_is_told(
    client: WireClient,
    tmp_path: Path,
    name: str,
    text: str,
    broken: tuple[str, str],
    place: tuple[int, int, int],
) -> None:
    document = Opened(client, tmp_path / name, name.rpartition(".")[2])
    document.show(text)
    assert await document.problems() == []
    document.show(text.replace(*broken))
    assert place in await document.problems()
    document.show(text)
    assert await document.problems() == []


async def test_an_expression_or_an_example_is_not_judged(
    client: WireClient, tmp_path: Path
) -> None:
    page = Opened(client, tmp_path / "b.vue", "vue")
    page.show('<template><p :a="(" @click="a; b">{{ ... }}</p></template>\n')
    assert await page.problems() == []
    text = Opened(client, tmp_path / "b.md", "markdown")
    text.show("# A\n\n```python\ndef f(...\n```\n")
    assert await text.problems() == []


@pytest.mark.parametrize(
    ("name", "text", "names", "folds"),
    [
        pytest.param("a.vue", VUE, [("fill", 2, 9), ("made", 3, 2)], {(2, 6), (3, 4)}, id="vue"),
        pytest.param(
            "a.svelte", SVELTE, [("Shelf", 2, 11), ("fill", 3, 4)], {(2, 5), (3, 4)}, id="svelte"
        ),
        pytest.param("a.astro", ASTRO, [("title", 2, 9)], {(2, 3)}, id="astro"),
        pytest.param(
            "a.php",
            PHP,
            [("fill", 8, 9), ("all", 12, 8)],
            {(2, 5), (3, 4), (8, 9), (14, 15)},
            id="php",
        ),
        pytest.param("a.erb", ERB, [("fill", 8, 9)], {(2, 5), (3, 4), (8, 9)}, id="erb"),
        pytest.param("a.ejs", EJS, [("fill", 8, 9)], {(2, 5), (3, 4), (8, 9)}, id="ejs"),
        pytest.param(
            "yaml.md",
            YAML_FRONT,
            [("title", 2, 0), ("tags", 3, 0), ("A", 8, 0)],
            {(3, 5)},
            id="yaml front matter",
        ),
        pytest.param(
            "toml.md",
            TOML_FRONT,
            [("title", 2, 0), ("tags", 3, 0), ("A", 8, 0)],
            {(3, 4)},
            id="toml front matter",
        ),
    ],
)
async def test_scripts_within_are_outlined_and_fold(
    client: WireClient,
    tmp_path: Path,
    name: str,
    text: str,
    names: list[tuple[str, int, int]],
    folds: set[tuple[int, int]],
) -> None:
    document = Opened(client, tmp_path / name, name.rpartition(".")[2])
    document.show(text)
    assert await document.names() == names
    assert folds <= await document.folds()


@pytest.mark.parametrize(
    ("name", "text", "broken", "told"),
    [
        pytest.param("a.vue", VUE, ("count;", "(;"), "4:12", id="vue"),
        pytest.param("a.erb", ERB, ("one.name", "one.name)"), "4:21", id="erb"),
        pytest.param("a.php", PHP, ("return 1;", "let a = ;"), "9:9", id="php"),
    ],
)
async def test_the_model_hears_what_its_edit_broke_within(
    stage: Stage, name: str, text: str, broken: tuple[str, str], told: str
) -> None:
    stage.write(name, text)
    old, new = broken
    read = ToolUse("Read", {"file_path": name})
    edit = ToolUse("Edit", {"file_path": name, "old_string": old, "new_string": new})
    back = ToolUse("Edit", {"file_path": name, "old_string": new, "new_string": old})
    stage.play([Turn([read]), Turn([edit]), Turn([back]), "Mended."])
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Edit it") == "end_turn"
    assert f"{name}:{told}: syntax error" in all_text(stage.body(-2))
    assert f"{name}: 1 fixed, none left" in all_text(stage.body(-1))
