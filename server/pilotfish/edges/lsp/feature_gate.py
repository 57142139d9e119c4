"""For which documents the editor hears from us about code.

Owns: the setting ``codeIntelligence.editorFeatures``, and the languages for which the editor says that
nobody else provides anything.
Does not own: the features (``edges.lsp.code_features``).
"""

from pathlib import Path

from pilotfish.codeintel.languages import grammar_of, language_named
from pilotfish.config.code_intelligence import EditorFeatures


class FeatureGate:
    """Decides per language."""

    def __init__(self, *, tells_languages: bool) -> None:
        self.tells_languages = tells_languages
        """Whether the editor says which languages nobody else serves."""
        self.mode: EditorFeatures = "auto"
        self.languages: frozenset[str] = frozenset()
        """Those languages, in the editor's words."""

    def serves(self, language_id: str | None) -> bool:
        """Tell whether a document is ours to speak about."""
        match self.mode:
            case "off":
                return False
            case "on":
                return True
            case "auto":
                return not self.tells_languages or language_id in self.languages

    def serves_file(self, path: Path) -> bool:
        """Tell whether a file is ours to speak about, open or not."""
        if self.mode != "auto" or not self.tells_languages:
            return self.mode != "off"
        language = grammar_of(path)
        return any(language_named(known) == language for known in self.languages)

    @property
    def serves_any(self) -> bool:
        """Whether any document is ours."""
        return self.mode == "on" or (
            self.mode == "auto" and (not self.tells_languages or bool(self.languages))
        )
