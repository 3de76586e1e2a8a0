"""The terminal, or what stands in for it: consoles that print exactly what they are given.

rich reads square brackets as markup and colours numbers unless it is told not to.
"""

from rich.console import Console


def console(*, stderr: bool = False) -> Console:
    """A console on stdout, or on stderr; 80 columns wide unless a terminal or COLUMNS says otherwise."""
    return Console(stderr=stderr, markup=False, highlight=False, emoji=False)
