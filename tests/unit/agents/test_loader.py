"""Finding definitions: which folder counts, and what a hostile folder can do."""

import os
import socket
from pathlib import Path

import pytest
from pilotfish.agents.loader import (
    MAX_FILES,
    KnownAgents,
    agent_files,
    load_agents,
)
from pilotfish.agents.model import DefinitionSource
from pilotfish.definitions.catalog import Catalog
from pilotfish.definitions.files import MAX_FILE_BYTES
from pilotfish.definitions.loading import DefinitionSources


def write(folder: Path, name: str, *, described: str = "d", file: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (file or f"{name}.md")
    path.write_text(f"---\nname: {name}\ndescription: {described}\n---\nDo it.\n", encoding="utf-8")
    return path


class Places:
    """The folders of a user, a project and an administrator."""

    def __init__(self, tmp_path: Path) -> None:
        self.home = tmp_path / "home"
        self.project = tmp_path / "project"
        self.managed = tmp_path / "etc"
        self.user = self.home / ".pilotfish" / "agents"
        self.user_other = self.home / ".claude" / "agents"
        self.own = self.project / ".pilotfish" / "agents"
        self.other = self.project / ".claude" / "agents"
        self.policy = self.managed / "agents"

    def sources(self, *, trusted: bool = True) -> DefinitionSources:
        return DefinitionSources(
            state_folder=self.home / ".pilotfish",
            user_home=self.home,
            project_root=self.project,
            trusted=trusted,
            policy_folder=self.managed,
            policy_owner_uid=os.getuid(),
        )

    def load(self, *, trusted: bool = True) -> KnownAgents:
        return load_agents(self.sources(trusted=trusted))

    def problem(self) -> str:
        """Return the one problem; no definition but the built-in ones counts."""
        known = self.load()
        assert all(found.source == "built-in" for found in known.found)
        (problem,) = known.problems
        return problem.text


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def test_a_stronger_source_replaces_a_definition_whole(places: Places) -> None:
    expected: list[tuple[Path, DefinitionSource]] = [
        (places.user_other, "userSettings"),
        (places.user, "userSettings"),
        (places.other, "projectSettings"),
        (places.own, "projectSettings"),
        (places.policy, "policySettings"),
    ]
    for folder, source in expected:
        write(folder, "Explore", described=str(folder))
        found = Catalog(places.load()).active()["Explore"]
        assert (found.description, found.source, found.path) == (
            str(folder),
            source,
            folder / "Explore.md",
        )
        # Nothing of the built-in one is left.
        assert (found.model, found.disallowed_tools) == (None, ())
    assert [one.agent_type for one in places.load().found].count("Explore") == 6


def test_without_any_folder_there_are_the_built_in_agents(places: Places) -> None:
    known = places.load()
    assert sorted(Catalog(known).active()) == [
        "Explore", "Plan", "general-purpose", "statusline-setup",
    ]  # fmt: skip
    assert not known.problems


def test_a_projects_definitions_are_not_even_read_without_trust(places: Places) -> None:
    write(places.own, "helper")
    (places.other).mkdir(parents=True)
    (places.other / "broken.md").write_text("---\nname: [\n---\n", encoding="utf-8")
    write(places.user, "mine")
    known = places.load(trusted=False)
    assert "helper" not in Catalog(known).active()
    assert "mine" in Catalog(known).active()
    assert not known.problems
    assert set(known.untrusted) == {places.own / "helper.md", places.other / "broken.md"}
    assert "helper" in Catalog(places.load()).active()


def test_a_broken_file_blocks_no_other(places: Places) -> None:
    write(places.own, "good")
    (places.own / "bad.md").write_text("---\nname: bad\n---\nText", encoding="utf-8")
    (places.own / "README.md").write_text("# Our agents\n", encoding="utf-8")
    known = places.load()
    assert "good" in Catalog(known).active()
    (problem,) = known.problems
    assert problem.path == places.own / "bad.md"
    assert problem.severity == "error"


def test_of_two_files_with_one_name_the_first_counts(places: Places) -> None:
    first = write(places.own, "twin", file="a.md")
    write(places.own, "twin", file="b.md")
    known = places.load()
    assert Catalog(known).active()["twin"].path == first
    assert known.problems[0].text == "a.md defines twin already."


def test_only_markdown_directly_in_the_folder_is_read(places: Places) -> None:
    write(places.own / "deeper", "deep")
    write(places.own, "text", file="text.txt")
    write(places.own, "upper", file="UPPER.MD")
    assert agent_files(places.sources()) == (places.own / "UPPER.MD",)


def test_a_link_out_of_the_project_is_not_read(places: Places, tmp_path: Path) -> None:
    secret = write(tmp_path / "elsewhere", "secret")
    places.own.mkdir(parents=True)
    (places.own / "link.md").symlink_to(secret)
    assert "leads out of the project" in places.problem()


def test_a_folder_that_is_a_link_out_of_the_project_is_not_read(
    places: Places, tmp_path: Path
) -> None:
    write(tmp_path / "elsewhere", "secret")
    (places.project / ".pilotfish").mkdir(parents=True)
    places.own.symlink_to(tmp_path / "elsewhere")
    assert "leads out of the project" in places.problem()


def test_links_within_the_project_and_of_the_user_are_followed_once(
    places: Places, tmp_path: Path
) -> None:
    write(places.own, "shared")
    places.other.mkdir(parents=True)
    (places.other / "shared.md").symlink_to(places.own / "shared.md")
    places.user.mkdir(parents=True)
    (places.user / "mine.md").symlink_to(write(tmp_path / "dotfiles", "mine"))
    known = places.load()
    assert not known.problems
    names = [found.agent_type for found in known.found if found.source != "built-in"]
    assert sorted(names) == ["mine", "shared"]


def test_what_is_no_file_is_not_waited_for(places: Places) -> None:
    places.own.mkdir(parents=True)
    os.mkfifo(places.own / "pipe.md")
    assert places.problem() == "It is not a regular file."


def test_folders_sockets_and_loops_are_problems_of_their_own(places: Places) -> None:
    write(places.own, "good")
    (places.own / "folder.md").mkdir()
    (places.own / "loop.md").symlink_to(places.own / "loop.md")
    with socket.socket(socket.AF_UNIX) as unix:
        here = Path.cwd()
        os.chdir(places.own)
        try:
            unix.bind("socket.md")
        finally:
            os.chdir(here)
        known = places.load()
    assert "good" in Catalog(known).active()
    assert {problem.path.name for problem in known.problems} == {
        "folder.md", "loop.md", "socket.md",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"---\nname: x\ndescription: d\n---\n" + b"x" * MAX_FILE_BYTES, "larger than 256 KiB"),
        (bytes(range(256)), "not UTF-8"),
        ("---\nname: x\n---\n".encode("utf-16"), "not UTF-8"),
        (b"---\nname: \x00x\ndescription: d\n---\nText", "control characters"),
    ],
)
def test_what_is_no_text_of_sensible_size_is_refused(
    places: Places, content: bytes, what: str
) -> None:
    places.own.mkdir(parents=True)
    (places.own / "x.md").write_bytes(content)
    assert what in places.problem()


