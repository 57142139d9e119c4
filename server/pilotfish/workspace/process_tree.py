"""A process and its descendants, where nothing of the system holds them together.

Owns: ending them by the table of processes. What was started by a process that has ended is not found;
groups and jobs are better where they are to be had.
"""

import psutil


def end_tree(pid: int, *, by_force: bool) -> int:
    """Ask a process and its descendants to end, or end them. Blocking.

    Returns:
        How many there were.
    """
    try:
        leader = psutil.Process(pid)
        # Taken before the first one ends: what is orphaned is not found any more.
        members = [leader, *leader.children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0
    for member in members:
        try:
            member.kill() if by_force else member.terminate()
        except psutil.Error:  # it has ended, or it is protected
            continue
    return len(members)
