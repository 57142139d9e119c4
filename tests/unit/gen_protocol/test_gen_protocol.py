"""The generated files are right, and staleness is noticed."""

from pathlib import Path
from typing import Any, Literal

import pytest
from pilotfish.wire.base import WireModel
from pilotfish.wire.methods import METHODS

from tools import gen_protocol, generated
from tools.gen_protocol import (
    UnsupportedTypeError,
    build_page,
    build_typescript,
    collect_models,
    to_typescript,
)
from tools.generated import GeneratedFile


class Inner(WireModel):
    """Something inside."""


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (str, "string"),
        (float | None, "number | null"),
        (int | float, "number"),
        (Literal["a", "b"], '"a" | "b"'),
        (Literal[True, 1], "true | 1"),
        (list[str | None], "readonly (string | null)[]"),
        (tuple[Inner, ...], "readonly Inner[]"),
        (dict[str, Any], "Readonly<Record<string, unknown>>"),
    ],
)
def test_annotations_become_the_type_that_json_has(annotation: Any, expected: str) -> None:
    assert to_typescript(annotation) == expected


def test_a_type_without_a_translation_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedTypeError, match="complex"):
        to_typescript(complex)


def test_every_model_stands_after_those_it_refers_to() -> None:
    names = [model.__name__ for model in collect_models()]
    assert names.index("RetryMeta") < names.index("UpdateMeta")
    assert names.index("OpenQuestion") < names.index("SnapshotResponse")
    assert len(names) == len(set(names))


def test_every_method_is_in_both_files() -> None:
    typescript, page = build_typescript().text, build_page().text
    for method in METHODS:
        assert f'"{method.name}"' in typescript
        assert f"`{method.name}`" in page


def test_fields_with_a_default_are_optional_and_keep_their_doc() -> None:
    text = build_typescript().text
    assert "  readonly sinceSeq?: number;" in text
    assert "  /** At most 10,000 characters. */\n  readonly selectedText?: string | null;" in text
    assert "  readonly requestId: string;" in text


def test_check_writes_nothing_and_fails_until_the_files_were_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generated, "ROOT", tmp_path)
    monkeypatch.setattr(gen_protocol, "TYPESCRIPT", tmp_path / "a" / "generated.ts")
    monkeypatch.setattr(gen_protocol, "PAGE", tmp_path / "b" / "protocol.md")
    assert gen_protocol.main(["--check"]) == 1
    assert not any(tmp_path.iterdir())
    assert gen_protocol.main([]) == 0
    assert gen_protocol.main(["--check"]) == 0
    (tmp_path / "a" / "generated.ts").write_text("old", encoding="utf-8")
    assert gen_protocol.main(["--check"]) == 1


def test_a_file_that_differs_by_line_ends_is_stale(tmp_path: Path) -> None:
    file = GeneratedFile(path=tmp_path / "x", text="a\nb\n")
    file.write()
    assert file.is_current()
    file.path.write_bytes(b"a\r\nb\r\n")
    assert not file.is_current()
