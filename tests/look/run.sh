#!/bin/sh
# run.sh [DASHBOARD ...] draws the dashboards with Grafana's open libraries; see README.md.
#
# It needs node, npm, a Chromium and a Prometheus, and .venv with goodputd; everything else it brings
# itself, into .cache/look. Nothing that it starts outlives it.
set -eu
cd "$(dirname "$0")/../.."

missing=""
for command in node npm prometheus; do
  command -v "$command" >/dev/null 2>&1 || missing="$missing $command"
done
if [ -z "${LOOK_CHROMIUM:-}" ]; then
  for command in chromium chromium-browser google-chrome; do
    LOOK_CHROMIUM=$(command -v "$command") && break
  done
fi
[ -n "${LOOK_CHROMIUM:-}" ] || missing="$missing chromium"
[ -x .venv/bin/goodputd ] || missing="$missing .venv/bin/goodputd"
if [ -n "$missing" ]; then
  echo "look: missing:$missing (Debian: apt-get install nodejs npm chromium prometheus; .venv: make run)" >&2
  exit 1
fi

export LOOK_CHROMIUM
exec node tests/look/driver/look.mjs "$@"
