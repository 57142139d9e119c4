"""Who decides what may run.

Owns: the chain (deny → plan gate → protected → trusted allow → safety → ask → bypass → untrusted
allow → mode), rules matched against facts, the question to the user and what its answer changes.
Does not own: the facts of a call (tools state them), reading settings (``config``), showing a
dialog (edges), keeping questions (``session.inbox``).

Invariants: deny always wins; what is not understood asks; where nobody can be asked, asking means
deny; no rule, mode or answer lasts that the dialog did not show.
See also: design 05, ``decide`` (the chain), ``gate`` (the wrapper around the executor).
"""
