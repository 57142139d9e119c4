"""Front matter as people write it, and as nobody should."""

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.definitions.front_matter import (
    MAX_DEPTH,
    MAX_EVENTS,
    MAX_HEADER_CHARS,
    FrontMatter,
    FrontMatterError,
    read_front_matter,
)


def read(text: str) -> FrontMatter:
    found = read_front_matter(text)
    assert found is not None
    return found


def texts(text: str) -> dict[str, str | None]:
    return {key: field.text for key, field in read(text).fields.items()}


def refusal(text: str) -> FrontMatterError:
    with pytest.raises(FrontMatterError) as caught:
        read_front_matter(text)
    return caught.value


def test_a_text_is_taken_apart() -> None:
    found = read("---\nname: reviewer\nmaxTurns: 3\n---\n\nReview.\n\n--- not an end\n\n")
    assert found.body == "Review.\n\n--- not an end"
    assert found.fields["name"].text == "reviewer"
    assert found.fields["maxturns"].value == 3
    assert found.fields["maxturns"].line == 3


@pytest.mark.parametrize(
    "text",
    ["", "# A page\n", "---\n\nA rule, then text.\n", "text\n---\na: b\n---\n", " ---\na: b\n---"],
)
def test_a_page_without_front_matter_is_none(text: str) -> None:
    assert read_front_matter(text) is None


def test_an_end_that_is_missing_is_said() -> None:
    error = refusal("---\nname: x\n\nText")
    assert "no end" in str(error)
    assert error.line == 1


@given(st.sampled_from(["", "\ufeff"]), st.sampled_from(["\n", "\r\n", "\r"]))
def test_a_byte_order_mark_and_line_ends_make_no_difference(mark: str, end: str) -> None:
    text = "---\nname: x\ndescription: a b\ntools:\n  - Read\n  - Grep\n---\nOne\n\nTwo\n"
    assert read(mark + text.replace("\n", end)) == read(text)


def test_text_stays_text() -> None:
    found = read("---\na: no\nb: 1.0\nc: 2024-01-02\nd: '7'\ne: ~\nf:\ng: 0x1F\nh: 12:30:00\n---\n")
    assert [field.text for field in found.fields.values()] == [
        "no", "1.0", "2024-01-02", "7", "~", "", "0x1F", "12:30:00",
    ]  # fmt: skip
    assert [field.value for field in found.fields.values()] == [
        False, 1.0, "2024-01-02", "7", None, None, "0x1F", "12:30:00",
    ]  # fmt: skip


def test_lists_and_mappings_keep_their_shape() -> None:
    found = read("---\ntools: [Read, no]\nhooks:\n  Stop:\n    - matcher: '*'\n      n: 3\n---\n")
    assert found.fields["tools"].items == ("Read", "no")
    assert found.fields["tools"].text is None
    assert found.fields["hooks"].value == {"Stop": [{"matcher": "*", "n": 3}]}
    assert read("---\na: [[1]]\n---\n").fields["a"].items is None


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("description: Use when: a, b: c", "Use when: a, b: c"),
        ("description: *bold* words", "*bold* words"),
        ("description: @someone does", "@someone does"),
        ('description: "quoted" and not', '"quoted" and not'),
        ("description: 100% sure: yes", "100% sure: yes"),
        ("description: it's here: 'x", "it's here: 'x"),
        ("description: `code` first", "`code` first"),
        ("description: !important: x", "!important: x"),
    ],
)
def test_what_people_write_although_it_is_no_yaml_is_read(line: str, text: str) -> None:
    found = read(f"---\nname: x\n{line}\ntools: Read, Grep\n---\nBody")
    assert found.fields["description"].text == text
    assert found.fields["description"].line == 3
    assert found.fields["tools"].text == "Read, Grep"
    assert found.fields["tools"].line == 4


def test_lines_that_go_on_with_a_mended_value_belong_to_it() -> None:
    found = read("---\ndescription: When: so\n  and - so\n\n  more: x\nname: 'a: b'\n---\n")
    assert found.fields["description"].text == "When: so\nand - so\n\nmore: x"
    assert found.fields["name"].text == "a: b"
    assert found.fields["name"].line == 6


def test_mending_leaves_lists_and_mappings_as_they_are() -> None:
    found = read("---\ndescription: a: b\ntools:\n  - Read\nhooks: {Stop: []}\n---\n")
    assert found.fields["tools"].items == ("Read",)
    assert found.fields["hooks"].value == {"Stop": []}


