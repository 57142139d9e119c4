"""Names and models of what ACP and LSP have no word for: the ``_pilotfish/*`` methods.

Owns: the single source from which ``tools/gen_protocol.py`` writes the TypeScript.
Does not own: the ACP and LSP models (their packages), any conversion (edges).
"""
