"""The user's files and the programs that run beside them.

Owns: child processes, reading and writing text files byte for byte, what an agent has read, the one
edit pipeline, file history, searching.
Does not own: tools (they call this), permissions, editor protocols (``ports.editor``).
"""
