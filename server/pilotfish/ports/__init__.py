"""Protocols to the outside world and across sibling packages.

Owns: the seams. Each has a real implementation below or beside it and an in-memory one in tests.
Does not own: any behaviour.
"""
