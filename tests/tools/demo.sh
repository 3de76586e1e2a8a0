#!/bin/sh
# demo.sh VENV ADDRESS plays config/default.toml with a real Prometheus beside it, until Ctrl-C.
#
# Prometheus starts empty each time and leaves nothing behind.
set -eu
bin=$1/bin
address=$2
state=$(mktemp -d)
: >"$state/log"

# What the daemon will listen on, wherever that is set; Prometheus must not scrape somebody else's.
listen=$("$bin/goodputd" check-config config/default.toml --print-effective |
  sed -n '/^\[http\]/,/^\[/s/^listen = "\([^"]*\)".*/\1/p')
port=${listen##*:}
host=${listen%:*}
case $host in "" | 0.0.0.0 | "[::]") host=127.0.0.1 ;; esac
cp config/prometheus/*.yml "$state"
sed "s/127\.0\.0\.1:9642/$host:$port/" config/prometheus/prometheus.yml >"$state/prometheus.yml"

prometheus --config.file="$state/prometheus.yml" --storage.tsdb.path="$state/data" \
  --web.listen-address="$address" >"$state/log" 2>&1 &
prometheus=$!

# This shell becomes the daemon below, so that every signal reaches the daemon itself; however that
# ends, Prometheus ends with it.
(
  trap "" HUP INT # closing the terminal must not end this shell before Prometheus
  while kill -0 $$ 2>/dev/null; do sleep 0.2; done
  kill "$prometheus" 2>/dev/null || true
  while kill -0 "$prometheus" 2>/dev/null; do sleep 0.1; done
  rm -rf "$state"
) >/dev/null 2>&1 &

tries=0
until grep -q 'Server is ready' "$state/log"; do
  tries=$((tries + 1))
  if ! kill -0 "$prometheus" 2>/dev/null || [ "$tries" -gt 100 ]; then
    echo "Prometheus did not start on $address (make demo PROMETHEUS_LISTEN=host:port moves it):" >&2
    tail -n 3 "$state/log" >&2
    exit 1
  fi
  sleep 0.1
done

query='goodputd_effective_training_time_ratio'
echo "Prometheus:  http://$address/graph?g0.expr=$query&g0.tab=0&g0.range_input=15m"
echo "             scrapes the daemon below every second; Ctrl-C stops both"
echo
exec "$bin/goodputd" serve --config config/default.toml
