"""The command line edge: one prompt from a shell, for people and for scripts.

Owns: options, output formats, asking on a terminal, exit codes.
Does not own: the engine, which it drives like any other client.
"""
