"""The embedded demo: a small deterministic model that plays three tasks in the example workspace.

Owns: what it says and does there, working from real tool results only; and saying plainly, for
anything else, that a real model must be configured and how.
Does not own: when it is used (``llm.choose``: only where nothing else is configured), tools.

A task is a generator (``play``): it yields what to do next and is sent what came of it. The demo
keeps nothing between calls: each time, the task runs anew over the results in the conversation.
"""
