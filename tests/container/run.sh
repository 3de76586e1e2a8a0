#!/usr/bin/env bash
# Builds the very Dockerfile and runs the image the way a careful operator would: read-only, without
# capabilities, without new privileges. Works where no container daemon does, and needs root.
#
# The base images are one stand-in, made from the Debian mirror that apt already uses, under both names
# that the Dockerfile asks for. Debian 13 has the same Python, 3.13. So this proves the Dockerfile, the pinned
# libraries and the program on that Python, not the base images themselves.
set -euo pipefail
cd "$(dirname "$0")/../.."

BASE=docker.io/library/python:3.13-slim-bookworm
BUILD_BASE=docker.io/library/python:3.13-bookworm
STAND_IN_RELEASE=trixie
IMAGE=localhost/goodputd:test
STATE=$PWD/.cache/container
ROOTFS=$STATE/rootfs
LISTEN=9642
CONTAINERS=()

main() {
  need_root_and_tools
  if [ "${1:-}" = --can-it-run ]; then
    return
  fi
  SCRATCH=$(mktemp -d)
  trap finish EXIT
  configure_storage
  make_base_image
  build_image

  image_is_configured_as_documented
  serves_without_privileges
  health_check_needs_a_daemon
  another_toml_replaces_the_default
  plays_the_same_history_as_this_machine
  sigterm_ends_it_quickly
  broken_toml_is_one_message
  echo "container test passed"
}

# --- preparation ---------------------------------------------------------------------------------

need_root_and_tools() {
  if [ "$(id -u)" != 0 ]; then
    echo "the container test makes a root file system and containers of its own: it needs root" >&2
    exit 1
  fi
  tests/tools/need.sh buildah:buildah podman:podman runc:runc debootstrap:debootstrap
  # apt knows its mirror's release only after an update, and a new machine has seen none.
  [ -n "$(debian_mirror)" ] || apt-get update >/dev/null 2>&1 || true
  if [ -z "$(debian_mirror)" ]; then
    echo "the container test makes its base image from a Debian mirror: apt names none here" >&2
    exit 1
  fi
}

debian_mirror() {
  # shellcheck disable=SC2016  # apt-get fills this in
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' \
    'Label: Debian' 'Component: main' | sed -n 1p
}

configure_storage() {
  mkdir -p "$STATE"
  export BUILDAH_ISOLATION=chroot
  export CONTAINERS_STORAGE_CONF=$STATE/storage.conf CONTAINERS_CONF=$STATE/containers.conf
  cat >"$CONTAINERS_STORAGE_CONF" <<EOF
[storage]
driver = "overlay"
graphroot = "$STATE/graph"
runroot = "$STATE/run"
EOF
  # A limit below this machine's own needs no CAP_SYS_RESOURCE; runc also runs where cgroups are hybrid.
  cat >"$CONTAINERS_CONF" <<EOF
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
EOF
}

make_base_image() {
  if [ ! -e "$ROOTFS.with-compiler" ]; then
    echo "making a base file system of Debian $STAND_IN_RELEASE (once, about a minute) ..."
    rm -rf "$ROOTFS"
    debootstrap --variant=minbase --include=python3,python3-pip,python3-venv,libpython3-dev,gcc,libc6-dev,ca-certificates \
      "$STAND_IN_RELEASE" "$ROOTFS" "$(debian_mirror)" >"$SCRATCH/log" 2>&1 ||
      { tail -n 5 "$SCRATCH/log" >&2; fail "debootstrap failed; its last words are above"; }
    rm -rf "$ROOTFS"/var/cache/apt/archives/*.deb "$ROOTFS"/var/lib/apt/lists/*
    rm -f "$ROOTFS"/usr/lib/python3.*/EXTERNALLY-MANAGED
    ln -sf python3 "$ROOTFS/usr/bin/python"
    touch "$ROOTFS.with-compiler"
  fi
  if [ -z "$(buildah images --quiet "$BUILD_BASE" 2>/dev/null)" ]; then
    # The system may reach its registry through a certificate of its own.
    cp /etc/ssl/certs/ca-certificates.crt "$ROOTFS/etc/ssl/certs/ca-certificates.crt"
    local container
    container=$(buildah from scratch)
    buildah add --quiet "$container" "$ROOTFS" / >/dev/null
    buildah config --cmd python3 \
      --env PATH=/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin \
      --env PIP_CERT=/etc/ssl/certs/ca-certificates.crt "$container"
    buildah commit --quiet --rm "$container" "$BASE" >/dev/null
    buildah tag "$BASE" "$BUILD_BASE"
  fi
}

