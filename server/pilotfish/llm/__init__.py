"""Models behind one protocol.

Owns: turning one request into a stream of our own events; providers, retry, prices, usage.
Does not own: what is asked or what happens with the answer (``engine``).
"""
