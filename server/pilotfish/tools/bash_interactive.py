"""Programs that wanted somebody at a terminal.

Owns: telling from a command and the end of its output that it did, and what to do instead.
See also: design 06 §10.4; commands run with closed standard input and without a terminal.
"""

import re
from pathlib import PurePosixPath

from pilotfish.tools.bash_meaning import last_command

_COMPLAINTS = re.compile(
    r"not a (?:terminal|tty)\b|inappropriate ioctl|error opening terminal|failed tty get"
    r"|terminal is required|(?:must|needs? to) be run (?:in|from) a terminal|no tty present"
    r"|could not open /dev/tty|cannot open /dev/tty|/dev/tty: no such device|unable to open a tty"
    r"|eof when reading a line|a password is required|is in noninteractive mode",
    re.IGNORECASE,
)
"""What programs print that find no terminal or no answer."""

_PROMPT_PROGRAMS = {
    "bash": "-c",
    "ghci": "-e",
    "irb": "-e",
    "ipython": "-c",
    "lua": "-e",
    "mysql": "-e",
    "node": "-e",
    "psql": "-c",
    "python": "-c",
    "python3": "-c",
    "sh": "-c",
    "sqlite3": "",
    "zsh": "-c",
}
"""Programs that read commands when they are given none, and the option that takes some."""


def interactive_hint(command: str, output_end: str) -> str:
    """Return what to do when a command wanted a terminal or an answer; empty when it did not.

    Args:
        command: The command as it was run; it has ended.
        output_end: The last part of its output.
    """
    complaint = complaint_hint(output_end)
    if complaint:
        return complaint
    words = last_command(command)
    program = PurePosixPath(words[0]).name if words else ""
    option = _PROMPT_PROGRAMS.get(program)
    if option is None or output_end.strip() or any(not word.startswith("-") for word in words[1:]):
        return ""
    if {"-c", "-e", "--eval", "--command", "--version", "-V", "-v"} & set(words[1:]):
        return ""
    how = f"with {option}, " if option else ""
    return (
        f"[{program} was started to be typed into, got the end of its input at once and ended. Pass "
        f"what it is to do {how}in a file or in a here-document]"
    )


def complaint_hint(output_end: str) -> str:
    """Return what to do when a program's last words say that it found no terminal; else empty."""
    if not _COMPLAINTS.search(output_end):
        return ""
    return (
        "[the command wants a terminal or an answer; there is no terminal and nothing can be "
        "typed. Use options, a configuration file or a here-document that answer in its place]"
    )