def test_a_file_that_may_not_be_read_is_a_problem(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(places.own, "x")
    real = os.open

    def refuse(path: str | Path, *rest: int, **more: int | None) -> int:
        if Path(path) == file:
            raise PermissionError(13, "Permission denied")
        return real(path, *rest, **more)

    monkeypatch.setattr("os.open", refuse)
    assert "Permission denied" in places.problem()


def test_ten_thousand_files_are_two_hundred(places: Places) -> None:
    places.own.mkdir(parents=True)
    text = b"---\nname: a%05d\ndescription: d\n---\nText"
    for number in range(10_000):
        (places.own / f"a{number:05d}.md").write_bytes(text % number)
    known = places.load()
    mine = [found.agent_type for found in known.found if found.source != "built-in"]
    assert mine == [f"a{number:05d}" for number in range(MAX_FILES)]
    (problem,) = known.problems
    assert "first 200" in problem.text
    assert problem.path == places.own


def test_a_policy_that_others_may_write_does_not_count(places: Places) -> None:
    file = write(places.policy, "ruled")
    assert "ruled" in Catalog(places.load()).active()
    file.chmod(0o666)
    assert "others than the administrator" in places.problem()


def test_a_home_that_is_the_project_counts_as_the_users(tmp_path: Path) -> None:
    places = Places(tmp_path)
    places.project = places.home
    write(places.user, "mine")
    known = places.load(trusted=False)
    assert Catalog(known).active()["mine"].source == "userSettings"
    assert not known.untrusted
