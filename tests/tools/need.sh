#!/bin/sh
# need.sh COMMAND:PACKAGE ... makes sure that system commands exist.
#
# What is missing is installed from the Debian packages named, when that is possible (root, and
# apt-get). Otherwise one message names every missing piece and how to get it; exit code 1.
set -eu

commands=""
packages=""
for pair in "$@"; do
  if ! command -v "${pair%%:*}" >/dev/null 2>&1; then
    commands="$commands ${pair%%:*}"
    case " $packages " in *" ${pair#*:} "*) ;; *) packages="$packages ${pair#*:}" ;; esac
  fi
done
[ -n "$packages" ] || exit 0

refuse() {
  echo "missing:$commands ($1)"
  echo "  on Debian or Ubuntu:  apt-get install --no-install-recommends$packages"
  echo "  elsewhere: install these commands by your system's means so that they are in PATH"
  exit 1
} >&2

command -v apt-get >/dev/null 2>&1 || refuse "this system has no apt-get to install them with"
[ "$(id -u)" = 0 ] || refuse "installing them takes root"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" >>"$log" 2>&1; }

echo "Installing system packages:$packages ..." >&2
# The first try spares the update where the package lists are fresh enough.
# shellcheck disable=SC2086  # a list of package names, split on purpose
if ! apt install -y --no-install-recommends $packages; then
  if ! { apt update && apt install -y --no-install-recommends $packages; }; then
    tail -n 5 "$log" >&2
    refuse "apt-get could not install them; its last words are above"
  fi
fi
