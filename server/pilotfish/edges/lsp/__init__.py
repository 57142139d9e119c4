"""The language server edge: LSP, the agent channel and our own methods on one connection.

Owns: the transport, the handshake, translation of documents and requests.
Does not own: anything that another edge could need (``edges.updates``, ``session``).
"""
