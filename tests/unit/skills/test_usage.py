"""Skills that are used much and lately come first."""

from pathlib import Path

import pytest
from pilotfish.skills.usage import FILE_NAME, MAX_SKILLS, SkillUsage, Use

from tests.support.fake_clock import FakeClock

DAY_S = 24 * 60 * 60
DAY_MS = DAY_S * 1000


@pytest.mark.parametrize(
    ("count", "days", "score"),
    [(4, 0, 4.0), (4, 7, 2.0), (4, 14, 1.0), (4, 70, 0.4), (4, 7000, 0.4), (1, 0, 1.0)],
)
def test_the_score_halves_each_week_and_never_quite_goes(
    count: int, days: int, score: float
) -> None:
    use = Use(count=count, last_ms=5)
    assert use.score(5 + days * DAY_MS) == pytest.approx(score)
    assert use.score(0) == count, "clocks differ"


async def test_uses_within_a_minute_are_one_and_the_file_outlives_the_process(
    tmp_path: Path,
) -> None:
    clock = FakeClock()
    usage = SkillUsage(tmp_path, clock)
    for pause_s in (0, 30, 31, 120):
        clock.advance(pause_s)
        await usage.note("tdd")
    assert usage.score("tdd") == 3
    assert usage.score("review") == 0
    again = SkillUsage(tmp_path, clock)
    again.load()
    assert again.score("tdd") == 3


async def test_two_processes_count_together(tmp_path: Path) -> None:
    clock = FakeClock()
    one, other = SkillUsage(tmp_path, clock), SkillUsage(tmp_path, clock)
    await one.note("tdd")
    await other.note("tdd")
    assert other.score("tdd") == 1, "that is the same minute"
    clock.advance(61)
    await other.note("tdd")
    clock.advance(61)
    await one.note("tdd")
    assert one.score("tdd") == pytest.approx(3, rel=0.01)


async def test_a_broken_file_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text('{"skillUsage": ', encoding="utf-8")
    usage = SkillUsage(tmp_path, FakeClock())
    usage.load()
    await usage.note("tdd")
    assert usage.score("tdd") == 0
    assert (tmp_path / FILE_NAME).read_text(encoding="utf-8") == '{"skillUsage": '


async def test_entries_that_are_no_uses_are_left_out(tmp_path: Path) -> None:
    text = (
        '{"skillUsage": {"a": 1, "b": {"count": "2"}, "c": {"count": 2, "lastUsedMs": 0}}, "x": 1}'
    )
    (tmp_path / FILE_NAME).write_text(text, encoding="utf-8")
    usage = SkillUsage(tmp_path, FakeClock())
    usage.load()
    assert [usage.score(name) > 0 for name in "abc"] == [False, False, True]
    await usage.note("d")
    assert '"x": 1' in (tmp_path / FILE_NAME).read_text(encoding="utf-8"), "unknown keys stay"


async def test_no_more_than_so_many_are_remembered(tmp_path: Path) -> None:
    entries = ",".join(
        f'"s{number}": {{"count": 1, "lastUsedMs": {number}}}' for number in range(MAX_SKILLS)
    )
    (tmp_path / FILE_NAME).write_text(f'{{"skillUsage": {{{entries}}}}}', encoding="utf-8")
    usage = SkillUsage(tmp_path, FakeClock())
    await usage.note("new")
    usage.load()
    assert usage.score("new") == 1
    assert (usage.score("s0"), usage.score("s1") > 0) == (0, True)
