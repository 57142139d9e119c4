"""For random text, encoding, line ends and edit: bytes outside the edit stay, and the text is right."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pilotfish.core.errors import WorkspaceError
from pilotfish.workspace.file_state import FileStates
from pilotfish.workspace.loaded_file import load_file
from pilotfish.workspace.matching import StringEdit, find_replacements
from pilotfish.workspace.proposal import encode_proposal, propose
from pilotfish.workspace.several_edits import SeveralEdits
from pilotfish.workspace.text_file import decode

RUSSIAN = "# Проверка значения перед записью в файл"
JAPANESE = "# 値を確認してからファイルに書き込みます"
CHINESE = "# 写入文件之前检查数值是否正确"
FORMS = [
    ("utf-8", b"", "\u00e9 \u4e2d \U0001f600"),
    ("utf-8", b"\xef\xbb\xbf", "\u00e9 \u4e2d"),
    ("utf-16-le", b"\xff\xfe", "\u00e9 \u4e2d \U0001f600"),
    ("utf-16-be", b"\xfe\xff", "plain"),
    ("utf-32-le", b"\xff\xfe\0\0", "\u4e2d"),
    ("utf-16-le", b"", "plain text that is long enough to be told by its NULs"),
    ("cp1252", b"", "caf\u00e9"),
    ("koi8_r", b"", RUSSIAN),
    ("cp1251", b"", RUSSIAN),
    ("cp932", b"", JAPANESE),
    ("euc_jp", b"", JAPANESE),
    ("gb18030", b"", CHINESE),
]
lines = st.lists(
    st.tuples(st.text("abc =", max_size=6), st.sampled_from(["\n", "\r\n", "\r"])), max_size=8
)


@given(st.sampled_from(FORMS), lines, st.data())
@settings(deadline=None, max_examples=60)
def test_an_edit_changes_its_bytes_and_no_others(
    form: tuple[str, bytes, str], parts: list[tuple[str, str]], data: st.DataObject
) -> None:
    encoding, bom, special = form
    text = special + "\n" + "".join(line + end for line, end in parts) + special
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    edit = StringEdit(old=text[start:end], new=data.draw(st.text("xyz\n", max_size=5)))
    change = edit if data.draw(st.booleans()) else SeveralEdits(edits=(edit,))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.txt"
        path.write_bytes(bom + text.encode(encoding))
        loaded = load_file(path, None)
        assert loaded.disk is not None
        assert (loaded.text, loaded.disk.encoding) == (text, encoding)
        files = FileStates()
        files.record(loaded.real_path, loaded.state("read"))
        try:
            proposal = propose(loaded, change, files)
        except WorkspaceError:
            return
    encoded = encode_proposal(proposal)
    assert encoded.before is not None
    before, after = bytes(encoded.before), bytes(encoded.after)
    assert before == bom + text.encode(encoding)
    found = find_replacements(text, edit)
    head = bom + text[: found[0].start].encode(encoding)
    tail = text[found[-1].end :].encode(encoding)
    assert after.startswith(head)
    assert after.endswith(tail)
    assert after == bom + proposal.new_text.encode(encoding)
    middle = after[len(head) : len(after) - len(tail)].decode(encoding)
    assert middle == found[0].new


@given(st.binary(max_size=400), st.text(max_size=10))
@settings(deadline=None, max_examples=60)
def test_whatever_is_refused_is_refused_before_anything_is_written(data: bytes, new: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.bin"
        path.write_bytes(data)
        try:
            loaded = load_file(path, None)
            files = FileStates()
            files.record(loaded.real_path, loaded.state("read"))
            assert loaded.text is not None
            first = loaded.text[:1]
            proposal = propose(loaded, StringEdit(old=first, new=new), files)
            after = bytes(encode_proposal(proposal).after)
        except WorkspaceError:
            assert path.read_bytes() == data
            return
    text = proposal.new_text
    assert loaded.disk is not None
    assert after == loaded.disk.bom + text.encode(loaded.disk.encoding)
    assert "\ufffd" not in text or "\ufffd" in loaded.text + new


def test_decoding_of_the_result_gives_the_intended_text() -> None:
    for encoding, bom, special in FORMS:
        data = bom + f"{special}\nx = 1\n{special}".encode(encoding)
        if encoding == "cp1252":
            assert decode(data, "f").rivals
        assert decode(data, "f").text == f"{special}\nx = 1\n{special}"


@pytest.mark.parametrize("encoding", ["cp932", "gb18030", "big5"])
def test_second_bytes_that_look_like_ascii_are_never_edited(encoding: str, tmp_path: Path) -> None:
    # In these, the second byte of a character may be that of a backslash or a letter.
    text = (
        "# 表能許功蓋値を確認してからファイルに書き込みます 写入文件之前"
        if encoding != "big5"
        else "# 許功蓋寫入檔案之前檢查數值是否正確"
    )
    path = tmp_path / "a.txt"
    path.write_bytes(text.encode(encoding))
    loaded = load_file(path, None)
    files = FileStates()
    files.record(loaded.real_path, loaded.state("read"))
    with pytest.raises(WorkspaceError, match="not found"):
        propose(loaded, StringEdit(old="\\", new="/"), files)
