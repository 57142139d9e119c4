"""The settings file as a language: what an editor shows while somebody writes it.

Owns: reading a file's text with positions, findings, hovers, completions and fixes, as plain data.
Does not own: the editor's protocol (``edges.lsp``), what settings mean to a session (``config``).

Invariants: works on unsaved and broken text and never raises for it; nothing here changes a file or
runs anything; positions are character offsets.
"""
