"""Published results, played again: ``python -m tests.validation`` prints how near we come."""
