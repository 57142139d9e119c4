"""What the headers of an answer tell of a provider's limits."""

import pytest
from pilotfish.llm.rate_limits import RateLimit, rate_limits_of

USED = "anthropic-ratelimit-unified-5h-utilization"
RESET = "anthropic-ratelimit-unified-5h-reset"


@pytest.mark.parametrize(
    ("headers", "limit"),
    [
        ({USED: "0.5", RESET: "1767225600"}, RateLimit(used_percentage=50.0, resets_at=1767225600)),
        ({USED: "0"}, RateLimit(used_percentage=0.0, resets_at=None)),
        ({USED: "1.5", RESET: "soon"}, RateLimit(used_percentage=100.0, resets_at=None)),
        ({RESET: "1767225600"}, None),
        ({USED: ""}, None),
        ({USED: "much"}, None),
        ({USED: "nan"}, None),
        ({USED: "-1"}, None),
        ({USED: "inf", RESET: "inf"}, None),
        ({}, None),
    ],
)
def test_only_what_makes_sense_counts(headers: dict[str, str], limit: RateLimit | None) -> None:
    assert rate_limits_of(headers) == ({} if limit is None else {"five_hour": limit})
