"""Prompt text.

Owns: the system prompt and how its blocks are put together.
Does not own: reminders that depend on what happened (whoever knows of it writes them).
"""
