"""Whether an editor shows just what a file holds, in an encoding of its user's choice.

Owns: which encodings editors know, and trying them.
Does not own: which encoding a file is in (``workspace.encodings``). Pure functions.

An editor does not tell the encoding of a document, nor whether it holds unsaved changes: VS Code opens
one with those that were left in it when its window was closed. Only the bytes can tell.
"""

import codecs
import re

_ENCODINGS = (
    "cp1252", "latin_1", "gb18030", "gbk", "cp932", "euc_jp", "cp949", "cp950", "big5hkscs", "gb2312",
    "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "cp874",
    "iso8859_2", "iso8859_3", "iso8859_4", "iso8859_5", "iso8859_6", "iso8859_7", "iso8859_8", "iso8859_9",
    "iso8859_10", "iso8859_11", "iso8859_13", "iso8859_14", "iso8859_15", "iso8859_16",
    "koi8_r", "koi8_u", "koi8_t", "cp437", "cp850", "cp852", "cp865", "cp866", "cp1125", "mac_roman",
)  # fmt: skip
"""Those that VS Code offers, UTF-8 and UTF-16 left out; the commonest first. All extend ASCII."""

_TELLING_BYTES = 4_096
"""The first bytes beyond ASCII rule out nearly all encodings, whatever a file's length."""

_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")


def shows(text: str, data: bytes) -> bool:
    """Tell whether a text is what an editor makes of some bytes in one of its encodings.

    Line ends may differ, which editors make uniform. Bytes that an encoding does not know are no proof:
    then the answer is no.
    """
    shown, data = text.replace("\r\n", "\n"), data.replace(b"\r\n", b"\n")
    found = _BEYOND_ASCII.search(data)
    if found is None:
        return _is(shown, data, "ascii")
    at = found.start()  # the same place in the text: what is before it is one character a byte
    telling = data[at : at + _TELLING_BYTES]
    return any(_goes_on(shown, at, telling, each) and _is(shown, data, each) for each in _ENCODINGS)


def _goes_on(text: str, at: int, data: bytes, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()  # the last character may be torn
    try:
        return text.startswith(decoder.decode(data), at)
    except UnicodeDecodeError:
        return False


def _is(text: str, data: bytes, encoding: str) -> bool:
    try:
        return data.decode(encoding) == text
    except UnicodeDecodeError:
        return False
