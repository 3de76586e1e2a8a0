"""The budgets, measured: ``python -m tests.bench``, which is what ``make bench`` runs."""
