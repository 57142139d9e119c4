"""Scripts inside components and pages are part of the project: what they define and use is found."""

from pathlib import Path

import pytest

from tests.support.index_stage import IndexStage, place_of

GRIN = "\N{GRINNING FACE}"

PRICES = """export function total(prices: number[]): number {
  return prices.length;
}
"""

BASKET = f"""<script setup lang="ts">
import {{ total }} from "./prices";

const label = "{GRIN}"; function emptyBasket() {{
  return total([]);
}}
class Basket {{
  close() {{ emptyBasket(); }}
}}
</script>

<template>
  <p>{GRIN} {{{{ total([1]) }}}}</p><button @click="emptyBasket()" :title="label">no</button>
</template>
"""

SHELF = """<p>{total([2])}</p>
<button on:click={fillShelf}>fill</button>
<script>
  import { total } from "./prices";
  function fillShelf() {
    return total([3]);
  }
</script>
"""

PAGE = """---
import { total } from "./prices";
const pageTitle = () => "a";
---
<h1>{pageTitle()}</h1>
<p>{total([4])}</p>
"""

HELPER = """def shown_price(price)
  price.to_s
end
"""

VIEW = f"""<p>{GRIN} <%= shown_price(1) %></p>
<script>function openView() {{ return 1; }}</script>
"""

LETTER = f"""<p>{GRIN} <%= total([5]) %></p>
<script>function openLetter() {{ return 1; }}</script>
"""

LIST = f"""<p>{GRIN} <?= listed(1) ?></p>
<script>function openList() {{ return 1; }}</script>
<?php function listed($one) {{ return $one; }}
"""


@pytest.fixture
async def stage(tmp_path: Path):  # noqa: ANN201 - a fixture
    async with IndexStage.open(tmp_path) as opened:
        opened.write("prices.ts", PRICES)
        opened.write("Basket.vue", BASKET)
        opened.write("Shelf.svelte", SHELF)
        opened.write("page.astro", PAGE)
        opened.write("helper.rb", HELPER)
        opened.write("view.html.erb", VIEW)
        opened.write("letter.ejs", LETTER)
        opened.write("list.php", LIST)
        await opened.ready()
        yield opened


@pytest.mark.parametrize(
    ("name", "file", "line", "character"),
    [
        ("emptyBasket", "Basket.vue", 4, 29),
        ("Basket", "Basket.vue", 7, 6),
        ("close", "Basket.vue", 8, 2),
        ("fillShelf", "Shelf.svelte", 5, 11),
        ("pageTitle", "page.astro", 3, 6),
        ("openView", "view.html.erb", 2, 17),
        ("openLetter", "letter.ejs", 2, 17),
        ("openList", "list.php", 2, 17),
        ("listed", "list.php", 3, 15),
    ],
)
async def test_what_a_script_defines_is_found_in_the_project(
    stage: IndexStage, name: str, file: str, line: int, character: int
) -> None:
    found = await stage.symbols(name)
    places = [
        (one.path.name, one.name_span.start.line + 1, one.name_span.start.character)
        for one in found
        if one.name == name
    ]
    assert places == [(file, line, character)]


async def test_what_is_in_a_class_of_a_script_knows_its_class(stage: IndexStage) -> None:
    found = await stage.symbols("close")
    assert [(one.name, one.container) for one in found if one.name == "close"] == [
        ("close", "Basket")
    ]


@pytest.mark.parametrize(
    ("file", "marked", "expected"),
    [
        ("Basket.vue", "return tot|al([])", ("prices.ts", 1, 16)),
        ("Basket.vue", "tot|al([1])", ("prices.ts", 1, 16)),
        ("Basket.vue", '@click="empty|Basket()"', ("Basket.vue", 4, 29)),
        ("Basket.vue", ':title="lab|el"', ("Basket.vue", 4, 6)),
        ("Shelf.svelte", "on:click={fill|Shelf}", ("Shelf.svelte", 5, 11)),
        ("page.astro", "{page|Title()}", ("page.astro", 3, 6)),
        ("view.html.erb", "shown|_price(1)", ("helper.rb", 1, 4)),
        ("letter.ejs", "to|tal([5])", ("prices.ts", 1, 16)),
        ("list.php", "lis|ted(1)", ("list.php", 3, 15)),
    ],
)
async def test_definitions_lead_into_and_out_of_scripts(
    stage: IndexStage, file: str, marked: str, expected: tuple[str, int, int]
) -> None:
    path = stage.root / file
    found = await stage.source.locate("definition", path, place_of(path, marked))
    assert found is not None
    assert [
        (one.path.name, one.span.start.line + 1, one.span.start.character) for one in found
    ] == [expected]


async def test_uses_in_scripts_and_templates_are_found(stage: IndexStage) -> None:
    path = stage.root / "prices.ts"
    found = await stage.source.locate("references", path, place_of(path, "function tot|al"))
    assert found is not None
    assert sorted(
        (one.path.name, one.span.start.line + 1, one.span.start.character) for one in found
    ) == [
        ("Basket.vue", 2, 9),
        ("Basket.vue", 5, 9),
        ("Basket.vue", 13, 11),
        ("Shelf.svelte", 1, 4),
        ("Shelf.svelte", 4, 11),
        ("Shelf.svelte", 6, 11),
        ("letter.ejs", 1, 10),
        ("page.astro", 2, 9),
        ("page.astro", 6, 4),
        ("prices.ts", 1, 16),
    ]
