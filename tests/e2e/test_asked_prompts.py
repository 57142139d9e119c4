"""Prompts about code that the palette asks for, and the code that goes along with them, over the wire."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_code_prompts import actions, argument, between, configure, lenses
from tests.support.stage import Stage
from tests.support.waiting import until_answer
from tests.support.wire_client import Json, WireError

pytestmark = pytest.mark.asyncio(loop_scope="session")

CART = (
    "from prices import price_of\n\n\n"
    "class Cart:\n    def total(self):\n        return sum(price_of(one) for one in self.items)\n"
)
PRICES = "def price_of(item):\n    return item.cents / 100\n"
TILL = "from cart import Cart\n\n\ndef bill():\n    return Cart().total()\n"

EMPTY_CURSOR = between(4, 8, 4, 8)


def flat(where: Json) -> Json:
    start, end = where["start"], where["end"]
    return {
        "startLine": start["line"],
        "startCharacter": start["character"],
        "endLine": end["line"],
        "endCharacter": end["character"],
    }


async def ask(stage: Stage, what: str, path: Path, where: Json, *problems: Json) -> Json:
    params = {
        "what": what, "uri": path.as_uri(), "range": flat(where), "problems": list(problems)
    }  # fmt: skip
    return await stage.client.request("_pilotfish/code/prompt", params)


async def related(stage: Stage, path: Path, where: Json, **more: Any) -> Json:
    params = {"uri": path.as_uri(), "range": flat(where), **more}
    return await stage.client.request("_pilotfish/code/related", params)


def open_cart(stage: Stage) -> Path:
    path = stage.write("cart.py", CART)
    stage.editor.open(path)
    return path


async def test_the_symbol_at_the_cursor_gets_the_prompts_of_its_lenses(stage: Stage) -> None:
    path = open_cart(stage)
    configure(stage, codeLens={"enabled": True})
    await stage.client.settle()
    over_total = [
        argument(one)
        for one in await lenses(stage, path)
        if one["range"]["start"]["line"] == EMPTY_CURSOR["start"]["line"]
    ]
    tasks = ("ask", "edit", "explain", "document", "test")
    found = [await ask(stage, task, path, EMPTY_CURSOR) for task in tasks]
    assert [(one["prompt"], one["send"], one["inline"]) for one in found] == [
        (one["prompt"], one["send"], one["inline"]) for one in over_total
    ]
    assert found[0]["prompt"] == f"method `Cart.total`, lines 5-6 of {path}: "
    assert [one["range"] for one in found] == [flat(one["range"]) for one in over_total]


async def test_a_selection_gets_the_prompts_of_the_light_bulb(stage: Stage) -> None:
    path = open_cart(stage)
    selected = between(5, 0, 5, 20)
    light_bulb = [argument(one)["prompt"] for one in await actions(stage, path, selected)]
    tasks = ("ask", "edit", "explain", "document", "test")
    assert [(await ask(stage, task, path, selected))["prompt"] for task in tasks] == light_bulb
    assert light_bulb[2].startswith(f"Explain {path}:6 (in method `Cart.total`, lines 5-6): ")


async def test_a_fix_is_about_the_problems_at_the_cursor(stage: Stage) -> None:
    path = open_cart(stage)
    where = between(5, 19, 5, 27)
    base = (stage.project / "prices.py").as_uri()
    other = {"range": flat(between(0, 0, 0, 4)), "message": "unused", "source": "ruff"}
    problem = {
        "range": flat(where),
        "message": "Too many arguments",
        "source": "ty",
        "code": "call",
        "related": [{"uri": base, "line": 0, "message": "declared here"}],
    }
    found = await ask(stage, "fix", path, between(5, 0, 5, 0), other, problem)
    as_diagnostic = {
        "range": where,
        "message": "Too many arguments",
        "source": "ty",
        "code": "call",
        "relatedInformation": [
            {"location": {"uri": base, "range": between(0, 0, 0, 0)}, "message": "declared here"}
        ],
    }
    (fix,) = await actions(stage, path, between(5, 0, 5, 0), as_diagnostic)
    assert found["prompt"] == argument(fix)["prompt"]
    assert found["send"] is True
    # With none in its line, those of the method around the cursor.
    nearby = await ask(stage, "fix", path, EMPTY_CURSOR, other, problem)
    assert nearby["prompt"] == found["prompt"]


async def test_where_there_is_nothing_it_says_so(stage: Stage) -> None:
    path = open_cart(stage)
    nothing = await ask(stage, "explain", path, between(1, 0, 1, 0))
    assert nothing["prompt"] == ""
    assert nothing["problem"] == (
        "There is no function, class or other symbol at the cursor. Select the code that you mean."
    )
    problem = {"range": flat(between(0, 0, 0, 4)), "message": "unused"}
    no_fix = await ask(stage, "fix", path, EMPTY_CURSOR, problem)
    assert (no_fix["prompt"], no_fix["problem"]) == ("", "No problem is reported at the cursor.")
    with pytest.raises(WireError, match="what"):
        await ask(stage, "sing", path, EMPTY_CURSOR)


async def shop(stage: Stage) -> tuple[Path, Path, Path]:
    prices = stage.write("prices.py", PRICES)
    till = stage.write("till.py", TILL)
    cart = open_cart(stage)
    chat = await stage.chat()

    async def indexed() -> bool:
        found = await related(stage, cart, EMPTY_CURSOR, sessionId=chat.id)
        return "till.py" in found["text"] and "prices.py" in found["text"]

    await until_answer(indexed)
    return cart, prices, till


async def test_callers_and_what_is_called_go_along_with_their_lines(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        cart, prices, till = await shop(stage)
        (chat,) = stage.chats
        found = await related(stage, cart, EMPTY_CURSOR, sessionId=chat.id)
        assert found == {
            "name": "Cart.total",
            "text": (
                "Where `Cart.total` is used:\n"
                f"- {till}:5 (in function `bill`): return Cart().total()\n"
                "What `Cart.total` calls:\n"
                f"- {prices}:1 (function `price_of`): def price_of(item):"
            ),
        }
        # A class is not called like a function: where it is used counts.
        of_class = await related(stage, cart, between(3, 0, 3, 0), sessionId=chat.id)
        assert of_class["name"] == "Cart"
        assert f"- {till}:5: return Cart().total()" in of_class["text"]
        assert f"{cart}:4" not in of_class["text"]
        assert await related(stage, cart, between(1, 0, 1, 0)) == {"name": "", "text": ""}


async def test_what_may_not_be_read_does_not_go_along(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        cart, _, till = await shop(stage)
        stage.settings(deny=["Read(till.py)"])
        chat = await stage.chat()
        found = await related(stage, cart, EMPTY_CURSOR, sessionId=chat.id)
        assert "prices.py" in found["text"]
        assert till.name not in found["text"]


async def test_a_flood_of_callers_is_counted(tmp_path: Path) -> None:
    async with Stage.open(tmp_path) as stage:
        calls = "".join(f"def use{number}():\n    return price_of(1)\n" for number in range(12))
        stage.write("uses.py", "from prices import price_of\n" + calls)
        path = stage.write("prices.py", PRICES)
        stage.editor.open(path)
        chat = await stage.chat()

        async def indexed() -> bool:
            found = await related(stage, path, between(0, 5, 0, 5), sessionId=chat.id)
            return "uses.py" in found["text"]

        await until_answer(indexed)
        found = await related(stage, path, between(0, 5, 0, 5), sessionId=chat.id)
        lines = found["text"].splitlines()
        assert len(lines) == 10
        assert lines[-1] == "- and 4 more"
