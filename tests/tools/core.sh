#!/bin/sh
# core.sh PYTHON FOLDER compiles the core with mypyc and puts the whole package into FOLDER/site.
#
# Takes a C compiler and the headers of PYTHON; as root, what is missing is installed.
set -eu
python=$1 folder=$2

need() {
  if ! "$(dirname "$0")/need.sh" "$@"; then
    echo "  without it: make CORE=interpreted ... measures and plays on the interpreted core" >&2
    exit 1
  fi
}

need "${CC:-gcc}:gcc"
if ! echo '#include <math.h>' | "${CC:-gcc}" -fsyntax-only -x c - 2>/dev/null; then
  need c-library-headers:libc6-dev
fi
headers=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
if [ ! -e "$headers/Python.h" ]; then
  need "python-headers:$("$python" -c 'import sys; print("libpython%d.%d-dev" % sys.version_info[:2])')"
fi

echo "Compiling the core into $folder, one to three minutes ..."
rm -rf "$folder"
HATCH_BUILD_HOOKS_ENABLE=1 CC="${CC:-gcc}" \
  "$python" -m pip install -qq --disable-pip-version-check --no-deps --target "$folder/site" .
echo "Compiled. To use it: PYTHONPATH=$folder/site goodputd ..."
