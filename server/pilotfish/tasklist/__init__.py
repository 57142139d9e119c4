"""The list of what is to be done, shared by the agents of a session.

Owns: the records, the edges between them, their files and the locks around these.
Does not own: the tools that the model calls (``tools``), what a session shows of the list
(``session.task_list``). See also: design 06 §12, 01 §3.3.
"""