build_image() {
  # The docker format is the one that keeps HEALTHCHECK.
  timed "image built" buildah bud --quiet --layers --pull-never --network host --format docker \
    --tag "$IMAGE" . >/dev/null
}

# --- the facts -----------------------------------------------------------------------------------

image_is_configured_as_documented() {
  equal "10001:10001" "$(image_config User)" "the image's user"
  equal "[goodputd]" "$(image_config Entrypoint)" "the entry point, in exec form"
  equal "[CMD goodputd health]" "$(podman image inspect --format '{{.HealthCheck.Test}}' "$IMAGE")" \
    "the health check, without a shell"
}

serves_without_privileges() {
  start plain
  local status
  status=/proc/$(pid plain)/status
  equal "10001" "$(awk '/^Uid:/ { print $2 }' "$status")" "the daemon's uid"
  equal "0000000000000000" "$(awk '/^CapEff:/ { print $2 }' "$status")" "the daemon's capabilities"
  # 127.0.0.2 answers only where the daemon listens on every address, as publishing a port needs.
  shows plain 127.0.0.2 / 'href="metrics"'
  shows plain 127.0.0.2 /metrics '^goodputd_elapsed_seconds_total{scenario="default"}'
  podman healthcheck run plain || fail "the health check of a running daemon failed"
  say "served read-only as uid 10001 without capabilities; healthy"
}

health_check_needs_a_daemon() {
  if podman run --rm --network none --entrypoint goodputd "$IMAGE" health >/dev/null 2>&1; then
    fail "the health check passes where no daemon runs"
  fi
  say "unhealthy where no daemon runs"
}

another_toml_replaces_the_default() {
  printf '[[scenario]]\nname = "mounted"\n' >"$SCRATCH/mounted.toml"
  start mounted --volume "$SCRATCH/mounted.toml:/etc/goodputd/goodputd.toml:ro"
  shows mounted 127.0.0.1 /metrics '^goodputd_elapsed_seconds_total{scenario="mounted"}'
  say "a mounted TOML replaces the default"
}

