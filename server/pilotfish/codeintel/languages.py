"""Which language a file is in.

Owns: the tables from file names, first lines and the editor's names to grammars. For the syntax check a
language is left out when its grammar reports errors in good files (SQL dialects, Makefiles), for a
false alarm costs more than a missed one; symbols are read in every language.
"""

import re
from functools import cache
from pathlib import PurePath
from typing import get_args

_BY_SUFFIX: dict[str, str] = {
    suffix: language
    for language, suffixes in {
        "bash": "bash sh",
        "c": "c",
        "cpp": "cc cpp cxx h hh hpp hxx",
        "csharp": "cs",
        "css": "css",
        "dart": "dart",
        "elixir": "ex exs",
        "go": "go",
        "graphql": "graphql gql",
        "haskell": "hs",
        "hcl": "hcl tf",
        "html": "html htm",
        "java": "java",
        "javascript": "cjs js jsx mjs",
        "json": "json jsonc",
        "julia": "jl",
        "kotlin": "kt kts",
        "lua": "lua",
        "ocaml": "ml",
        "php": "php",
        "proto": "proto",
        "python": "py pyi",
        "r": "r",
        "ruby": "gemspec rake rb",
        "rust": "rs",
        "scala": "scala",
        "scss": "scss",
        "swift": "swift",
        "toml": "toml",
        "tsx": "tsx",
        "typescript": "cts mts ts",
        "xml": "svg xml",
        "yaml": "yaml yml",
        "zig": "zig",
    }.items()
    for suffix in suffixes.split()
}

_BY_NAME: dict[str, str] = {
    "Dockerfile": "dockerfile",
    "Gemfile": "ruby",
    "Rakefile": "ruby",
    ".bashrc": "bash",
    ".bash_profile": "bash",
}


FIRST_LINE_CHARS = 200
"""Characters of a text in which a script names its program."""

CHECKED_LANGUAGES = frozenset([*_BY_SUFFIX.values(), *_BY_NAME.values()])
"""Languages whose grammars report no errors in good files."""


def language_of(path: PurePath) -> str | None:
    """Return the grammar's name for a file; None when there is none that can be relied on."""
    return _BY_NAME.get(path.name) or _BY_SUFFIX.get(path.suffix.lower().removeprefix("."))


_MORE_BY_SUFFIX: dict[str, str] = {
    suffix: language
    for language, suffixes in {
        "actionscript": "as",
        "ada": "adb ads",
        "agda": "agda",
        "apex": "apex cls trigger",
        "arduino": "ino",
        "asm": "asm s",
        "astro": "astro",
        "bash": "bats ksh zsh",
        "beancount": "bean beancount",
        "bibtex": "bib",
        "bicep": "bicep",
        "bitbake": "bb bbappend bbclass",
        "bsl": "bsl",
        "cairo": "cairo",
        "capnp": "capnp",
        "clarity": "clar",
        "clojure": "clj cljc cljs edn",
        "cmake": "cmake",
        "cobol": "cbl cob",
        "commonlisp": "cl lisp",
        "csharp": "csx",
        "cuda": "cu cuh",
        "d": "d",
        "dtd": "dtd",
        "elisp": "el",
        "elm": "elm",
        "ejs": "ejs",
        "erb": "erb",
        "erlang": "erl hrl",
        "fennel": "fnl",
        "firrtl": "fir",
        "fish": "fish",
        "fortran": "f f03 f08 f90 f95 for",
        "fsharp": "fs fsx",
        "fsharp_signature": "fsi",
        "func": "fc",
        "gdscript": "gd",
        "gleam": "gleam",
        "glsl": "frag glsl vert",
        "gn": "gn gni",
        "groovy": "gradle groovy",
        "hack": "hack hhi",
        "hare": "ha",
        "haxe": "hx",
        "heex": "heex",
        "hlsl": "hlsl",
        "ini": "cfg ini",
        "ispc": "ispc",
        "janet": "janet",
        "jsonnet": "jsonnet libsonnet",
        "kdl": "kdl",
        "latex": "sty tex",
        "linkerscript": "ld lds",
        "llvm": "ll",
        "luau": "luau",
        "magik": "magik",
        "make": "mak mk",
        "markdown": "markdown md",
        "matlab": "m",
        "mermaid": "mermaid mmd",
        "netlinx": "axi axs",
        "nim": "nim nims",
        "ninja": "ninja",
        "nix": "nix",
        "nqc": "nqc",
        "objc": "mm",
        "ocaml_interface": "mli",
        "odin": "odin",
        "org": "org",
        "pascal": "dpr pas",
        "perl": "pl pm t",
        "php": "phtml",
        "pony": "pony",
        "powershell": "ps1 psd1 psm1",
        "prisma": "prisma",
        "properties": "properties",
        "puppet": "pp",
        "purescript": "purs",
        "python": "pyw",
        "qmljs": "qml",
        "racket": "rkt",
        "rego": "rego",
        "ron": "ron",
        "rst": "rst",
        "scala": "sbt sc",
        "scheme": "scm ss",
        "smali": "smali",
        "smithy": "smithy",
        "solidity": "sol",
        "sparql": "rq sparql",
        "sql": "sql",
        "squirrel": "nut",
        "starlark": "bzl star",
        "svelte": "svelte",
        "tablegen": "td",
        "tcl": "tcl",
        "terraform": "tfvars",
        "thrift": "thrift",
        "twig": "twig",
        "typst": "typ",
        "uxntal": "tal",
        "v": "v",
        "verilog": "sv svh vh",
        "vhdl": "vhd vhdl",
        "vim": "vim",
        "vue": "vue",
        "wast": "wast",
        "wat": "wat",
        "wgsl": "wgsl",
        "yuck": "yuck",
    }.items()
    for suffix in suffixes.split()
}

