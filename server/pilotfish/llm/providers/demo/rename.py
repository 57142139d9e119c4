"""Task: rename something across files.

Owns: finding every use, changing it, and making sure that none is left.
"""

import keyword
import re

from pilotfish.llm.providers.demo.conversation import Scene
from pilotfish.llm.providers.demo.play import Call, Move, Plan, StopPlaying
from pilotfish.llm.providers.demo.reading import Listing
from pilotfish.llm.providers.demo.steps import (
    done,
    edit,
    grep_files,
    look_around,
    read,
    run_tests,
)

_DEFAULT_NAMES = ("fmt", "format_pence")
"""What is renamed when the prompt does not say."""

_NAMES = re.compile(
    r"\brename\b.*?[`'\"]?\b(?P<old>[A-Za-z_]\w*)\b[`'\"]?(?:\(\))?(?:\s+in\s+\S+)?\s+(?:to|into|as)\s+"
    r"[`'\"]?(?P<new>[A-Za-z_]\w*)",
    re.IGNORECASE | re.DOTALL,
)


def rename_everywhere(scene: Scene) -> Plan:
    """Find every use of a name, change it in each file, check, run the tests."""
    old, new = _names(scene.prompt)
    if old == new or not new.isidentifier() or keyword.iskeyword(new):
        return f"`{new}` will not do as the new name for `{old}`. Nothing was changed."
    word = rf"\b{old}\b"
    yield from look_around(scene, f"I rename `{old}` to `{new}`. First I look at what is here.")
    files = yield from grep_files(scene, f"Which files use `{old}`?", word)
    if not files:
        return (yield from _nothing_to_rename(scene, old, new))
    if (yield from grep_files(scene, f"Is `{new}` free?", rf"\b{new}\b")):
        return f"`{new}` is in use already, so I do not rename `{old}` to it. Nothing was changed."
    listings = yield from read(scene, f"{_uses(scene, files)} I read what I change first.", *files)
    calls = [
        call
        for path, listing in zip(files, listings, strict=True)
        for call in _edits(scene, path, listing, (old, new))
    ]
    outcome = yield Move(text=f"Now I change `{old}` to `{new}` in each.", calls=tuple(calls))
    done(outcome, "change every file")
    left = yield from grep_files(scene, "Is any use left?", word)
    if left:
        return f"`{old}` is still used in {_shown(scene, left)}. I stop here rather than guess."
    run = yield from run_tests("None is left. I run the tests.")
    closing = f"Renamed `{old}` to `{new}` in {_shown(scene, files)}."
    if run.state == "passed":
        return f"{closing} All {run.count} tests pass."
    return f"{closing} Of the {run.count} tests these fail: {run.names}."


def _names(prompt: str) -> tuple[str, str]:
    found = _NAMES.search(prompt)
    return (found["old"], found["new"]) if found else _DEFAULT_NAMES


def _nothing_to_rename(scene: Scene, old: str, new: str) -> Plan:
    files = yield from grep_files(
        scene, f"Nothing uses `{old}`. Perhaps it has its new name already?", rf"\b{new}\b"
    )
    if files:
        return (
            f"`{old}` is gone and `{new}` is used in {_shown(scene, files)}: the renaming was done "
            "before. Nothing was changed."
        )
    return f"Neither `{old}` nor `{new}` is used in this workspace. Nothing was changed."


def _edits(scene: Scene, path: str, listing: Listing, names: tuple[str, str]) -> list[Call]:
    """Return the edits of one file: one for all uses where that cannot hit anything else."""
    old, new = names
    word = re.compile(rf"\b{old}\b")
    if not word.search(listing.text):
        raise StopPlaying(f"I cannot see `{old}` in {scene.relative(path)}; I stop here.")
    if len(word.findall(listing.text)) == listing.text.count(old):
        return [edit(scene, path, old, new, replace_all=True)]
    lines = dict.fromkeys(line for line in listing.lines if word.search(line))
    return [edit(scene, path, line, word.sub(new, line), replace_all=True) for line in lines]


def _uses(scene: Scene, files: list[str]) -> str:
    shown = _shown(scene, files)
    return (
        f"One file uses it: {shown}." if len(files) == 1 else f"{len(files)} files use it: {shown}."
    )


def _shown(scene: Scene, files: list[str]) -> str:
    return ", ".join(f"`{scene.relative(path)}`" for path in files)
