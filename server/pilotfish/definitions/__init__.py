"""Things that people define as Markdown with front matter in folders that may be anybody's.

What agents and skills have in common: the syntax, the fields, the files, which one of a name counts, and
that they are read again as their files change. What they mean is in ``agents`` and ``skills``.
"""
