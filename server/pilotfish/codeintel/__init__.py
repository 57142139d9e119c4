"""What is known about code: syntax now, semantics from language servers later.

Owns: parsing, diagnostics after an edit.
Does not own: files (``workspace``), editor protocols (``ports``).
"""
