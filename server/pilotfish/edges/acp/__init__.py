"""The Agent Client Protocol edge: ``pilotfish acp`` for editors that speak it.

Owns: newline-delimited JSON on standard input and output, ``initialize``, the connection's end.
Does not own: the session methods (``edges.session_methods``), the engine.
"""
