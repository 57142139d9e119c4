"""Which files of a folder matter most, by who uses whom.

Owns: the PageRank of a weighted graph. Pure; no library, since a folder has thousands of files, not millions.
"""

from collections.abc import Mapping

DAMPING = 0.85
"""How much of its weight a file passes on to what it uses."""

ROUNDS = 20
"""Rounds; the order at the top is settled long before."""

Graph = Mapping[str, Mapping[str, float]]
"""From each user to what it uses, with weights above 0."""


def page_rank(graph: Graph, preferred: Mapping[str, float]) -> dict[str, float]:
    """Return the rank of each file; together they are 1.

    Args:
        graph: Who uses whom; what is used must be among ``preferred``.
        preferred: All files, with how likely each is where one begins to read.
    """
    total = sum(preferred.values())
    if not total:
        return dict.fromkeys(preferred, 0.0)
    start = {file: weight / total for file, weight in preferred.items()}
    out = {file: sum(used.values()) for file, used in graph.items()}
    rank = dict(start)
    for _ in range(ROUNDS):
        # What uses nothing passes its weight to where one begins.
        idle = sum(weight for file, weight in rank.items() if not out.get(file))
        after = {file: (1 - DAMPING + DAMPING * idle) * weight for file, weight in start.items()}
        for file, used in graph.items():
            if not out[file]:
                continue
            share = DAMPING * rank[file] / out[file]
            for target, weight in used.items():
                after[target] += share * weight
        rank = after
    return rank
