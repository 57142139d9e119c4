"""Edges: they parse, validate and translate, and decide nothing.

Owns: one package per way in (LSP, ACP, the command line) and what they share.
Does not own: anything that two edges would have to agree on beyond translation.
"""
