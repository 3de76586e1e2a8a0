"""The core: pure and deterministic.

No clock, thread, file, log, socket or global random. Nothing is re-exported here: import from the
module that defines the name, so that the import contracts can tell who knows what.
"""
