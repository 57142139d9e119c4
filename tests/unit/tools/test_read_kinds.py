"""Read on pictures and PDF documents."""

import base64
import io
import os
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from PIL import Image
from pilotfish.core.messages import ImageBlock
from pilotfish.tools import read_kinds
from pilotfish.tools.read import ReadTool
from pilotfish.workspace.pictures import MAX_EDGE, MAX_TOKENS, fit_picture, token_estimate

from tests.support.documents import pdf
from tests.support.tool_context import ToolBench, text_of, tool_bench

TOOL = ReadTool()


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[ToolBench]:
    async with tool_bench(tmp_path) as made:
        yield made


def picture(width: int, height: int, kind: str, *, noise: bool = False, mode: str = "RGB") -> bytes:
    out = io.BytesIO()
    if noise:
        channels = len(mode)
        made = Image.frombytes(mode, (width, height), os.urandom(width * height * channels))
    else:
        made = Image.new(mode, (width, height))
    made.save(out, kind)
    return out.getvalue()


async def shown(bench: ToolBench, name: str) -> tuple[ImageBlock, bytes, str]:
    result = await bench.call(TOOL, file_path=name)
    assert not result.is_error, text_of(result)
    block = result.content[0]
    assert isinstance(block, ImageBlock)
    return block, base64.b64decode(block.data), text_of(result)


async def test_small_picture_is_shown_as_it_is_by_its_content(bench: ToolBench) -> None:
    data = picture(2, 3, "PNG")
    (bench.root / "a.jpg").write_bytes(data)
    block, sent, note = await shown(bench, "a.jpg")
    assert (block.media_type, sent, note) == ("image/png", data, "")


@pytest.mark.parametrize(
    ("kind", "mode", "noise"),
    [("PNG", "RGB", True), ("PNG", "RGBA", True), ("JPEG", "RGB", True), ("WEBP", "RGB", True),
     ("PNG", "RGB", False), ("GIF", "P", False), ("PNG", "I;16", False)],
)  # fmt: skip
async def test_large_picture_ends_within_the_budget(
    bench: ToolBench, kind: str, mode: str, *, noise: bool
) -> None:
    (bench.root / "a.png").write_bytes(picture(2400, 1800, kind, noise=noise, mode=mode))
    _, sent, note = await shown(bench, "a.png")
    assert token_estimate(sent) <= MAX_TOKENS
    assert max(Image.open(io.BytesIO(sent)).size) <= MAX_EDGE
    assert "2400 × 1800 pixels and was made smaller" in note


def test_last_step_of_the_ladder_is_small_enough_for_anything() -> None:
    fitted = fit_picture(picture(2400, 2400, "PNG", noise=True), "a.png", max_chars=64_000)
    sent = base64.b64decode(fitted.block.data)
    assert Image.open(io.BytesIO(sent)).size == (400, 400)
    assert token_estimate(sent) <= 8_000


async def test_what_is_no_picture_is_refused_with_the_reason(
    bench: ToolBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = picture(50, 50, "PNG", noise=True)
    (bench.root / "text.png").write_bytes(b"text")
    (bench.root / "cut.png").write_bytes(picture(2000, 2000, "PNG", noise=True)[:-4000])
    (bench.root / "bomb.png").write_bytes(whole[:16] + b"\0\1\0\0\0\1\0\0" + whole[24:])
    (bench.root / "big.png").write_bytes(whole)
    for name, reason in [("text", "holds none"), ("cut", "cannot be shown"), ("bomb", "bomb")]:
        result = await bench.call(TOOL, file_path=f"{name}.png")
        assert result.is_error
        assert reason in text_of(result), text_of(result)
    monkeypatch.setattr(read_kinds, "MAX_FILE_BYTES", 100)
    assert "100 is the limit" in text_of(await bench.call(TOOL, file_path="big.png"))


async def test_short_document_is_shown_whole_and_pages_can_be_named(bench: ToolBench) -> None:
    (bench.root / "a.pdf").write_bytes(pdf(["first page", "second page", "third page"]))
    whole = text_of(await bench.call(TOOL, file_path="a.pdf"))
    assert whole == (
        "--- page 1 of 3 ---\nfirst page\n\n--- page 2 of 3 ---\nsecond page\n\n"
        "--- page 3 of 3 ---\nthird page"
    )
    part = text_of(await bench.call(TOOL, file_path="a.pdf", pages="2-9"))
    assert part.startswith("--- page 2 of 3 ---\nsecond page")
    assert "first" not in part


async def test_long_document_needs_pages(bench: ToolBench) -> None:
    (bench.root / "a.pdf").write_bytes(pdf([f"page {n}" for n in range(1, 31)]))
    result = await bench.call(TOOL, file_path="a.pdf")
    assert result.is_error
    assert "has 30 pages, too many to show at once" in text_of(result)
    assert "page 29" in text_of(await bench.call(TOOL, file_path="a.pdf", pages="29"))
    assert "page 31 is past its end" in text_of(
        await bench.call(TOOL, file_path="a.pdf", pages="31")
    )


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("a.pdf", {"pages": "0"}, "names no pages"),
        ("a.pdf", {"pages": "5-2"}, "names no pages"),
        ("a.pdf", {"pages": "x"}, "names no pages"),
        ("a.pdf", {"pages": "1-21"}, "20 can be read at once"),
        ("a.pdf", {"offset": 3}, "Name pages instead"),
        ("a.txt", {"pages": "1"}, "for PDF documents only"),
        ("broken.pdf", {}, "cannot be read as a PDF"),
    ],
)
async def test_wrong_calls_are_answered_with_what_is_right(
    bench: ToolBench, name: str, arguments: dict[str, object], reason: str
) -> None:
    (bench.root / "a.pdf").write_bytes(pdf(["x"]))
    (bench.root / "broken.pdf").write_bytes(b"%PDF-1.4\nnothing of the kind")
    (bench.root / "a.txt").write_text("x", encoding="utf-8")
    result = await bench.call(TOOL, file_path=name, **arguments)
    assert result.is_error
    assert reason in text_of(result)


async def test_document_without_text_says_so(bench: ToolBench) -> None:
    (bench.root / "a.pdf").write_bytes(pdf([""]))
    assert "may be scanned pictures" in text_of(await bench.call(TOOL, file_path="a.pdf"))
