"""Telling legacy encodings apart, and refusing to guess where a guess could do harm."""

import pytest
from pilotfish.core.errors import WorkspaceError
from pilotfish.workspace.encodings import unmarked_unicode
from pilotfish.workspace.text_file import NotTextError, TextFile, check_unambiguous, decode, encode

CODE = "x = 1\ny = f(x)\n"

KNOWN = {
    "Russian, Windows": ("cp1251", "# Проверка значения перед записью в файл\n"),
    "Russian, KOI8-R": ("koi8_r", "# Проверка значения перед записью в файл\n"),
    "Russian, DOS": ("cp866", "# Проверка значения перед записью в файл\n"),
    "Arabic": ("cp1256", "# التحقق من القيمة قبل الكتابة\n"),
    "Thai": ("cp874", "# ตรวจสอบค่าก่อนเขียนลงไฟล์\n"),
    "Japanese, Shift-JIS": ("cp932", "# 値を確認してからファイルに書き込みます\n"),
    "Japanese, EUC": ("euc_jp", "# 値を確認してからファイルに書き込みます\n"),
    "Chinese, GB": ("gb18030", "# 写入文件之前检查数值是否正确\n"),
    "Chinese, Big5": ("big5", "# 寫入檔案之前檢查數值是否正確\n"),
    "Korean": ("cp949", "# 파일에 쓰기 전에 값을 확인합니다\n"),
    "Czech": ("cp1250", "# Příliš žluťoučký kůň úpěl ďábelské ódy\n"),
}


@pytest.mark.parametrize("times", [1, 4])
@pytest.mark.parametrize(("encoding", "line"), KNOWN.values(), ids=KNOWN.keys())
def test_legacy_text_is_recognised_and_comes_back(encoding: str, line: str, times: int) -> None:
    text = CODE + line * times
    data = text.encode(encoding)
    decoded = decode(data, "f")
    assert (decoded.text, decoded.encoding) == (text, encoding)
    assert bytes(encode(text, TextFile(text=text, encoding=encoding), "f")) == data


WESTERN = {
    "French": "# Réglages généraux de l'été dernier, à vérifier dès que possible\n",
    "German": "// Größe der Übertragung prüfen, bevor die Änderung gültig wird\n",
    "Spanish": "# Configuración de la aplicación: años, niños y mañana también\n",
    "one letter": "# caf\u00e9\n",
    "typography": "# “so” – he said…\n",
}


@pytest.mark.parametrize("line", WESTERN.values(), ids=WESTERN.keys())
def test_western_text_is_read_as_such_and_its_rivals_are_known(line: str) -> None:
    decoded = decode((CODE + line).encode("cp1252"), "f")
    assert (decoded.text, decoded.encoding) == (CODE + line, "cp1252")
    assert "cp1250" in decoded.rivals


@pytest.mark.parametrize(
    "data",
    [
        "a = '你好'\n".encode("gb18030"),
        "# Έλεγχος της τιμής πριν από την εγγραφή\n".encode("cp1253"),
        "# בדיקת הערך לפני כתיבה לקובץ\n".encode("cp1255"),
        b"\x81\x8d\x8f\x90 plain words",
    ],
)
def test_what_cannot_be_told_is_refused_with_the_ways_out(data: bytes) -> None:
    with pytest.raises(NotTextError, match=r"cannot be told") as caught:
        decode(data, "f")
    assert "files.encoding" in str(caught.value)
    assert "iconv" in str(caught.value)


def test_new_characters_must_be_the_same_in_every_encoding_that_fits() -> None:
    file = TextFile(text="", encoding="cp1252", rivals=("cp1250", "iso8859_2"))
    check_unambiguous("plain, é and ö", file, "f")
    with pytest.raises(WorkspaceError, match=r"cp1252, cp1250, iso8859_2.*'ñ' \(U\+00F1\)"):
        check_unambiguous("ñ", file, "f")
    check_unambiguous("ñ", TextFile(text="", encoding="cp1252"), "f")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", ["x = 1\r\ny = 2\r\n", "na\u00efve \u4e2d caf\u00e9 and more\n"])
def test_unicode_without_a_mark_is_told_by_its_nuls(encoding: str, text: str) -> None:
    decoded = decode(text.encode(encoding), "f")
    assert (decoded.text, decoded.encoding, decoded.bom) == (text, encoding, b"")


@pytest.mark.parametrize(
    "data",
    [b"", b"abc", b"abc\0def", bytes([1, 0, 2, 0, 3, 0, 4, 0] * 10), bytes(100), b"a\0" * 50 + b"\xff" * 4],
)  # fmt: skip
def test_binary_data_with_nuls_is_no_unicode(data: bytes) -> None:
    assert unmarked_unicode(data) is None
