"""The settings file as a language, without an editor."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pilotfish.config.files import MAX_FILE_BYTES
from pilotfish.config.key_docs import KEY_DOCS
from pilotfish.config.schema import SettingsFile
from pilotfish.config.sources import SettingsSources
from pilotfish.core.permission import PermissionRule
from pilotfish.permissions.language.check import SettingsFinding
from pilotfish.permissions.language.complete import SettingsItem, complete
from pilotfish.permissions.language.meaning import examples_of
from pilotfish.permissions.language.service import LanguageFacts, SettingsLanguage
from pydantic import BaseModel

from tests.support.permission_state import Judge
from tests.support.settings_files import SettingsFiles


class Desk(SettingsFiles):
    """A home, a project and somebody who writes in their settings files."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.trusted = True
        self.language = SettingsLanguage(
            LanguageFacts(state_folder=self.home, user_home=folder / "home", sources=self._sources)
        )

    def _sources(self, root: Path | None) -> SettingsSources:
        return SettingsSources(home=self.home, project_root=root, trusted_by_editor=self.trusted)

    def write(self, file: Path, **permissions: Any) -> None:
        file.write_text(json.dumps({"permissions": permissions}), encoding="utf-8")

    def findings(self, text: str, file: Path | None = None) -> list[SettingsFinding]:
        place = self.language.place_of(file or self.project)
        assert place is not None
        return list(self.language.analyse(place, text, self.root).findings)

    def found(self, text: str, file: Path | None = None) -> dict[str, str]:
        """Return the codes with the text that each is about."""
        findings = self.findings(text, file)
        return {one.code: text[one.span[0] : one.span[1]] for one in findings}

    def hover(self, text: str, at: str, file: Path | None = None) -> str:
        place = self.language.place_of(file or self.project)
        assert place is not None
        analysis = self.language.analyse(place, text, self.root)
        said = self.language.hover(analysis, text.index(at), self.root)
        return "" if said is None else said.markdown

    def fixed(self, text: str, code: str) -> str:
        (finding,) = (one for one in self.findings(text) if one.code == code)
        (fix,) = finding.fixes
        return text[: fix.span[0]] + fix.new_text + text[fix.span[1] :]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def rules(**lists: list[Any]) -> str:
    return json.dumps({"permissions": lists}, indent=2)


# --- which files ---


def test_it_knows_its_files_and_no_others(desk: Desk) -> None:
    def source(path: Path) -> str | None:
        place = desk.language.place_of(path)
        return place and place.source

    assert source(desk.user) == "userSettings"
    assert source(desk.project) == "projectSettings"
    assert source(desk.local) == "localSettings"
    assert source(desk.root / "settings.json") is None
    assert source(desk.root / ".vscode" / "settings.json") is None
    assert source(desk.root / ".pilotfish" / "other.json") is None


# --- findings ---


def test_a_good_file_has_no_findings(desk: Desk) -> None:
    text = json.dumps(
        {
            "$schema": "x",
            "permissions": {
                "allow": ["Bash(git:*)", "WebFetch(domain:example.com)", "mcp__db__read"],
                "deny": ["Read(.env)"],
                "defaultMode": "acceptEdits",
            },
            "maxTurns": 5,
        }
    )
    assert desk.findings(text) == []
    assert desk.findings("") == []
    assert desk.findings('{"permissions": {"allow": "Read, Bash(ls)"}}') == []


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ('{"a": 1,}', ","),
        ('{\n// hi\n"maxTurns": 1}', "// hi"),
        ('{"maxTurns": 1\n"edit": {}}', '"edit"'),
        ('{"maxTurns": 1, "maxTurns": 2}', '"maxTurns"'),
        ('{"maxTurns": nul}', None),
        ("{", None),
        ('{"a": "\x01"}', None),
    ],
)
def test_broken_json_is_shown_where_it_breaks(desk: Desk, text: str, about: str | None) -> None:
    first = next(one for one in desk.findings(text) if one.code == "broken-json")
    assert first.severity == "error"
    assert "stays forbidden or asks" in first.message
    if about is not None:
        assert text[first.span[0] : first.span[1]] == about


def test_a_list_is_no_settings_file(desk: Desk) -> None:
    assert desk.found("[1]") == {"not-an-object": "[1]"}


def test_a_file_that_is_too_large_is_refused_politely(desk: Desk) -> None:
    (finding,) = desk.findings('{"a": "' + "x" * MAX_FILE_BYTES + '"}')
    assert finding.code == "too-large"
    assert "1,048,576" in finding.message


