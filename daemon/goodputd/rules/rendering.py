"""The rules file as text: the template with its windows filled in.

Placeholders are ``${...}``, since double braces belong to the templates of Prometheus and brackets
to PromQL. What the rules say stands in the template and nowhere else.
"""

import re
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from goodputd.errors import SettingsError
from goodputd.rules.windows import Windows

TEMPLATE: Final = "goodputd.rules.yml"
RUNBOOKS: Final = "https://github.com/goodputd/goodputd/blob/main/grafana/README.md"
"""Where the runbooks lie unless the user keeps a copy elsewhere."""
FIRST_WORDS: Final = "# Made by: goodputd rules "
"""How a rules file that may be written anew begins."""
_URL: Final = re.compile(r"https?://[^\s\"'#${}]+")


def render(*, speedup: float, scrape_interval_wall_seconds: float, runbooks: str = RUNBOOKS) -> str:
    """The recording and alert rules for a daemon at this speedup, scraped at this interval.

    ``runbooks`` is the address of the page with the runbooks; each alert links its own anchor there.
    Errors: ``SettingsError`` when a number is out of range or the address is no http(s) URL.
    """
    if not _URL.fullmatch(runbooks):
        raise SettingsError(f"--runbooks: {runbooks!r} must be an http:// or https:// URL without spaces")
    environment = Environment(
        loader=PackageLoader("goodputd.rules"),
        variable_start_string="${",
        variable_end_string="}",
        autoescape=False,  # noqa: S701 - YAML, and nothing in it comes from anybody else
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    windows = Windows(speedup, scrape_interval_wall_seconds)
    return environment.get_template(TEMPLATE).render(
        first_words=FIRST_WORDS,
        speedup=f"{speedup:.15g}",
        typed_scrape_interval=f"{scrape_interval_wall_seconds:g}s",
        scrape_interval=windows.scrape_interval,
        two_scrapes=windows.two_scrapes,
        days=windows.days,
        wall=windows.wall,
        runbooks=runbooks,
    )
