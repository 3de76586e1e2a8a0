#!/bin/sh
# venv.sh PYTHON FOLDER makes a virtual environment, or says which piece of Python is missing.
set -eu
python=$1 folder=$2

if ! command -v "$python" >/dev/null 2>&1; then
  echo "missing: $python; install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3" >&2
  exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "$python is $("$python" -V 2>&1), goodputd needs Python 3.11 or newer:" \
    "make PYTHON=/path/to/python3" >&2
  exit 1
fi
# Debian ships Python without the part that puts pip into an environment.
if ! "$python" -c 'import ensurepip' 2>/dev/null; then
  package=$("$python" -c 'import sys; print(f"python{sys.version_info[0]}.{sys.version_info[1]}-venv")')
  "$(dirname "$0")/need.sh" "python-with-ensurepip:$package"
fi
"$python" -m venv "$folder"
