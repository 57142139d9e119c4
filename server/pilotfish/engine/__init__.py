"""One turn: from a prompt to the model's last word.

Owns: the loop, the model's view of the conversation, how a turn ends.
Does not own: permissions (behind the tool runner), storage and queueing (``session``), any UI.
"""
