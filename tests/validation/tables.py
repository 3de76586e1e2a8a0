"""Results as tables: for a terminal, and as Markdown for the two READMEs that show them.

Computes nothing but how a number is written.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from rich.table import Table

from tests.readme import README, with_section
from tests.validation.cases import Figure, Formula
from tests.validation.comparing import Result
from tests.validation.playing import HERE

COMMAND: Final = "make validate"
ALL: Final = HERE / "README.md"
UNMET: Final = "no, see above"
_HEADERS: Final = ("published", "ours", "± error", "difference", "std. errors", "agrees")


def cells(result: Result) -> tuple[str, ...]:
    """Published, ours and so on, as they are written; a tolerance is in brackets."""
    figure, errors = result.figure, result.errors
    if errors is not None:
        near = f"{errors:+.2f}"
    elif isinstance(figure, Figure) and figure.is_least:
        near = "(at least)"
    else:
        near = f"(± {figure.tolerance:.2g})"
    return (
        published(figure),
        f"{result.ours:.5g}",
        f"{result.our_error:.2g}" if result.seeds else "-",
        f"{result.difference:+.2g}",
        near,
        verdict(result),
    )


def verdict(result: Result) -> str:
    """Whether it agrees; "NO" where the README does not tell why not."""
    if result.agrees:
        return "yes"
    return UNMET if is_unmet(result.figure) else "NO"


def is_unmet(figure: Figure | Formula) -> bool:
    """Whether the README tells why ours differs."""
    return isinstance(figure, Figure) and figure.is_unmet


def published(figure: Figure | Formula) -> str:
    """The published number."""
    return f"{figure.published:.5g}"


def for_terminal(results: Iterable[Result]) -> Table:
    """Every figure of every case."""
    made = Table(title="Published results, and ours")
    for header in ("source", "case", "figure"):
        made.add_column(header, no_wrap=header != "source")
    for header in _HEADERS:
        made.add_column(header, justify="right", no_wrap=True)
    for case, group in groupby(results, lambda result: result.case):
        for index, result in enumerate(group):
            first = ("", "") if index else (case.source, case.name)
            made.add_row(*first, result.figure.name, *cells(result))
    return made


def every_figure(results: Iterable[Result]) -> str:
    """The same in Markdown, for the README of this folder."""
    lines = [_row("case", "figure", *_HEADERS), _row("---", "---", *("---:",) * len(_HEADERS))]
    for case, group in groupby(results, lambda result: result.case):
        for index, result in enumerate(group):
            lines.append(_row("" if index else case.name, result.figure.name, *cells(result)))
    return "\n".join([*lines, ""])


def every_case(results: Iterable[Result]) -> str:
    """A line for each case with its first figure, and how many figures agree, for the project's README."""
    lines = [
        _row("source", "case", "figure", "published", "ours", "difference", "std. errors", "figures agree"),
        _row("---", "---", "---", *("---:",) * 5),
    ]
    for case, group in groupby(results, lambda result: result.case):
        found = list(group)
        head = next(result for result in found if result.figure is case.all_figures[0])
        value, ours, _, difference, errors, _ = cells(head)
        agree = f"{sum(result.agrees for result in found)} of {len(found)}"
        lines.append(_row(case.source, case.name, head.figure.name, value, ours, difference, errors, agree))
    return "\n".join([*lines, ""])


def write(results: Sequence[Result]) -> None:
    """Both READMEs anew, from the results of a whole run."""
    for path, name, content in (
        (README, "validation", every_case(results)),
        (ALL, "figures", every_figure(results)),
    ):
        text = with_section(path.read_text(encoding="utf-8"), name, content, COMMAND)
        path.write_text(text, encoding="utf-8")


def _row(*texts: str) -> str:
    return f"| {' | '.join(texts)} |"
