"""Settings, rules in files, and trust.

Owns: finding, reading, checking and merging settings; writing a rule back; the trust store; where
the state folder is.
Does not own: what a rule means for a call (``permissions``), defaults of other packages' limits.

Invariants: a broken file is reported and left alone; what comes from an untrusted project can only
tighten; every deny and ask rule of every source counts. Functions that touch the disk say so and
block: call them through ``asyncio.to_thread``.
"""
