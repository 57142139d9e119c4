"""Adapters to the places where models run; one module or package each.

Owns: translating our request into theirs and their stream into our events.
Does not own: choosing one (``llm.choose``), retrying (``llm.retry``).
"""
