"""How settings are declared: plain dataclasses that a validator outside the core can read.

A spec is a slotted keyword-only dataclass; each field carries its default, its limits
(``annotated_types``, which are inert marks) and, on the line below it, one sentence with the unit.
``settings`` reads all three for validation, the commented TOML and the JSON Schema. The core itself
never validates. Specs stand apart from what acts on them, since they are read for their annotations
and source, which a compiled module does not keep.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from annotated_types import Ge, Gt, Interval, MinLen

SPEC: Final[dict[str, Any]] = {
    "extra": "forbid",
    "strict": True,
    "allow_inf_nan": False,
    "use_attribute_docstrings": True,
}
"""Every spec class sets ``__pydantic_config__ = SPEC``: unknown keys, wrong types, NaN are errors."""


@dataclass(frozen=True, slots=True)
class ZeroIs:
    """A mark of counts whose 0 is the contrary of a small number: what it means, in a word."""

    word: str


Seconds = Annotated[float, Ge(0)]
PositiveSeconds = Annotated[float, Gt(0)]
PositiveFloat = Annotated[float, Gt(0)]
NonNegativeFloat = Annotated[float, Ge(0)]
Probability = Annotated[float, Interval(ge=0, le=1)]
Count = Annotated[int, Ge(0)]
CountOrNever = Annotated[Count, ZeroIs("never")]
CountOrNone = Annotated[Count, ZeroIs("none")]
CountOrNoLimit = Annotated[Count, ZeroIs("no limit")]
PositiveCount = Annotated[int, Ge(1)]
MOST_FACTOR: Final = 1000.0
"""Beyond it the seconds of one step and of all others no longer fit in one sum."""
Factor = Annotated[float, Interval(ge=1, le=MOST_FACTOR)]
Name = Annotated[str, MinLen(1)]

SECONDS_PER_HOUR: Final = 3600.0
SECONDS_PER_DAY: Final = 86400.0
