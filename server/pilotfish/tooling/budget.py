"""Keeps results small enough for the model.

Owns: the limit per result; the full text goes to a file and the model gets a preview.
See also: design 06 §3. The limit over all results of one reply comes with the context pipeline.
"""

import asyncio
import hashlib
import re
from pathlib import Path

from pilotfish.core.ids import ToolUseId
from pilotfish.core.messages import ImageBlock, TextBlock

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
        texts = [block.text for block in content if isinstance(block, TextBlock)]
        total = sum(len(text) for text in texts)
        if max_chars == 0 or total <= max_chars:
            return content
        full = "\n".join(texts)
        path = result_file(self._results_dir, tool_use_id)
        await asyncio.to_thread(_write, path, full)
        preview = TextBlock(
            text=(
                f"The result has {total:,} characters, more than the {max_chars:,} that fit. "
                f"All of it is in {path}: use Read with offset and limit, or Grep, on that file. "
                f"It begins:\n\n{_head(full)}"
            )
        )
        images = tuple(block for block in content if isinstance(block, ImageBlock))
        return (preview, *images)


def _head(text: str) -> str:
    head = text[:PREVIEW_CHARS]
    cut = head.rfind("\n")
    return head[:cut] if cut > PREVIEW_CHARS // 2 else head


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="replace")