@pytest.mark.parametrize(
    ("text", "about", "offer"),
    [
        ('{"permisions": {}}', '"permisions"', "permissions"),
        ('{"permissions": {"alow": []}}', '"alow"', "allow"),
        ('{"model": {"nmae": "x"}}', '"nmae"', "name"),
    ],
)
def test_a_misspelt_key_is_found_and_mended(desk: Desk, text: str, about: str, offer: str) -> None:
    assert desk.found(text) == {"unknown-key": about}
    assert f'"{offer}"' in desk.fixed(text, "unknown-key")
    assert desk.findings(desk.fixed(text, "unknown-key")) == []


@pytest.mark.parametrize(
    ("text", "about", "says"),
    [
        ('{"maxTurns": "many"}', '"many"', "ignored"),
        ('{"permissions": {"protectSecrets": "yes"}}', '"yes"', "counts as true"),
        ('{"permissions": {"deny": ["Bash", 7]}}', "7", "asks until it is mended"),
        ('{"permissions": {"deny": {}}}', "{}", "asks until it is mended"),
        ('{"permissions": {"disableBypassPermissionsMode": true}}', "true", '"disable"'),
    ],
)
def test_a_value_of_the_wrong_kind_is_found_with_its_consequence(
    desk: Desk, text: str, about: str, says: str
) -> None:
    (finding,) = desk.findings(text)
    assert finding.code == "wrong-value"
    assert text[finding.span[0] : finding.span[1]] == about
    assert says in finding.message


@pytest.mark.parametrize("mode", ["auto", "yolo", "fullAccess"])
def test_a_mode_that_cannot_be_chosen_is_found(desk: Desk, mode: str) -> None:
    text = json.dumps({"permissions": {"defaultMode": mode, "subagentMode": "plan"}})
    assert desk.found(text) == {"unknown-mode": f'"{mode}"'}


def test_a_key_that_has_no_effect_in_this_file_is_found(desk: Desk) -> None:
    text = '{"skipBashExecPermission": true}'
    assert desk.found(text, desk.project) == {"no-effect-here": '"skipBashExecPermission"'}
    assert desk.found(text, desk.user) == {}
    text = '{"permissions": {"trustedDirectories": ["x"]}}'
    assert desk.found(text, desk.project) == {}
    desk.trusted = False
    assert desk.found(text, desk.project) == {"no-effect-here": '"trustedDirectories"'}


def test_a_misspelt_tool_is_found_and_mended(desk: Desk) -> None:
    text = rules(allow=["Bsh(git:*)"])
    assert desk.found(text) == {"unknown-tool": '"Bsh(git:*)"'}
    assert '"Bash(git:*)"' in desk.fixed(text, "unknown-tool")


@pytest.mark.parametrize("rule", ["Bash(git", "(x)", "Bash(x) y", "*(x)"])
@pytest.mark.parametrize("behavior", ["allow", "ask", "deny"])
def test_a_malformed_rule_is_an_error(desk: Desk, rule: str, behavior: str) -> None:
    (finding,) = desk.findings(rules(**{behavior: [rule]}))
    assert (finding.code, finding.severity) == ("malformed-rule", "error")


def test_a_rule_that_matches_nothing_is_found(desk: Desk) -> None:
    text = rules(allow=["Grep(src/**)", "WebFetch(example.com)", "Bash(a && b:*)"])
    assert [one.code for one in desk.findings(text)] == ["inert-rule"] * 3


def test_a_rule_that_another_file_makes_needless_points_there(desk: Desk) -> None:
    desk.write(desk.user, deny=["Bash(rm:*)"])
    text = rules(allow=["Bash(rm -r build)", "Bash(make)"])

    (finding,) = desk.findings(text)

    assert (finding.code, finding.severity, finding.unnecessary) == ("shadowed-rule", "hint", True)
    assert [(one.file, one.line, one.span) for one in finding.related] == [(desk.user, 1, None)]
    assert json.loads(desk.fixed(text, "shadowed-rule")) == {
        "permissions": {"allow": ["Bash(make)"]}
    }


@pytest.mark.parametrize("at", range(3))
def test_taking_out_a_needless_rule_leaves_json(desk: Desk, at: int) -> None:
    entries = ["Read(/a/**)", "Edit(/b/**)"]
    entries.insert(at, "Bash(rm:*)")
    desk.write(desk.user, deny=["Bash(rm:*)"])
    fixed = json.loads(desk.fixed(rules(deny=entries), "shadowed-rule"))
    assert fixed == {"permissions": {"deny": ["Read(/a/**)", "Edit(/b/**)"]}}


