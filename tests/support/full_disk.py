"""A disk that is full, for this process alone."""

import resource
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def files_end_at(size: int) -> Generator[None]:
    """Let every file of this process be full at a size, as a full disk does it: in mid-write."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
