"""Which encoding the bytes of a text file are in.

Owns: UTF-16 and UTF-32 without a mark, legacy encodings by detection, and how sure that is.
Does not own: proving that the bytes come back (``workspace.text_file``). Pure functions.

The detector is asked about encodings that files are found in, not about all it knows: among ninety
candidates a short comment looks like many. What it cannot tell apart is either harmless (Latin
alphabets: the letters of English stay what they are, and the rivals are remembered so that nothing
is written which they would read differently) or refused.
"""

import re
import unicodedata
from typing import TYPE_CHECKING

from pilotfish.util.records import dataclass

if TYPE_CHECKING:
    from charset_normalizer import CharsetMatch

SAMPLE_BYTES = 32_768
"""How much is given to the detector, lines with bytes beyond ASCII only."""

_MIN_EVIDENCE_BYTES = 12
"""Bytes beyond ASCII that a guess between alphabets needs."""

_CHAOS_MARGIN = 0.05
"""How much more mess than the best a rival may have and still count as one."""

_COHERENCE_MARGIN = 0.1
"""How much less resemblance to a language than the best a rival may have and still count."""

_LATIN = ("cp1252", "cp1250", "iso8859_2", "cp1254")
"""For alphabets that extend the English one; the commonest first."""

_OTHERS = (
    "cp932", "euc_jp", "gb18030", "big5", "cp949",
    "cp1251", "koi8_r", "cp866", "cp1253", "cp1255", "cp1256", "cp874",
)  # fmt: skip
"""For other scripts. The first five use two bytes or more for a character."""

_EAST_ASIAN = frozenset(_OTHERS[:5])

_KANA = re.compile("[\u3041-\u30ff]")
_HALF_WIDTH_KANA = re.compile("[\uff61-\uff9f]")

_MIN_SHARE = 0.15
"""Share of kana from which a text counts as Japanese, and of half-width ones as misread."""

_MIN_NUL_SHARE = 0.7
"""Share of characters with a NUL in the same place from which NULs count as a pattern of UTF-16."""

_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")
_ASCII_LETTER = re.compile(rb"[A-Za-z]")


class AmbiguousEncodingError(ValueError):
    """Several encodings fit, and they read the text differently."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EncodingGuess:
    """A legacy encoding, and which others fit as well."""

    encoding: str
    """Python's name of the codec."""
    rivals: tuple[str, ...] = ()
    """Encodings that cannot be told from it; empty when it is sure."""


