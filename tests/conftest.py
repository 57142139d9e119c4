"""What holds for all tests.

Properties have no time limit for a single example: other work on the machine must not fail them. Where
time matters a test measures it itself.
"""

from hypothesis import settings

settings.register_profile("pilotfish", deadline=None)
settings.load_profile("pilotfish")
