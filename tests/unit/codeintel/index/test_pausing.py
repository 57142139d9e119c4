"""An index whose making was stopped."""

from pathlib import Path

from tests.support.index_stage import IndexStage
from tests.support.waiting import until


async def test_a_stop_lasts_until_somebody_else_comes_to_work_there(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        stage.write("a.py", "def first(): ...\n")
        index = await stage.ready()
        stage.hub.pause(stage.root)
        stage.write("b.py", "def second(): ...\n")
        await stage.hub.add(
            stage.root, "test"
        )  # the same again, as when its settings are read anew
        assert await stage.names("") == ["first"]
        assert index.state.phase == "off"
        await stage.hub.add(stage.root, "a new chat")
        await stage.until_names(lambda names: names == ["first", "second"])
        await until(lambda: index.state.phase == "ready")
        stage.write("c.py", "def third(): ...\n")
        await stage.until_names(lambda names: names == ["first", "second", "third"])
