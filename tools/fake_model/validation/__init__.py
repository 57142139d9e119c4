"""Checking requests as the real API does.

Owns: every rule about a request body; each says with a path what is wrong.
Does not own: credentials, size and context window (``server``).

See also: ``request`` for the order of the checks, ``Rules`` for the switches.
"""

from tools.fake_model.validation.body import parse_body
from tools.fake_model.validation.problem import InvalidRequestError
from tools.fake_model.validation.request import RequestCheck

__all__ = ["InvalidRequestError", "RequestCheck", "parse_body"]