_MORE_BY_NAME: dict[str, str] = {
    "BUILD": "starlark",
    "BUILD.bazel": "starlark",
    "CMakeLists.txt": "cmake",
    "GNUmakefile": "make",
    "Kconfig": "kconfig",
    "Jenkinsfile": "groovy",
    "Makefile": "make",
    "Podfile": "ruby",
    "Vagrantfile": "ruby",
    "WORKSPACE": "starlark",
    "go.mod": "gomod",
    "go.sum": "gosum",
    "makefile": "make",
    "meson.build": "meson",
    "qmldir": "qmldir",
    "requirements.txt": "requirements",
    ".profile": "bash",
    ".zshrc": "bash",
}

_BY_PROGRAM: dict[str, str] = {
    "bash": "bash", "dash": "bash", "ksh": "bash", "sh": "bash", "zsh": "bash", "fish": "fish",
    "bun": "javascript", "deno": "typescript", "node": "javascript", "ts-node": "typescript",
    "lua": "lua", "luajit": "lua", "make": "make", "perl": "perl", "php": "php", "pwsh": "powershell",
    "python": "python", "pypy": "python", "ruby": "ruby", "Rscript": "r", "scala": "scala",
    "swift": "swift", "tclsh": "tcl", "julia": "julia", "elixir": "elixir", "groovy": "groovy",
}  # fmt: skip
"""What the first line of a script names, without the version behind it."""

_BY_OTHER_NAME: dict[str, str] = {
    "c++": "cpp", "c#": "csharp", "cs": "csharp", "cuda-cpp": "cuda", "emacs-lisp": "elisp",
    "golang": "go", "html.erb": "erb", "javascriptreact": "tsx", "js": "javascript", "jsonc": "json",
    "jsx": "javascript", "kt": "kotlin", "makefile": "make", "md": "markdown",
    "objective-c": "objc", "protobuf": "proto", "proto3": "proto", "ps1": "powershell",
    "py": "python", "python3": "python", "rb": "ruby", "restructuredtext": "rst", "rs": "rust",
    "sh": "bash", "shell": "bash", "shellscript": "bash", "tex": "latex", "ts": "typescript",
    "typescriptreact": "tsx", "viml": "vim", "yml": "yaml", "zsh": "bash",
}  # fmt: skip
"""Names of languages in editors, on pages and in Markdown, where they are not the grammar's."""

NO_CODE = frozenset({
    "beancount", "bibtex", "comment", "csv", "css", "dockerfile", "doxygen", "dtd", "embeddedtemplate",
    "gitattributes", "gitcommit", "gitignore", "gomod", "gosum", "graphql", "hcl", "heex", "html", "ini",
    "jsdoc", "json", "kdl", "latex", "linkerscript", "luadoc", "markdown", "markdown_inline", "mermaid",
    "ninja", "org", "pem", "pgn", "po", "properties", "psv", "pymanifest", "qmldir", "readline",
    "requirements", "ron", "rst", "scss", "terraform", "toml", "tsv", "twig", "typst", "xml", "yaml",
})  # fmt: skip
"""Languages of data and texts: they define nothing which code would ask for."""

_SCRIPT = re.compile(
    r"#!\s*(?:\S*/)?([\w.+-]+)(?:[ \t]+(?:-S[ \t]+)?(?:\w+=\S*[ \t]+)*([\w./+-]+))?"
)


def grammar_of(path: PurePath, first_line: str = "") -> str | None:
    """Return the grammar's name for reading the symbols of a file.

    Args:
        path: The file; only its name counts.
        first_line: Its first line or more, for scripts whose name says nothing.
    """
    suffix = path.suffix.lower().removeprefix(".")
    named = _MORE_BY_NAME.get(path.name) or language_of(path) or _MORE_BY_SUFFIX.get(suffix)
    if named is not None or path.suffix or not first_line.startswith("#!"):
        return named
    found = _SCRIPT.match(first_line)
    if found is None:
        return None
    program = found[2] if found[1] == "env" and found[2] else found[1]
    return _BY_PROGRAM.get(program.rsplit("/", 1)[-1].rstrip("0123456789."))


def language_named(name: str) -> str | None:
    """Return the grammar for a language as an editor or a Markdown text calls it; None for none."""
    lower = name.lower()
    lower = _BY_OTHER_NAME.get(lower, lower)
    return lower if lower in _grammars() else None


def grammar_name(language: str) -> str:
    """Return the grammar that parses a language: nearly always the one of its name."""
    return _DIALECTS.get(language, language)


@cache
def _grammars() -> frozenset[str]:
    from tree_sitter_language_pack import SupportedLanguage

    return frozenset([*get_args(SupportedLanguage), *_DIALECTS])


DOTTED_NAMES = frozenset({"elixir"})
"""Languages where the name of a module is one word of the tree with all its dots; uses often say the
last part alone."""

TEMPLATES = frozenset({"php", "erb", "ejs"})
"""Languages in which pages and code take turns."""

_DIALECTS = {"ejs": "embeddedtemplate", "erb": "embeddedtemplate"}
"""Languages that share a grammar, since they differ in what is embedded alone."""

PAGES = frozenset({"html", "vue", "svelte", "astro"})
"""Languages whose texts hold scripts and styles; what they define is in these."""

WITH_PARTS = PAGES | TEMPLATES | {"markdown"}
"""Languages whose texts hold parts in others that are meant to be complete."""
