"""The composition root: the only place that knows everyone.

Owns: building the engine from the environment and handing it to an edge; one module per way in.
Does not own: any behaviour.
"""
