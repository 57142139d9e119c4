"""The environment of commands.

Owns: what of the server's environment commands inherit, and what is set for all of them.
Does not own: the search path of the user's profile (``tools.shell_profile``).
"""

from collections.abc import Mapping

SECRET_VARIABLES = frozenset(
    {
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_CUSTOM_HEADERS",
        "ANTHROPIC_FOUNDRY_API_KEY",
        "AWS_BEARER_TOKEN_BEDROCK",
        "OPENAI_API_KEY",
    }
)
"""The server's own keys to models. The user's other variables (for AWS, GitHub ...) stay: commands
that the user runs every day need them."""

_HOST_PREFIXES = ("PILOTFISH_", "ELECTRON_", "VSCODE_")
"""Variables of the editor's and our own processes, which confuse programs started by commands."""

_ALWAYS = {
    "GIT_EDITOR": "true",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "PAGER": "cat",
    "PILOTFISH": "1",
    "TERM": "dumb",
}
"""Nothing may open an editor or a pager or ask for a password: nobody could answer."""

_DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def shell_environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of commands: what is inherited, without secrets and surprises."""
    kept = {
        name: value
        for name, value in inherited.items()
        if not is_secret(name, value) and not name.startswith(_HOST_PREFIXES)
    }
    return {"PATH": _DEFAULT_PATH, **kept, **_ALWAYS}


def is_secret(name: str, value: str) -> bool:
    """Tell whether a variable holds a key of the server's own, or an address with a password."""
    return name in SECRET_VARIABLES or (name.startswith("ANTHROPIC_") and "@" in value)
