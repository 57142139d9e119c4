"""The workspace index: what is defined and used in all files of a folder, by name.

Owns: which files count, reading them in worker processes, the database, following changes, and
answers by name and scope: symbols, definitions, references, hovers, calls, the repository map.
Does not own: what one file's syntax tells (``codeintel.symbols``), who is asked first (the facade over
``ports.code.CodeSource``).
See also: design §7.

Knows names, not types: where several things have the name, all of the most likely ones are told.
Files of the folder are read and parsed, never run.
"""
