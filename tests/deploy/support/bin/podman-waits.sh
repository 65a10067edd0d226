#!/bin/bash
# Podman for podman-compose on a machine without systemd (`podman-compose --podman-path .../podman-waits.sh`): Debian's podman 4.3.1 knows no
# `wait --condition=healthy` and its health checks need systemd's timers. This one waits by running the checks itself; all else is podman's.
podman=$(command -v podman)
# By a file, not a pipe: what stays in the background (conmon, aardvark-dns) would hold a pipe open.
quietly() {
  said=$(mktemp)
  "$podman" "$@" 2>"$said"
  status=$?
  grep -v 'unable to get systemd connection\|failed to connect to syslog' "$said" >&2
  rm -f "$said"
  exit $status
}
case "$1 ${2:-}" in
  '--version '*) echo 'podman version 4.6.0' ;; # from here on podman-compose asks for conditions
  'wait --condition=healthy')
    shift 2
    for name in "$@"; do
      case "$name" in -*) continue ;; esac
      # The check itself: podman 4.3.1 fails what takes longer than its time-out, which on a busy machine says nothing of the container.
      mapfile -t check < <("$podman" inspect "$name" --format '{{range .Config.Healthcheck.Test}}{{println .}}{{end}}' | grep .)
      # Nobody waits any more where podman-compose was ended.
      until "$podman" exec "$name" "${check[@]:1}" >/dev/null 2>&1; do kill -0 "$PPID" || exit 1; sleep 1; done
    done
    ;;
  'wait --condition=stopped')
    # 4.3.1 takes 20 s to see that what has exited is stopped; and "completed successfully" means status 0.
    shift 2
    for name in "$@"; do
      until [ "$("$podman" inspect "$name" --format '{{.State.Status}}')" = exited ]; do kill -0 "$PPID" || exit 1; sleep 0.5; done
      [ "$("$podman" inspect "$name" --format '{{.State.ExitCode}}')" = 0 ] || { echo "$name failed" >&2; kill "$PPID"; exit 1; }
    done
    ;;
  'create '* | 'run '*)
    # podman 4.3.1 cannot start what requires a container that has ended and requires another; podman-compose keeps the order anyway.
    args=()
    for one in "$@"; do case "$one" in --requires=*) ;; *) args+=("$one") ;; esac; done
    quietly "${args[@]}"
    ;;
  'start '* | 'stop '* | 'rm '* | 'restart '*) quietly "$@" ;;
  *) exec "$podman" "$@" ;;
esac
