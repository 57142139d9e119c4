"""What ripgrep writes, read line by line."""

from pathlib import Path

from pilotfish.workspace.search_output import Hit, Hits, parse_hits

FOLDER = Path("/f")
OUTPUT = b"./b\x0012:two\r\n./b\x0013-\xff\n--\n./b\x0040:forty\nno record\n./a\x001:first\n"


def read(hits: Hits) -> list[tuple[str, int, str, bool, bool]]:
    return [(hit.path.name, hit.line, hit.text, hit.is_match, hit.starts_group) for hit in hits]


def test_lines_are_sorted_by_file_and_keep_their_order_in_it() -> None:
    hits = parse_hits(OUTPUT, FOLDER)
    assert read(hits) == [
        ("a", 1, "first", True, False),
        ("b", 12, "two", True, False),
        ("b", 13, "\N{REPLACEMENT CHARACTER}", False, False),
        ("b", 40, "forty", True, True),
    ]
    assert (len(hits), hits.gaps, hits.paths) == (4, 1, (FOLDER / "a", FOLDER / "b"))


def test_each_line_and_each_stretch_can_be_had_by_its_place() -> None:
    hits = parse_hits(OUTPUT, FOLDER)
    everything = list(hits)
    assert [hits[place] for place in range(4)] == everything
    assert hits[-1] == everything[-1]
    for start in range(5):
        assert hits[start:] == everything[start:]
        assert hits[:start] == everything[:start]


def test_files_can_be_left_out() -> None:
    hits = parse_hits(OUTPUT, FOLDER)
    assert list(hits.without({FOLDER / "b"})) == [
        Hit(path=FOLDER / "a", line=1, text="first", is_match=True)
    ]
    assert not hits.without(set(hits.paths))


def test_records_of_a_file_that_come_in_parts_stand_together() -> None:
    hits = parse_hits(b"a\x001:x\nb\x001:y\na\x002:z\n", FOLDER)
    assert [(hit.path.name, hit.line) for hit in hits] == [("a", 1), ("a", 2), ("b", 1)]