def unmarked_unicode(head: bytes) -> str | None:
    """Tell UTF-16 or UTF-32 without a mark from the places of the NULs; None for anything else."""
    if b"\0" not in head or len(head) < 4:
        return None
    whole = head[: len(head) // 4 * 4] or head
    for encoding, width, low in (
        ("utf-32-le", 4, 0), ("utf-32-be", 4, 3), ("utf-16-le", 2, 0), ("utf-16-be", 2, 1),
    ):  # fmt: skip
        if _nuls_fit(whole, width, low) and _reads_as_text(whole, encoding):
            return encoding
    return None


def guess_legacy(data: bytes) -> EncodingGuess:
    """Guess the encoding of text that is not UTF-8.

    Raises:
        AmbiguousEncodingError: Nothing fits well enough, or several things do; the text names them.
    """
    sample = _sample(data)
    if _looks_latin(sample):
        return _guess_latin(sample)
    if sum(byte > 127 for byte in sample) < _MIN_EVIDENCE_BYTES:
        raise AmbiguousEncodingError("too few characters beyond ASCII to tell its encoding by")
    return _guess_other(sample)


def _guess_latin(sample: bytes) -> EncodingGuess:
    found = _tied(_detect(sample, _LATIN))
    if not found:
        return EncodingGuess(encoding=_LATIN[0], rivals=_LATIN[1:])
    names = [name for name in _LATIN if any(name in match.could_be_from_charset for match in found)]
    return EncodingGuess(encoding=names[0], rivals=tuple(names[1:]))


def _guess_other(sample: bytes) -> EncodingGuess:
    found = _plausible(_detect(sample, (*_OTHERS, *_LATIN)))
    tied = _tied(found)
    if not tied:
        raise AmbiguousEncodingError("no encoding gives a readable text")
    if len(tied) > 1:
        names = ", ".join(match.encoding for match in tied)
        raise AmbiguousEncodingError(f"it could be any of {names}")
    return EncodingGuess(encoding=tied[0].encoding)


def _detect(sample: bytes, names: tuple[str, ...]) -> list["CharsetMatch"]:
    # Loading it costs 40 ms, and hardly any file needs it.
    from charset_normalizer import from_bytes  # noqa: PLC0415

    matches = from_bytes(
        sample, cp_isolation=list(names), preemptive_behaviour=False, enable_fallback=False
    )
    return sorted(matches, key=lambda match: (match.chaos, -match.coherence))


def _tied(matches: list["CharsetMatch"]) -> list["CharsetMatch"]:
    """Return the best match and those that are nearly as good."""
    if not matches:
        return []
    best = min(matches, key=lambda match: (match.chaos, -match.coherence))
    return [
        match
        for match in matches
        if match.chaos <= best.chaos + _CHAOS_MARGIN
        and match.coherence >= best.coherence - _COHERENCE_MARGIN
    ]


def _plausible(matches: list["CharsetMatch"]) -> list["CharsetMatch"]:
    """Drop what only the script tells: the detector has no language for East Asian texts."""
    read = [match for match in matches if _share(_HALF_WIDTH_KANA, match) < _MIN_SHARE]
    east = [match for match in read if match.encoding in _EAST_ASIAN]
    japanese = [match for match in east if _share(_KANA, match) >= _MIN_SHARE]
    names = {match.encoding for match in japanese}
    if "euc_jp" in names and "cp932" not in names:
        # Kana stand at the same bytes in the Chinese encodings, but no Chinese text uses them.
        return [match for match in japanese if match.encoding == "euc_jp"]
    return read


def _share(wanted: re.Pattern[str], match: "CharsetMatch") -> float:
    beyond = [character for character in str(match) if character > "\x7f"]
    return len(wanted.findall("".join(beyond))) / max(1, len(beyond))


def _sample(data: bytes) -> bytes:
    lines: list[bytes] = []
    room = SAMPLE_BYTES
    for line in data.split(b"\n"):
        if room > 0 and not line.isascii():
            lines.append(line[:room])
            room -= len(line)
    return b"\n".join(lines)


def _looks_latin(sample: bytes) -> bool:
    """Tell whether the bytes beyond ASCII stand among English letters as accented ones do."""
    for run in _BEYOND_ASCII.finditer(sample):
        try:
            characters = run.group().decode("cp1252")
        except UnicodeDecodeError:
            return False
        if not all(each.isalpha() or _is_typography(each) for each in characters):
            return False
        letters = sum(each.isalpha() for each in characters)
        if letters > 2 or (letters == 2 and not _beside_letter(sample, run)):
            return False
    return True


def _is_typography(character: str) -> bool:
    return unicodedata.category(character)[0] in "PSNZ"  # punctuation, symbols, numbers, spaces


def _beside_letter(sample: bytes, run: re.Match[bytes]) -> bool:
    around = sample[max(0, run.start() - 1) : run.start()] + sample[run.end() : run.end() + 1]
    return _ASCII_LETTER.search(around) is not None


def _nuls_fit(head: bytes, width: int, low: int) -> bool:
    """Tell whether NULs fill most characters except for the low byte, which holds hardly any."""
    count = len(head) // width
    nuls = [head[at::width].count(0) / count for at in range(width)]
    return nuls[low] < 1 - _MIN_NUL_SHARE and all(
        share >= _MIN_NUL_SHARE for at, share in enumerate(nuls) if at != low
    )


def _reads_as_text(head: bytes, encoding: str) -> bool:
    # The last character may be cut in two.
    text = head.decode(encoding, "ignore")
    return not any(
        unicodedata.category(each) in {"Cc", "Cn", "Co", "Cs"} and each not in "\t\n\r\f\x1b"
        for each in text
    )
