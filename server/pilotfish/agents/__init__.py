"""Sub-agents: their definitions, and the tools by which the model starts and addresses them.

Owns: what an agent definition is, where definitions come from and which of them count, the tools.
Does not own: running an agent (``session``), what one may do (``permissions``).
Definition files come from repositories: they are data, may be broken or hostile, and are never run.
"""
