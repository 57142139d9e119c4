"""Which language servers there are.

Owns: the record that describes a server, and the table of those that are known.
Does not own: finding their programs (``detect``), running them (``pool``).
See also: design §7.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import PurePath
from typing import Literal

from pilotfish.core.jsontypes import JsonMapping, JsonObject, JsonValue
from pilotfish.util.records import dataclass

Home = Literal["python", "node", "path"]
"""Where a program is looked for before the PATH: virtual environments, ``node_modules/.bin``, nowhere."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerDefinition:
    """A language server as it is described."""

    name: str
    argv: tuple[str, ...]
    """Program and arguments."""
    languages: Mapping[str, str]
    """From the suffix of a file, with its dot, to the language's name in the protocol."""
    root_markers: tuple[tuple[str, ...], ...] = ()
    """Names of files that mark a root. The nearest folder with one of the first group wins, then that
    with one of the second. None found: the workspace's folder."""
    initialization_options: JsonMapping = field(default_factory=dict[str, JsonValue])
    settings: JsonMapping = field(default_factory=dict[str, JsonValue])
    """What the server is told when it asks for its configuration, by section."""
    home: Home = "path"
    group: str = ""
    """Of the servers of one group the first that is found is used. Empty: its own name."""
    needs: tuple[tuple[str, str], ...] = ()
    """File names with a text: only used where one of these files stands at the root and holds it."""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variables on top of the process's own."""
    variant: str = ""
    """Tells apart what settings say of a server of one name, at different times or in different folders."""
    beside_editor: bool = False
    """Whether it is light enough to run beside the editor's server of the same language, in order to
    look at edits before they are made: that the editor cannot do."""
    is_linter: bool = False
    """Whether it judges style and habits alone, so that its silence says nothing of types and names."""
    described: bool = False
    """Whether the user has described it in the settings, and so wants to hear of it."""

    @property
    def alternatives(self) -> str:
        """The name under which it competes with others."""
        return self.group or self.name


def _languages(**names: str) -> dict[str, str]:
    return {f".{suffix}": name for name, row in names.items() for suffix in row.split()}


_PYTHON = _languages(python="py pyi")

_PYTHON_ROOT = (
    (
        "pyproject.toml",
        "ty.toml",
        "pyrefly.toml",
        "pyrightconfig.json",
        "setup.py",
        "setup.cfg",
        "requirements.txt",
    ),
)

_TYPESCRIPT = _languages(typescript="ts mts cts", javascript="js mjs cjs") | {
    ".tsx": "typescriptreact",
    ".jsx": "javascriptreact",
}

_PYREFLY: JsonObject = {"typeCheckingMode": "default", "displayTypeErrors": "force-on"}
"""What it calls the same in two versions."""

BUILT_IN: tuple[ServerDefinition, ...] = (
    ServerDefinition(
        name="ty",
        argv=("ty", "server"),
        languages=_PYTHON,
        root_markers=_PYTHON_ROOT,
        initialization_options={"diagnosticMode": "workspace"},
        settings={"ty": {"diagnosticMode": "workspace"}},
        home="python",
        group="python types",
        beside_editor=True,
    ),
    ServerDefinition(
        name="basedpyright",
        argv=("basedpyright-langserver", "--stdio"),
        languages=_PYTHON,
        root_markers=_PYTHON_ROOT,
        home="python",
        group="python types",
        beside_editor=True,
    ),
    ServerDefinition(
        name="pyrefly",
        argv=("pyrefly", "lsp"),
        languages=_PYTHON,
        root_markers=_PYTHON_ROOT,
        # In a project without settings for it, it finds next to nothing unless it is told to look.
        initialization_options={"pyrefly": _PYREFLY},
        settings={"python": {"pyrefly": _PYREFLY}},
        home="python",
        group="python types",
        beside_editor=True,
    ),
    ServerDefinition(
        name="ruff",
        argv=("ruff", "server"),
        languages=_PYTHON,
        root_markers=(("ruff.toml", ".ruff.toml", "pyproject.toml"),),
        home="python",
        # Its usual rules are not everybody's: only where the project has chosen it.
        needs=(("ruff.toml", ""), (".ruff.toml", ""), ("pyproject.toml", "[tool.ruff")),
        beside_editor=True,
        is_linter=True,
    ),
    ServerDefinition(
        name="typescript-language-server",
        argv=("typescript-language-server", "--stdio"),
        languages=_TYPESCRIPT,
        root_markers=(
            ("package-lock.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock"),
            ("tsconfig.json", "jsconfig.json", "package.json"),
        ),
        # No download of type packages: a language server has no business on the network.
        initialization_options={"disableAutomaticTypingAcquisition": True},
        home="node",
        beside_editor=True,
    ),
    ServerDefinition(
        name="gopls",
        argv=("gopls",),
        languages={".go": "go", ".mod": "go.mod"},
        root_markers=(("go.work",), ("go.mod",)),
    ),
    ServerDefinition(
        name="rust-analyzer",
        argv=("rust-analyzer",),
        languages=_languages(rust="rs"),
        root_markers=(("Cargo.lock",), ("Cargo.toml",)),
    ),
    ServerDefinition(
        name="clangd",
        argv=("clangd", "--background-index=false"),
        languages=_languages(c="c", cpp="cc cpp cxx h hh hpp hxx"),
        root_markers=(("compile_commands.json", "compile_flags.txt", ".clangd"),),
        # Without knowing how the files are compiled it finds errors that are none.
        needs=(("compile_commands.json", ""), ("compile_flags.txt", ""), (".clangd", "")),
    ),
    ServerDefinition(
        name="jdtls",
        argv=("jdtls",),
        languages=_languages(java="java"),
        root_markers=(
            ("gradlew", "mvnw", "settings.gradle", "settings.gradle.kts"),
            ("pom.xml", "build.gradle", "build.gradle.kts"),
        ),
    ),
)


def definitions_with(own: Iterable[ServerDefinition]) -> tuple[ServerDefinition, ...]:
    """Return the table with the user's own entries in front; one of a known name replaces it."""
    first = tuple(own)
    names = {one.name for one in first}
    return (*first, *(one for one in BUILT_IN if one.name not in names))


def definitions_for(
    path: PurePath, table: Iterable[ServerDefinition]
) -> dict[str, list[ServerDefinition]]:
    """Return the servers for a file by group, those to be preferred first."""
    found: dict[str, list[ServerDefinition]] = {}
    suffix = path.suffix.lower()
    for definition in table:
        if suffix in definition.languages:
            found.setdefault(definition.alternatives, []).append(definition)
    return found
