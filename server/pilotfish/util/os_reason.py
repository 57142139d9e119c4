"""Why the system refused, in words for people."""


def os_reason(error: Exception) -> str:
    """Return what the system says of an error, without its number and the path that is named anyway."""
    refused = error.strerror if isinstance(error, OSError) else None
    return refused or str(error)
