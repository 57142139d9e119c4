"""What a prompt carries: words for everybody, attachments for the model."""

import pytest
from pilotfish.core.errors import SessionError
from pilotfish.core.messages import TextBlock
from pilotfish.edges.content import MAX_EMBEDDED_CHARS, parts_from_acp


def resource(text: str, uri: str = "file:///w/a%20b.py#L2-L4") -> dict[str, object]:
    return {"type": "resource", "resource": {"uri": uri, "text": text}}


def test_an_attachment_is_named_in_the_prompt_and_whole_for_the_model() -> None:
    parts = parts_from_acp([{"type": "text", "text": "Why?"}, resource("x = 1")])
    assert parts.content == [TextBlock(text="Why?"), TextBlock(text="@a b.py#L2-L4")]
    [context] = parts.context
    assert "file:///w/a%20b.py#L2-L4" in context
    assert "x = 1" in context


def test_an_attachment_that_the_words_call_by_a_name_is_told_with_it() -> None:
    held = {"uri": "pilotfish:problems", "text": "1 error", **_named("problems")}
    named = {"type": "resource", "resource": held}
    parts = parts_from_acp([{"type": "text", "text": "What of @problems?"}, named])
    assert parts.content == [TextBlock(text="What of @problems?")]
    assert parts.context == ["@problems is pilotfish:problems:\n```\n1 error\n```"]


def _named(name: str) -> dict[str, object]:
    return {"_meta": {"pilotfish": {"name": name}}}


def test_lone_surrogates_become_something_that_can_be_sent() -> None:
    [block] = parts_from_acp([{"type": "text", "text": "a\ud800b"}]).content
    assert block == TextBlock(text="a?b")


@pytest.mark.parametrize(
    "block",
    [
        {"type": "audio", "data": "", "mimeType": "audio/wav"},
        {"type": "image", "mimeType": "image/tiff", "data": ""},
        {"type": "resource", "resource": {"uri": "x", "blob": "AA=="}},
        resource("x" * (MAX_EMBEDDED_CHARS + 1)),
    ],
)
def test_what_cannot_be_used_is_named_with_its_place(block: dict[str, object]) -> None:
    with pytest.raises(SessionError, match=r"prompt\[1\]"):
        parts_from_acp([{"type": "text", "text": "x"}, block])


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ({"name": "a.py", "uri": "file:///w/a.py"}, "@a.py"),
        ({"uri": "file:///w/a%20b.py"}, "@a b.py"),
        ({"name": "[id].tsx", "uri": "file:///w/[id].tsx"}, "@[id].tsx"),
        ({"name": "[a](javascript:x)", "uri": "file:///w/a.py"}, "@[a] (javascript:x)"),
        ({"name": "a\n# b", "uri": "file:///w/a.py"}, "@a # b"),
        ({"uri": "https://example.org/[x](y)"}, "@[x] (y)"),
    ],
)
def test_a_link_is_plain_text_whatever_it_holds(link: dict[str, str], words: str) -> None:
    block = {"type": "resource_link", **link}
    parts = parts_from_acp([block])
    assert parts.content == [TextBlock(text=words)]
    assert [mention.uri for mention in parts.mentions] == [link["uri"]]
    assert parts.context == []
    assert parts_from_acp([block]) == parts