def test_a_contradiction_in_one_file_points_to_the_other_rule(desk: Desk) -> None:
    text = rules(allow=["Bash(make)"], deny=["Bash(make)"])

    (finding,) = desk.findings(text)

    assert (finding.code, finding.severity) == ("contradictory-rule", "warning")
    span = finding.related[0].span
    assert span is not None
    assert text[span[0] : span[1]] == '"Bash(make)"'
    assert span != finding.span


def test_the_edited_text_counts_and_not_the_file_on_disk(desk: Desk) -> None:
    desk.write(desk.project, deny=["Bash"])
    assert desk.findings(rules(allow=["Bash(make)"])) == []


def test_rules_are_judged_in_a_text_that_is_broken_elsewhere(desk: Desk) -> None:
    text = '{"permissions": {"allow": ["Bsh(x)"]}, "maxTurns": }'
    assert {"broken-json", "unknown-tool"} <= set(desk.found(text))


def test_more_rules_than_can_be_compared_are_said_to_be_too_many(desk: Desk) -> None:
    text = rules(allow=[f"Bash(tool{number}:*)" for number in range(500)])
    assert set(desk.found(text)) == {"not-compared"}


# --- hover ---


def test_a_rule_is_explained_in_plain_words_with_examples(desk: Desk) -> None:
    text = rules(allow=["Bash(git log:*)"])

    said = desk.hover(text, "Bash(")

    assert "Runs without a question" in said
    assert "begin with the words `git log`" in said
    assert "`trusted_allow`" in said
    matched, missed = said.split("Does not match")
    assert "- `git log x`" in matched
    assert "- `git logx`" in missed
    assert "- `git log x > out.txt`" in missed


def test_trust_decides_which_phase_a_projects_rule_counts_in(desk: Desk) -> None:
    desk.trusted = False
    assert "`untrusted_allow`" in desk.hover(rules(allow=["Bash(make)"]), "Bash(")
    assert "`deny_rules`" in desk.hover(rules(deny=["Bash(make)"]), "Bash(")


def test_a_key_is_explained_with_its_default_and_who_may_set_it(desk: Desk) -> None:
    said = desk.hover('{"model": {"baseUrl": "x"}}', "baseUrl")
    assert "Address of a server" in said
    assert "not taken from a project" in said
    assert desk.hover('{"model": {"baseUrl": "x"}}', '"x"') == ""
    assert desk.hover('{"unheard": 1}', "unheard") == ""


def test_what_stands_in_the_file_cannot_dress_up_the_hover(desk: Desk) -> None:
    said = desk.hover(rules(allow=["Bash(x` ![a](http://evil.invalid/a.png) `y)"]), "Bash(")
    for line in said.splitlines():
        if "evil" in line:
            assert line.count("``") >= 2


@pytest.mark.parametrize(
    "rule",
    [
        "Bash(git:*)", "Bash(npm run *)", "Bash(make)", "PowerShell(npm:*)", "Read(.env)",
        "Read(//srv/data/**)", "Edit(/src/**)", "Edit(docs/*.md)", "Read(~/notes/**)",
        "WebFetch(domain:example.com)", "Agent(Explore)", "Skill(deploy)", "mcp__db", "mcp__db__read",
    ],
)  # fmt: skip
@pytest.mark.parametrize("behavior", ["allow", "deny"])
def test_every_form_has_an_example_of_both_kinds(tmp_path: Path, rule: str, behavior: Any) -> None:
    tool, opening, content = rule.partition("(")
    made = PermissionRule(
        source="userSettings",
        behavior=behavior,
        tool=tool,
        content=content[:-1] if opening else None,
    )
    examples = examples_of(made, Judge(tmp_path).state)
    assert examples.matched
    assert examples.missed


# --- completion ---


def fits(text: str, **more: Any) -> dict[str, SettingsItem]:
    """Return what fits at the bar."""
    at = text.index("|")
    return {item.label: item for item in complete(text.replace("|", ""), at, **more)}


def filled(text: str, label: str) -> str:
    item = fits(text)[label]
    plain = text.replace("|", "")
    return plain[: item.span[0]] + item.new_text + plain[item.span[1] :]


def test_keys_that_are_missing_are_offered(desk: Desk) -> None:
    offered = fits('{"permissions": {"allow": [], |}}')
    assert "deny" in offered
    assert "allow" not in offered
    assert "model" not in offered
    assert {"permissions", "model", "maxTurns"} <= set(fits("{|"))
    assert set(fits('{"planMode": {|}}')) == {"directory", "eagerness"}
    assert fits('{"elsewhere": {|}}') == {}


