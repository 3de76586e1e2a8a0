"""The README's sections that are printed by tests: found by their marks, replaced whole."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


def with_section(text: str, name: str, content: str, command: str = "make golden") -> str:
    """The text with what stands between the section's marks replaced; they name the command."""
    pattern = rf"(<!-- begin: {name} \({command}\) -->\n).*?(<!-- end: {name} -->)"
    replaced, found = re.subn(pattern, lambda marks: marks[1] + content + marks[2], text, flags=re.DOTALL)
    assert found == 1
    return replaced


def section(text: str, name: str) -> str:
    """What stands between the section's marks."""
    found = re.search(
        rf"<!-- begin: {name} \([a-z ]+\) -->\n(.*?)<!-- end: {name} -->", text, flags=re.DOTALL
    )
    assert found is not None
    return found[1]
