"""Which files an import of JavaScript means by the aliases of its project."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from pilotfish.codeintel.index.specifiers import MAX_PLACES, MAX_SETTINGS_FILES, files_meant


def settings_of(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize(
    ("files", "specifier", "expected"),
    [
        ({"tsconfig.json": '{"compilerOptions": {"paths": {"a": ["b"], "*": ["c/*"]}}}'}, "a", "b"),
        (
            {"tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["b/*"], "@/x/*": ["c/*"]}}}'},
            "@/x/y",
            "c/y",
        ),
        (
            {"tsconfig.json": '{"compilerOptions": {"paths": {"*-x": ["b/*.of"]}}}'},
            "a-x",
            "b/a.of",
        ),
        (
            {
                "app/tsconfig.json": '{"extends": "../base"}',
                "base.json": '{"compilerOptions": {"paths": {"@/*": ["lib/*"]}}}',
            },
            "@/y",
            "lib/y",
        ),
        (
            {
                "app/tsconfig.json": '{"extends": ["../one.json", "../two.json"]}',
                "one.json": '{"compilerOptions": {"baseUrl": "one"}}',
                "two.json": '{"compilerOptions": {"baseUrl": "two"}}',
            },
            "y",
            "two/y",
        ),
        (
            {
                "tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.app.json"}]}',
                "tsconfig.app.json": '{"compilerOptions": {"paths": {"@/*": ["src/*"]}}}',
            },
            "@/y",
            "src/y",
        ),
    ],
)
def test_aliases_are_those_of_the_settings(
    tmp_path: Path, files: Mapping[str, str], specifier: str, expected: str
) -> None:
    settings_of(tmp_path, files)
    assert files_meant(tmp_path, "app/src/use.ts", specifier)[0] == expected


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"tsconfig.json": "no settings"},
        {"tsconfig.json": '{"compilerOptions": {"paths": 1, "baseUrl": []}, "extends": {}}'},
        {"tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["../../out/*", 1]}}}'},
        {"tsconfig.json": '{"extends": "../../outside.json"}'},
        {"tsconfig.json": '{"extends": "./tsconfig.json"}'},
        {"tsconfig.json": '{"references": [{"path": "."}, {}, 1]}'},
    ],
)
def test_settings_that_make_no_sense_lead_nowhere(tmp_path: Path, files: Mapping[str, str]) -> None:
    settings_of(tmp_path, files)
    assert [one for one in files_meant(tmp_path, "use.ts", "@/y") if "out" in one] == []
    assert files_meant(tmp_path, "use.ts", "../y") == []


def test_of_any_number_of_settings_some_are_read(tmp_path: Path) -> None:
    files = {f"{at}.json": f'{{"extends": "./{at + 1}.json"}}' for at in range(1_000)}
    settings_of(tmp_path, files | {"tsconfig.json": '{"extends": "./0.json"}'})
    settings_of(tmp_path, {f"{MAX_SETTINGS_FILES}.json": '{"compilerOptions": {"baseUrl": "."}}'})
    assert files_meant(tmp_path, "use.ts", "y") == []


def test_of_an_alias_for_no_end_of_places_the_first_are_looked_at(tmp_path: Path) -> None:
    places = [f"p{number}/*" for number in range(MAX_PLACES + 10)]
    text = json.dumps({"compilerOptions": {"paths": {"@/*": places}}})
    (tmp_path / "tsconfig.json").write_text(text)
    found = {one.split("/", 1)[0] for one in files_meant(tmp_path, "use.ts", "@/y")}
    assert found == {f"p{number}" for number in range(MAX_PLACES)}
