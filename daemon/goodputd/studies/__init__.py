"""Studies: simulations played for an answer and not for an audience.

They drive simulations that they are given and write what comes out; they know no TOML, no wall clock
and no terminal.
"""
