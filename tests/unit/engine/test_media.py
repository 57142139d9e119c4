"""What requests may hold of pictures and documents, for any history."""

from hypothesis import given
from hypothesis import strategies as st
from pilotfish.core.events import MediaDropped
from pilotfish.core.ids import ToolUseId
from pilotfish.core.messages import (
    DocumentBlock,
    ImageBlock,
    Message,
    TextBlock,
    ToolResultBlock,
    UserMessage,
)
from pilotfish.engine import media
from pilotfish.engine.media import media_to_keep, without_media

places = st.sampled_from(["prompt", "document", "result"])


def message(kind: str, index: int, size: int) -> Message:
    if kind == "document":
        return UserMessage(content=(DocumentBlock(name="a", data=_Sized(size)),))
    picture = ImageBlock(media_type="image/png", data=_Sized(size))
    if kind == "prompt":
        return UserMessage(content=(TextBlock(text="look"), picture))
    result = ToolResultBlock(tool_use_id=ToolUseId(str(index)), content=(picture,))
    return UserMessage(content=(result,))


class _Sized(str):
    """A text that says how long it is."""

    length: int

    def __new__(cls, length: int) -> "_Sized":
        made = super().__new__(cls, "x")
        made.length = length
        return made

    def __len__(self) -> int:
        return self.length


@given(st.lists(st.tuples(places, st.integers(1, 9_400_000)), max_size=120))
def test_what_is_kept_fits_and_is_the_latest(history: list[tuple[str, int]]) -> None:
    messages = [message(kind, index, size) for index, (kind, size) in enumerate(history)]
    kept = media_to_keep(messages)
    chars = sum(size for _, size in history)
    if kept is None:
        assert len(history) <= media.MAX_MEDIA
        assert chars <= media.MAX_MEDIA_CHARS
        return
    assert 0 < kept < len(history)
    shorter = without_media(messages, MediaDropped(why="too many", kept=kept))
    assert media_to_keep(shorter) is None
    assert shorter[-kept:] == messages[-kept:]
    assert all(one is two for one, two in zip(shorter[-kept:], messages[-kept:], strict=True))
    assert [len(one.content) for one in shorter] == [len(one.content) for one in messages]


def test_what_the_server_refused_goes_from_the_last_message_that_holds_any() -> None:
    first, last = message("prompt", 0, 5), message("result", 1, 5)
    words = UserMessage(content=(TextBlock(text="and?"),))
    shorter = without_media([first, last, words], MediaDropped(why="no picture"))
    assert shorter[0] is first
    assert shorter[2] is words
    [result] = shorter[1].content
    assert isinstance(result, ToolResultBlock)
    assert result.content == (TextBlock(text=media.MEDIA_REFUSED_TEXT.format(why="no picture")),)