plays_the_same_history_as_this_machine() {
  equal "(core interpreted)" "$(.venv/bin/goodputd --version | cut -d " " -f 3-)" "the core of this machine"
  equal "(core compiled)" "$(image_runs --version | cut -d " " -f 3-)" "the core of the image"
  local config events=0
  for config in config/*.toml; do
    .venv/bin/goodputd simulate -c "$config" --for 54d --trace >"$SCRATCH/here" 2>/dev/null ||
      fail "simulate does not play $config"
    image_runs simulate -c "/$config" --for 54d --trace >"$SCRATCH/there" 2>/dev/null
    [ -s "$SCRATCH/here" ] || fail "simulate --trace told nothing of $config"
    cmp "$SCRATCH/here" "$SCRATCH/there" || fail "the image plays another history of $config"
    events=$((events + $(wc -l <"$SCRATCH/here")))
  done
  say "the image's compiled core plays the same $events events as $(.venv/bin/python -V), interpreted"
}

sigterm_ends_it_quickly() {
  local began ended code
  began=$(date +%s%N)
  podman stop --time 10 plain >"$SCRATCH/log" 2>&1 || { cat "$SCRATCH/log" >&2; fail "podman could not stop it"; }
  ended=$(date +%s%N)
  code=$(podman inspect --format '{{.State.ExitCode}}' plain)
  equal 0 "$code" "the exit code after SIGTERM"
  [ $((ended - began)) -lt 3000000000 ] || fail "SIGTERM took $(((ended - began) / 1000000)) ms, 3000 at most"
  say "SIGTERM ended it in $(((ended - began) / 1000000)) ms with exit 0"
}

broken_toml_is_one_message() {
  printf '[clock]\nspedup = 1\n' >"$SCRATCH/broken.toml"
  local code=0
  podman run --rm --network none --volume "$SCRATCH/broken.toml:/etc/goodputd/goodputd.toml:ro" \
    "$IMAGE" >"$SCRATCH/broken.log" 2>&1 || code=$?
  equal 2 "$code" "the exit code for a broken TOML"
  grep -q 'clock.spedup' "$SCRATCH/broken.log" || fail "the message does not name the broken key"
  say "a broken TOML is a message and exit 2"
}

# --- helpers -------------------------------------------------------------------------------------

# start NAME [PODMAN OPTION ...]: the image with its own loopback, so that port 9642 is always free.
start() {
  local name=$1 began
  shift
  CONTAINERS+=("$name")
  podman rm --force --ignore "$name" >/dev/null 2>&1
  began=$(date +%s%N)
  # Without systemd podman complains that it cannot schedule health checks, which nobody asked it to.
  podman run --detach --name "$name" --network none --health-interval=disable --read-only \
    --cap-drop=ALL --security-opt no-new-privileges "$@" "$IMAGE" >"$SCRATCH/log" 2>&1 ||
    { cat "$SCRATCH/log" >&2; fail "container $name did not start"; }
  until fetch "$name" 127.0.0.1 /metrics >/dev/null 2>&1; do
    if [ "$(podman inspect --format '{{.State.Running}}' "$name")" != true ] ||
      [ $(($(date +%s%N) - began)) -gt 20000000000 ]; then
      podman logs "$name" >&2
      fail "container $name did not answer"
    fi
    sleep 0.05
  done
  say "$name: first scrape $((($(date +%s%N) - began) / 1000000)) ms after its start"
}

image_runs() {
  podman run --rm --network none --health-interval=disable --read-only --volume "$PWD/config:/config:ro" \
    "$IMAGE" "$@"
}

pid() { podman inspect --format '{{.State.Pid}}' "$1"; }

image_config() { podman image inspect --format "{{.Config.$1}}" "$IMAGE"; }

# shows NAME ADDRESS PATH PATTERN: fails unless a line of the page matches.
shows() {
  fetch "$1" "$2" "$3" >"$SCRATCH/page"
  grep -q "$4" "$SCRATCH/page" || { head -c 2000 "$SCRATCH/page" >&2; fail "$1: $3 at $2 does not show $4"; }
}

# fetch NAME ADDRESS PATH: a page of the daemon, from inside the container's network.
fetch() {
  # shellcheck disable=SC2016  # the inner shell's variables
  nsenter --target "$(pid "$1")" --net bash -c '
    exec 3<>"/dev/tcp/$1/$2"
    printf "GET %s HTTP/1.0\r\nHost: %s:%s\r\n\r\n" "$3" "$1" "$2" >&3
    cat <&3
  ' fetch "$2" "$LISTEN" "$3"
}

say() { echo "  $*"; }
fail() {
  echo "container test FAILED: $*" >&2
  exit 1
}
equal() { [ "$1" = "$2" ] || fail "$3: expected $1, got $2"; }

# timed LABEL COMMAND ...: runs it and says how long it took.
timed() {
  local label=$1 began=$SECONDS
  shift
  "$@"
  say "$label in $((SECONDS - began)) s" >&2
}

finish() {
  for name in "${CONTAINERS[@]}"; do
    podman rm --force --ignore --time 1 "$name" >/dev/null 2>&1 || true
  done
  rm -rf "$SCRATCH"
}

main "$@"
