"""Doubling blocks of node numbers: a larger fleet has all streams of a smaller one plus its own."""

_FIRST_BLOCK = 1024


def blocks(nodes: int) -> list[tuple[int, int]]:
    """The (first, size) of every doubling block that holds one of ``nodes``."""
    found = [(0, _FIRST_BLOCK)]
    first = _FIRST_BLOCK
    while first < nodes:
        found.append((first, first))
        first *= 2
    return found
