"""What the keys of ``codeIntelligence`` mean, for people; a part of ``key_docs``."""

from pilotfish.config.key_doc import KeyDoc

CODE_KEY_DOCS: dict[str, KeyDoc] = {
    "codeIntelligence": KeyDoc(
        meaning="Language servers, the index of the workspace, and what the model is told of its edits."
    ),
    "codeIntelligence.useServers": KeyDoc(
        meaning="Whether Pilotfish runs language servers of its own where the editor has none. In a "
        "workspace that is not trusted none is ever started.",
        default="true",
        audience="tightening",
        values=("true", "false"),
    ),
    "codeIntelligence.servers": KeyDoc(
        meaning="Further language servers by name, or `false` for one that is not wanted. Each has "
        "`command` (program and arguments), `languages` (from suffix to language), and may have "
        "`rootMarkers`, `initializationOptions`, `settings` and `env`. They tell what edits break also "
        "where the editor has a server for the language.",
        default="{}",
        audience="trusting",
    ),
    "codeIntelligence.python": KeyDoc(
        meaning="The Python that the project works with, an interpreter or the folder of its environment, "
        "where Pilotfish does not find it (as poetry and conda keep them elsewhere). Python's language "
        "servers are looked for beside it, too. A relative path begins in the workspace's folder.",
        default="the project's own environment, then the active one; in VS Code the one that its Python "
        "extension has chosen for the folder",
        audience="trusting",
    ),
    "codeIntelligence.pythonByFolder": KeyDoc(
        meaning="The Python of single folders of a workspace, by their paths: an interpreter or the folder of its "
        "environment. It goes before `codeIntelligence.python`. A folder has what is named for the innermost one "
        "around it.",
        default="nothing; in VS Code what its Python extension has chosen for each folder",
        audience="trusting",
    ),
    "codeIntelligence.diagnostics": KeyDoc(
        meaning="Whether the model is told what language servers find of its edits.",
        default="true",
        values=("true", "false"),
    ),
    "codeIntelligence.diagnosticsWaitMs": KeyDoc(
        meaning="How long a step waits for that, in milliseconds; what comes later is told later.",
        default="2000",
    ),
    "codeIntelligence.diagnosticsPerFile": KeyDoc(
        meaning="How many diagnostics of one file the model is told at once; the rest is counted.",
        default="10",
    ),
    "codeIntelligence.diagnosticsPerTurn": KeyDoc(
        meaning="How many diagnostics the model is told in one turn; the rest is counted.",
        default="30",
    ),
    "codeIntelligence.preflightWaitMs": KeyDoc(
        meaning="How long the question before an edit waits for what language servers say of it, in "
        "milliseconds; `0` shows syntax errors alone.",
        default="500",
    ),
    "codeIntelligence.editorFeatures": KeyDoc(
        meaning="Whether the editor gets symbols, folding, definitions, references, calls and syntax "
        "errors from Pilotfish: `auto` for languages that nothing else serves, `on` for all, `off`.",
        default='"auto"',
        values=("auto", "on", "off"),
        meanings=(
            "For languages that no other extension serves.",
            "For all languages, beside what other extensions show.",
            "Never.",
        ),
    ),
    "codeIntelligence.quietLanguages": KeyDoc(
        meaning='Languages of which the model is told no diagnostics, as `"python"`; the question '
        "before an edit shows their syntax errors alone.",
        default="[]",
    ),
    "codeIntelligence.index": KeyDoc(
        meaning="The index of names in the workspace, which answers where things are defined and used."
    ),
    "codeIntelligence.index.enabled": KeyDoc(
        meaning="Whether the workspace is indexed. Files are read and parsed, never run.",
        default="true",
        values=("true", "false"),
    ),
    "codeIntelligence.index.maxFiles": KeyDoc(
        meaning="How many files of one folder are indexed; with more, those changed last are taken.",
        default="50000",
    ),
    "codeIntelligence.index.repositoryMap": KeyDoc(
        meaning="Whether the model is shown a map of the repository at the start of a session: the "
        "definitions that are used most. Files that a Read deny rule hides are left out.",
        default="true",
        values=("true", "false"),
    ),
    "codeIntelligence.index.repositoryMapTokens": KeyDoc(
        meaning="About how many tokens the map of the repository may have.", default="1000"
    ),
}
