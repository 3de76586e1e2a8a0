"""Prometheus metrics: what is exported (catalog), from what (view), in which bytes (exposition).

This package reads published views. It never holds a simulation, so a scrape can neither advance
nor delay one.
"""
