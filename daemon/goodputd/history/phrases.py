"""Names of closed sets and of fault kinds as people write them, in sentences.

Knows names only: no record, no page.
"""

from typing import Final

from goodputd.sim.taxonomy import Component, Symptom

_WRITTEN: Final = {
    **{word: word.upper() for word in ("cpu", "ecc", "gpu", "hbm", "hbm3", "io", "nccl", "nic", "pcie")},
    **{word: word.upper() for word in ("sram", "ssd", "xid")},
    "nvlink": "NVLink",
}
_TIME: Final = {"provisional": "not yet saved", "retracted": "retracted work"}
"""What stands beside the buckets of the ledger, whose own names are words already."""
_FAULTS: Final = {
    Component.GPU: "a GPU fault",
    Component.MEMORY: "a memory fault",
    Component.NVLINK: "an NVLink fault",
    Component.NIC: "a NIC fault",
    Component.SWITCH: "a switch fault",
    Component.HOST: "a host fault",
    Component.POWER: "a power fault",
    Component.STORAGE: "a storage fault",
    Component.SOFTWARE: "a software fault",
    Component.OPERATOR: "an operator's intervention",
    Component.UNKNOWN: "a fault of unknown cause",
    Component.FALSE_ALARM: "a false alarm",
    Component.PLANNED: "a planned stop",
}
_SHOWS_AS: Final = {
    Symptom.CRASH: "seen as a crash",
    Symptom.HANG: "seen as a hang",
    Symptom.SLOW: "seen as slowness",
    Symptom.CORRUPT: "seen as wrong numbers",
    Symptom.BENIGN: "corrected by itself",
}


def spoken(name: str) -> str:
    """A name as words: ``gpu_hbm3`` is ``GPU HBM3``."""
    return " ".join(_WRITTEN.get(word, word) for word in name.split("_"))


def time_spent(bucket: str) -> str:
    """What people call the time in a bucket of the ledger, or beside them, on pages and in tables."""
    return _TIME.get(bucket, spoken(bucket))


def sentence(text: str) -> str:
    """The text with a capital at its beginning; the rest is left as it is."""
    return text[:1].upper() + text[1:]


def a_fault_of(component: Component) -> str:
    """What was concluded when this component was blamed, with its article."""
    return _FAULTS[component]


def place(node: int | None) -> str:
    """Where something happened."""
    return "the job" if node is None else f"node {node}"


def where(node: int | None) -> str:
    """Where something is broken."""
    return "in the job" if node is None else f"on node {node}"


def nature(component: Component, symptom: Symptom) -> str:
    """What broke and how it shows: ``GPU, seen as a crash``."""
    return f"{spoken(component)}, {_SHOWS_AS[symptom]}"
