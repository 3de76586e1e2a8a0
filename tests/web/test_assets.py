"""Style, script and icon; the colours are those of the dashboards."""

import re
from pathlib import Path

import pytest

from goodputd.sim.taxonomy import IDLE_CAPACITY, Bucket, StageName
from grafana import palette
from tests import snapshots
from tests.web.asking import Client, site

STATIC = Path("daemon/goodputd/web/static")


@pytest.fixture
def client() -> Client:
    """A client of a site."""
    return Client(site(snapshots.view()))


@pytest.mark.parametrize(
    ("name", "kind"),
    [("style.css", "text/css"), ("live.js", "text/javascript"), ("icon.svg", "image/svg+xml")],
)
def test_files_are_sent_once(client: Client, name: str, kind: str) -> None:
    """The file has its type and a tag; who has the tag is sent nothing again."""
    first = client.get(f"/static/{name}")
    again = client.get(f"/static/{name}", if_none_match=f'"other", W/{first.headers["etag"]}')

    assert (200, kind) == (first.status_code, first.headers["content-type"].partition(";")[0])
    assert (304, b"") == (again.status_code, again.content)
    assert "no-cache" == first.headers["cache-control"]


@pytest.mark.parametrize("name", ["other.css", "..%2fapp.py", "style.css%00"])
def test_there_are_no_other_files(client: Client, name: str) -> None:
    """Nothing else of the package can be had."""
    assert 404 == client.get(f"/static/{name}").status_code


def test_nothing_is_fetched_from_elsewhere() -> None:
    """Neither style nor script names another host."""
    assert [] == [
        path.name
        for path in STATIC.iterdir()
        if re.search(r"https?://(?!www\.w3\.org/)", path.read_text("utf-8"))
    ]


@pytest.mark.parametrize("bucket", [*(str(bucket) for bucket in Bucket), IDLE_CAPACITY])
def test_a_bucket_has_the_colour_of_the_dashboards(bucket: str) -> None:
    """One colour per ledger bucket, everywhere."""
    assert palette.BUCKETS[bucket] == colour(f"bucket-{bucket}")


@pytest.mark.parametrize("stage", [str(stage) for stage in StageName])
def test_a_stage_has_the_colour_of_the_dashboards(stage: str) -> None:
    """Stages that share a bucket have the shades that the dashboards give them."""
    assert palette.STAGES[stage] == colour(f"stage-{stage}")


def colour(name: str) -> str:
    """The fill of a class."""
    style = (STATIC / "style.css").read_text(encoding="utf-8")
    found = re.search(rf"\.{name}(?:, [^{{]+)? {{ fill: (#[0-9A-Fa-f]+);", style)
    assert found is not None
    return found[1]
