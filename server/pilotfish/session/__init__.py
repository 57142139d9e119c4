"""Many turns: identity, storage, queue, inbox, modes.

Owns: sessions and their event lists; everything a view needs can be rebuilt from here.
Does not own: one turn (``engine``), decisions (``permissions``), protocols (``edges``).
"""
