"""Findings, hovers and completions of settings files in the words of LSP.

Owns: the translation. Does not own: what they say (``permissions.language``), when they are sent
(``settings_files``).
"""

from collections.abc import Callable, Sequence

from lsprotocol import types

from pilotfish.edges.lsp.positions import LineIndex
from pilotfish.permissions.language.check import Fix, Related, SettingsFinding, Severity
from pilotfish.permissions.language.complete import ItemKind, SettingsItem
from pilotfish.permissions.language.hover import SettingsHover

SOURCE = "pilotfish"

Say = Callable[[str], str]
"""Puts a text into the editor's language."""

_SEVERITIES: dict[Severity, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "information": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}
_KINDS: dict[ItemKind, types.CompletionItemKind] = {
    "key": types.CompletionItemKind.Property,
    "value": types.CompletionItemKind.EnumMember,
    "tool": types.CompletionItemKind.Function,
    "form": types.CompletionItemKind.Snippet,
}


def diagnostic(uri: str, finding: SettingsFinding, lines: LineIndex, say: Say) -> types.Diagnostic:
    """Return a finding as a diagnostic."""
    return types.Diagnostic(
        range=lines.range(*finding.span),
        message=say(finding.message),
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if finding.unnecessary else None,
        related_information=[_related(uri, one, lines, say) for one in finding.related] or None,
    )


def hover(found: SettingsHover, lines: LineIndex, say: Say) -> types.Hover:
    """Return a hover."""
    content = types.MarkupContent(kind=types.MarkupKind.Markdown, value=say(found.markdown))
    return types.Hover(contents=content, range=lines.range(*found.span))


def completion(
    item: SettingsItem, lines: LineIndex, say: Say, *, snippets: bool
) -> types.CompletionItem:
    """Return something that fits; with places to fill in where the editor knows them."""
    is_snippet = snippets and item.snippet is not None
    text = item.snippet if is_snippet and item.snippet is not None else item.new_text
    return types.CompletionItem(
        label=item.label,
        kind=_KINDS[item.kind],
        detail=say(item.detail) or None,
        documentation=say(item.documentation) or None,
        # What has places to fill in is wanted more often than a whole tool.
        sort_text=f"{0 if item.kind == 'form' else 1}{item.label}",
        # Editors compare with what stands in the range, quotes included.
        filter_text=item.new_text,
        insert_text_format=(
            types.InsertTextFormat.Snippet if is_snippet else types.InsertTextFormat.PlainText
        ),
        text_edit=types.TextEdit(range=lines.range(*item.span), new_text=text),
    )


def quick_fixes(
    uri: str, version: int | None, findings: Sequence[SettingsFinding], lines: LineIndex, say: Say
) -> list[types.CodeAction]:
    """Return what would mend findings."""
    return [
        types.CodeAction(
            title=say(fix.title),
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic(uri, finding, lines, say)],
            is_preferred=True,
            edit=_edit(uri, version, fix, lines),
        )
        for finding in findings
        for fix in finding.fixes
    ]


def _edit(uri: str, version: int | None, fix: Fix, lines: LineIndex) -> types.WorkspaceEdit:
    change = types.TextEdit(range=lines.range(*fix.span), new_text=fix.new_text)
    document = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=version)
    return types.WorkspaceEdit(
        document_changes=[types.TextDocumentEdit(text_document=document, edits=[change])]
    )


def _related(
    uri: str, related: Related, lines: LineIndex, say: Say
) -> types.DiagnosticRelatedInformation:
    if related.span is not None:
        place, where = uri, lines.range(*related.span)
    else:
        start = types.Position(line=related.line - 1, character=0)
        place, where = related.file.as_uri(), types.Range(start=start, end=start)
    return types.DiagnosticRelatedInformation(
        location=types.Location(uri=place, range=where), message=say(related.message)
    )
