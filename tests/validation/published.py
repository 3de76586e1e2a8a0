"""Every published case, in the order in which the tables have them."""

from typing import Final

from tests.validation import airesim, closed_forms, goodputlab, llama3

CASES: Final = (*llama3.CASES, *airesim.CASES, *goodputlab.CASES, *closed_forms.CASES)
"""Each has its settings in ``<name>.toml`` where something is played."""
