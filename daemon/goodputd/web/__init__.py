"""HTTP: /metrics, the health checks and the status page, as an ASGI application.

Knows what is published and nothing of simulations or of the server that runs it.
"""