@pytest.mark.parametrize(
    ("text", "label", "expected"),
    [
        ('{"permissions": {"de|"}}', "deny", '{"permissions": {"deny"}}'),
        ('{"permissions": {"de|', "deny", '{"permissions": {"deny'),
        (
            '{"permissions": {"defaultMode": "|"}}',
            "plan",
            '{"permissions": {"defaultMode": "plan"}}',
        ),
        ('{"permissions": {"defaultMode": |}}', "plan", '{"permissions": {"defaultMode": "plan"}}'),
        ('{"edit": {"saveAfterEdit": tr|}}', "true", '{"edit": {"saveAfterEdit": true}}'),
        ('{"permissions": {"allow": ["Ba|"]}}', "Bash", '{"permissions": {"allow": ["Bash"]}}'),
        (
            '{"permissions": {"allow": ["Read", "Ba|',
            "Bash",
            '{"permissions": {"allow": ["Read", "Bash',
        ),
        ('{"permissions": {"deny": [|]}}', "Read", '{"permissions": {"deny": ["Read"]}}'),
    ],
)
def test_what_is_chosen_lands_where_it_belongs(text: str, label: str, expected: str) -> None:
    assert filled(text, label) == expected


def test_forms_have_places_to_fill_in() -> None:
    item = fits('{"permissions": {"allow": ["|"]}}')["Bash(command:*)"]
    assert item.snippet == "Bash(${1:command}:*)"


def test_tools_of_servers_that_other_rules_name_are_offered(desk: Desk) -> None:
    desk.write(desk.user, allow=["mcp__db__read"])
    place = desk.language.place_of(desk.project)
    assert place is not None
    text = '{"permissions": {"ask": ["'
    labels = {item.label for item in desk.language.complete(place, text, len(text))}
    assert "mcp__db__read" in labels


@pytest.mark.parametrize(
    "text", ["|", '"|"', "[|]", '{"a": "x|"}', '{"maxTurns": |}', '{"x": ["|"]}']
)
def test_where_nothing_is_known_nothing_is_offered(text: str) -> None:
    assert fits(text) == {}


# --- for all texts ---


def test_every_key_has_a_text() -> None:
    def keys(model: type[BaseModel], prefix: str = "") -> set[str]:
        found: set[str] = set()
        for name, field in model.model_fields.items():
            key = f"{prefix}{field.alias or name}"
            found.add(key)
            inner = field.annotation
            if isinstance(inner, type) and issubclass(inner, BaseModel):
                found |= keys(inner, f"{key}.")
        return found

    assert keys(SettingsFile) == set(KEY_DOCS)


GOOD = rules(allow=["Bash(git:*)", "Read"], deny=["Edit(/src/**)"], x=[]) + "\U0001f600"
JSONISH = st.lists(
    st.sampled_from(
        ["{", "}", "[", "]", ",", ":", '"', "\\", "1", "null", "\n", " ", "//", "\U0001f600", "\ud800",
         '"permissions"', '"allow"', '"deny"', '"Bash(a:*)"', '"Bsh(a"', '"defaultMode"', '"plan"']
    ),
    max_size=30,
).map("".join)  # fmt: skip


@settings(
    max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    text=st.one_of(
        JSONISH,
        st.text(max_size=60),
        st.tuples(st.integers(0, len(GOOD)), st.text(max_size=4), st.integers(0, len(GOOD))).map(
            lambda cut: GOOD[: cut[0]] + cut[1] + GOOD[cut[2] :]
        ),
    )
)
def test_any_text_gets_an_answer(desk: Desk, text: str) -> None:
    place = desk.language.place_of(desk.project)
    assert place is not None
    analysis = desk.language.analyse(place, text, None)
    for finding in analysis.findings:
        assert 0 <= finding.span[0] <= finding.span[1] <= max(len(text), 1) + 1
        assert finding.message
    for offset in {0, len(text) // 2, len(text)}:
        desk.language.hover(analysis, offset, None)
        desk.language.complete(place, text, offset)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 50_000, '"' * 100_000, "{,}" * 30_000])
def test_a_hostile_text_gets_an_answer_too(desk: Desk, text: str) -> None:
    assert desk.findings(text)
    place = desk.language.place_of(desk.project)
    assert place is not None
    desk.language.complete(place, text, len(text))
