"""Which language a file is in, for the syntax check.

Owns: the table from file names to grammars. A language is left out when its grammar reports errors in
good files (SQL dialects, Makefiles), for a false alarm costs more than a missed one.
"""

from pathlib import PurePath

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


def language_of(path: PurePath) -> str | None:
    """Return the grammar's name for a file; None when there is none that can be relied on."""
    return _BY_NAME.get(path.name) or _BY_SUFFIX.get(path.suffix.lower().removeprefix("."))
