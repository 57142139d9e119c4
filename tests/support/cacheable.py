"""How much of a request a model's cache knows from the one before."""

CACHE_MARK = b',"cache_control":{"type":"ephemeral"}'

MIN_SHARED = 0.99
"""Share of a request that the next one begins with."""


def shared(earlier: bytes, later: bytes) -> float:
    """Return how much of a request the next one begins with, cache marks left aside."""
    first, second = (
        body.replace(CACHE_MARK, b"").partition(b'"messages":') for body in (earlier, later)
    )
    assert first[0] == second[0], "what comes before the messages never changes"
    # Of the messages the closing brackets cannot be shared.
    mine = first[2].rstrip(b"]}")
    same = next(
        (at for at, (one, other) in enumerate(zip(mine, second[2], strict=False)) if one != other),
        len(mine),
    )
    return same / len(mine)
