"""Which variables of its environment a command shows.

Owns: telling that from the words of a command that only reads or prints.
Does not own: which variables are secret (``util.secret_variables``), what follows (``permissions``).
"""

import re

from pilotfish.codeintel.shell_words import SimpleCommand

EVERY_VARIABLE = "*"
"""Stands for all variables of the environment."""

_EXPANSION = re.compile(r"\$\{?[!#]?(\w+)")
_READS_ENVIRONMENT = {
    "awk": re.compile(r"ENVIRON"),
    "jq": re.compile(r"(?<![.\w\"])env\b|\$ENV\b|\$__prog"),
}
"""Programs whose own language reaches the environment, and how."""


def variables_shown(command: SimpleCommand, words: tuple[str, ...]) -> frozenset[str]:
    """Return the names of variables that a command may show.

    Args:
        command: As it is written.
        words: Without quotes and without harmless wrappers before it.
    """
    written = [word.raw for word in command.words if not word.known]
    written += [one.raw for one in command.assignments if one.value and not one.value.known]
    written += [one.raw for one in command.redirects if not one.exempt]
    found = {name for text in written for name in _EXPANSION.findall(text)}
    return frozenset(found | _by_program(words))


def _by_program(words: tuple[str, ...]) -> set[str]:
    name, rest = (words[0], words[1:]) if words else ("", ())
    if name == "env":
        return {EVERY_VARIABLE}
    if name == "printenv":
        named = {word for word in rest if not word.startswith("-")}
        return named or {EVERY_VARIABLE}
    reaches = _READS_ENVIRONMENT.get(name)
    if reaches is not None and any(reaches.search(word) for word in rest):
        return {EVERY_VARIABLE}
    return set()
