#!/bin/sh
# core.sh PYTHON FOLDER compiles the core with mypyc and puts the whole package into FOLDER/site.
#
# In a copy, because the compiler leaves its extensions beside the sources, where they would shadow
# later changes. Takes a C compiler and the headers of PYTHON; about a minute and a half.
set -eu
python=$1 folder=$2

need=$(dirname "$0")/need.sh
"$need" gcc:gcc
if ! echo '#include <math.h>' | gcc -fsyntax-only -x c - 2>/dev/null; then
  "$need" c-library-headers:libc6-dev
fi
headers=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
if [ ! -e "$headers/Python.h" ]; then
  package=$("$python" -c 'import sys; print(f"libpython{sys.version_info[0]}.{sys.version_info[1]}-dev")')
  "$need" "python-headers:$package"
fi

rm -rf "$folder"
mkdir -p "$folder/source"
cp -r pyproject.toml LICENSE daemon "$folder/source"
echo "Compiling the core into $folder ..."
# Contracted additions round once where the interpreter rounds twice: on some machines another history.
HATCH_BUILD_HOOKS_ENABLE=1 CFLAGS=-ffp-contract=off \
  "$python" -m pip install -qq --disable-pip-version-check --no-deps --target "$folder/site" "$folder/source"
rm -rf "$folder/source"