@pytest.mark.parametrize(
    ("header", "line", "what"),
    [
        ("a: b\na: c", 3, "twice"),
        ("max-turns: 1\nmaxTurns: 2", 3, "twice"),
        ("a:\n  b: 1\n  b: 2", 4, "twice"),
        ("- a\n- b", 2, "no list of"),
        ("just words", 2, "no list of"),
        ("? [a]\n: b", 2, "key"),
        ("a:\n  - &x b\n  - *x", 3, "references"),
        ("a:\n  - !!python/object/apply:os.system ['true']", 3, "tags"),
        ("a:\n  - !!binary aGk=", 3, "tags"),
        ("a: 1\n... \nb: 2", 4, "document"),
        ("a:\n\t- b", 3, "cannot start any token"),
        ("a: [b", 2, ""),
        ("a: \x00", 2, "control"),
        ("<<: {a: b}\n<<: {c: d}", 3, "twice"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(header: str, line: int, what: str) -> None:
    error = refusal(f"---\n{header}\n---\nBody")
    assert what in str(error)
    assert abs(error.line - line) <= 1
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    "header",
    [
        "[" * 60_000,
        "{" * 60_000,
        "- " * 30_000,
        "? " * 30_000,
        "a: " + "[1," * 20_000,
        "a:\n  - &a [" + ", ".join(["*a"] * 5_000) + "]",
        "a:\n" + "".join(f"  - &b{n} [*b{n - 1}, *b{n - 1}]\n" for n in range(1, 2_000)),
        "\n".join(f"k{n}: {n}" for n in range(MAX_EVENTS // 2 + 1)),
        "a: " + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
        "x" * (MAX_HEADER_CHARS + 1),
        "<<: " * 10_000,
        "a: b\n--- # second\nc: d",
    ],
)
def test_hostile_headers_are_refused_at_once(header: str) -> None:
    started = time.process_time()
    with pytest.raises(FrontMatterError):
        read_front_matter(f"---\n{header}\n---\nBody")
    # Generous: an explosion would take minutes.
    assert time.process_time() - started < 5


@pytest.mark.parametrize("value", ["&a [1, 2]", "*a", "!!python/name:os.system", "'open"])
def test_what_would_be_more_than_text_is_text(value: str) -> None:
    assert texts(f"---\na: {value}\n---\n") == {"a": value}


YAML_PARTS = st.sampled_from(
    ["a: b", "name: x", "- c", "  - d", "[", "]", "{", "}", "*x", "&x", "!!t", "|", ">-", "'", '"', "#",
     "? ", ": ", "---", "...", "\t", "<<: *x", "\r\n", "\n", "\x00", "\ufeff", "\ud800", "%YAML 9", "`", "@"]
)  # fmt: skip


@given(
    st.text() | st.lists(YAML_PARTS, max_size=40).map("\n".join) | st.lists(YAML_PARTS).map("".join)
)
def test_any_text_is_read_or_refused_with_a_line_of_its_own(text: str) -> None:
    for whole in (text, f"---\n{text}\n---\nBody"):
        last = whole.count("\n") + whole.count("\r") + 1
        assert all(1 <= line <= last for line in lines_told(whole))


def lines_told(text: str) -> list[int]:
    try:
        found = read_front_matter(text)
    except FrontMatterError as error:
        return [error.line]
    return [] if found is None else [field.line for field in found.fields.values()]


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{1,12}", fullmatch=True),
        st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), min_size=1),
        max_size=8,
    )
)
def test_quoted_texts_come_back_as_they_were(values: dict[str, str]) -> None:
    lines = [f"{key}: '{value.replace(chr(39), chr(39) * 2)}'" for key, value in values.items()]
    printable = all(value.isprintable() for value in values.values())
    header = "\n".join(lines)
    if not printable or not header:
        return
    assert texts(f"---\n{header}\n---\n") == values


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "max-turns", "yes", "No_1", "B"]),
            st.sampled_from([": ", ":  ", ":"]),
            st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E))
            | st.from_regex(
                r'"[ -~]{0,9}"|[a-z0-9]{1,3}[ :#,\[\]{}"-]{0,3}[a-z:]{0,3}', fullmatch=True
            )
            | st.sampled_from(
                ["yes", "null", "1.0", "12", "3:20", "a # b", "a: b", "a:", "a ", '"a\\n"']
            ),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_lines_that_need_no_yaml_library_mean_the_same_with_it(
    lines: list[tuple[str, str, str]],
) -> None:
    header = "\n".join("".join(line) for line in lines)
    # A comment is for the library alone.
    assert outcome(header, first_line=2) == outcome(f"# comment\n{header}", first_line=3)


def outcome(header: str, first_line: int) -> object:
    try:
        found = read_front_matter(f"---\n{header}\n---\n")
    except FrontMatterError as error:
        return str(error), error.line - first_line
    assert found is not None
    return [replace(field, line=field.line - first_line) for field in found.fields.values()]


@pytest.mark.parametrize(
    "header",
    [
        "a: b: c\ntools: [Read, no]\nhooks: {S: [1, yes, '1', ~]}",
        "a:\n  - *x",
        "[" * 9_000,
        "a: |\n  b\n",
    ],
)
def test_the_parser_without_c_says_the_same(header: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def read() -> object:
        try:
            return read_front_matter(f"---\n{header}\n---\nBody")
        except FrontMatterError as error:
            return error.line

    with_c = read()
    monkeypatch.delattr("yaml.CSafeLoader", raising=False)
    assert read() == with_c
