"""``python -m goodputd`` is the command ``goodputd``."""

from goodputd.cli import main

main()
