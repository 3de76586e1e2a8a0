"""What a published case is made of: figures that are played, formulas that are computed.

Knows nothing of any one case; those are in a module for each source.
"""

from dataclasses import dataclass, field

from tests.validation.playing import Ending, Reading


@dataclass(frozen=True, slots=True)
class Figure:
    """One published mean, to be played.

    It comes with its standard error (0 where it is exact); or with the number of runs, whose spread is
    then taken to be that of ours; or with nothing but a tolerance.
    """

    name: str
    published: float
    read: Reading
    error: float | None = None
    runs: int | None = None
    rounding: float = 0.0
    """Half of the last digit that was printed, of an exact figure."""
    tolerance: float | None = None
    is_least: bool = False
    """It was published as a lower bound, beside which there is nothing to differ by."""
    scenario: str = "default"
    is_unmet: bool = False
    """Ours differs, for a reason that the README of this folder tells."""


@dataclass(frozen=True, slots=True)
class Formula:
    """One published number that a function gives without playing anything."""

    name: str
    published: float
    ours: float
    tolerance: float


@dataclass(frozen=True, slots=True)
class Case:
    """A published case: its settings, where something is played, are ``<name>.toml``."""

    name: str
    source: str
    ending: Ending = field(default_factory=Ending)
    seeds: int = 0
    """So many that our standard errors are at most half of those published; 0 where nothing is played."""
    quick_seeds: int = 0
    """Of the normal test run; 0 leaves what is played to ``make validate``."""
    figures: tuple[Figure, ...] = field(default=())
    formulas: tuple[Formula, ...] = field(default=())
    bad_servers: int | None = None
    """So many there were in each published run, where ours draws every server."""

    @property
    def all_figures(self) -> list[Figure | Formula]:
        """What is played, then what is computed; the first stands for the case."""
        return [*self.figures, *self.formulas]


def standard_error(deviation: float, runs: int) -> float:
    """Of a mean over so many runs."""
    return float(deviation / runs**0.5)


def half_a_digit(digits: int) -> float:
    """What a figure that is printed with so many decimals can be off by."""
    return float(0.5 * 10.0**-digits)
