"""Skills: whole workflows as Markdown, started by the user behind a slash or by the model.

Sits beside ``agents``: definitions as data, and what their texts come to. Runs nothing.
See also: design 03 §4.
"""
