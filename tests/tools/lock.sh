#!/bin/sh
# lock.sh PYTHON writes constraints.txt: the exact version of every library, from a clean environment.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$(dirname "$0")/venv.sh" "$1" "$folder"
echo "Resolving the newest releases ..."
"$folder/bin/python" -m pip install -qq --disable-pip-version-check '.[dev]'
{
  echo "# Exact versions of every library, so that one commit always means one program."
  echo "# Written by \`make lock\`; edit pyproject.toml instead."
  "$folder/bin/python" -m pip freeze --disable-pip-version-check --exclude goodputd
} >"$folder/constraints.txt"
cp "$folder/constraints.txt" constraints.txt
