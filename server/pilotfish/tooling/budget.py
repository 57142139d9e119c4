"""Keeps results small enough for the model.

Owns: the limit per result and over all results of one reply; the full text goes to a file and the
model gets a preview.
See also: design 06 §3.
"""

import asyncio
import hashlib
import logging
import re
from collections.abc import Mapping
from pathlib import Path

from pilotfish.core.calls import TextDisplay
from pilotfish.core.ids import ToolUseId
from pilotfish.core.messages import ImageBlock, TextBlock
from pilotfish.util.os_reason import os_reason
from pilotfish.util.whole_file import replace_file

logger = logging.getLogger(__name__)

MAX_REPLY_CHARS = 200_000
"""Most text of all results of one reply together (design 06 §3); the longest give way first."""

PREVIEW_CHARS = 2_000
"""How much of an over-long result the model sees, cut at a line end (design 06 §3)."""


_PLAIN_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def result_file(results_dir: Path, tool_use_id: ToolUseId, suffix: str = ".txt") -> Path:
    """Return the file of a call in the session's folder, always directly in it.

    The id comes from outside (a model, a transcript): one that is no plain word is not used as a
    name but hashed.
    """
    name: str = tool_use_id
    if _PLAIN_ID.fullmatch(name) is None:
        name = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return results_dir / (name + suffix)


class ResultBudget:
    """Persists over-long results in the session's folder."""

    def __init__(self, results_dir: Path) -> None:
        self._results_dir = results_dir

    async def fit(
        self, tool_use_id: ToolUseId, content: tuple[TextBlock | ImageBlock, ...], *, max_chars: int
    ) -> tuple[TextBlock | ImageBlock, ...]:
        """Return the content, over-long text replaced by a preview that says where the rest is.

        Args:
            tool_use_id: Names the file, so that the same call always has the same replacement.
            content: What the tool returned.
            max_chars: Limit in characters over all text blocks; 0 means none.
        """
        if not content:
            return (TextBlock(text="(no output)"),)
        if max_chars == 0 or _text_chars(content) <= max_chars:
            return content
        reason = f"more than the {max_chars:,} that fit"
        return await self._previewed(tool_use_id, content, reason)

    @staticmethod
    def for_people(content: tuple[TextBlock | ImageBlock, ...]) -> TextDisplay:
        """Return what people see of a result that did not fit: its beginning, the rest on request."""
        full = "\n".join(block.text for block in content if isinstance(block, TextBlock))
        return TextDisplay(text=_head(full), is_cut=True)

    async def fit_together(
        self, results: Mapping[ToolUseId, tuple[TextBlock | ImageBlock, ...]]
    ) -> dict[ToolUseId, tuple[TextBlock | ImageBlock, ...]]:
        """Return previews in place of the longest results, until all of them fit together.

        The choice is made once, when the results are complete: the model sees the same in every
        request after that.
        """
        sizes = {call: _text_chars(content) for call, content in results.items()}
        total = sum(sizes.values())
        shortened: dict[ToolUseId, tuple[TextBlock | ImageBlock, ...]] = {}
        for call in sorted(sizes, key=lambda each: sizes[each], reverse=True):
            # A preview of what is hardly longer than one gains nothing.
            if total <= MAX_REPLY_CHARS or sizes[call] <= 2 * PREVIEW_CHARS:
                break
            reason = f"and the results of this reply together more than {MAX_REPLY_CHARS:,}"
            shortened[call] = await self._previewed(call, results[call], reason)
            total -= sizes[call] - _text_chars(shortened[call])
        return shortened

    async def _previewed(
        self, tool_use_id: ToolUseId, content: tuple[TextBlock | ImageBlock, ...], reason: str
    ) -> tuple[TextBlock | ImageBlock, ...]:
        """Keep the text in a file and return its beginning, and where the rest is."""
        full = "\n".join(block.text for block in content if isinstance(block, TextBlock))
        path = result_file(self._results_dir, tool_use_id)
        try:
            await asyncio.to_thread(_write, path, full)
        except OSError as error:
            # What the call did is done: its result must not fail because it is long.
            logger.warning("the result %s cannot be kept: %s", path, os_reason(error))
            where = (
                f"The rest is lost: it could not be kept in {path} ({os_reason(error)}). "
                "Make room there, or have less said."
            )
        else:
            where = (
                f"All of it is in {path}: use Read with offset and limit, or Grep, on that file."
            )
        preview = TextBlock(
            text=(
                f"The result has {len(full):,} characters, {reason}. {where} "
                f"It begins:\n\n{_head(full)}"
            )
        )
        images = tuple(block for block in content if isinstance(block, ImageBlock))
        return (preview, *images)


def _text_chars(content: tuple[TextBlock | ImageBlock, ...]) -> int:
    return sum(len(block.text) for block in content if isinstance(block, TextBlock))


def _head(text: str) -> str:
    head = text[:PREVIEW_CHARS]
    cut = head.rfind("\n")
    return head[:cut] if cut > PREVIEW_CHARS // 2 else head


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, text.encode(errors="replace"))
