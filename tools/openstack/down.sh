#!/bin/bash
# Stops what up.sh started in that folder, and nothing else: each process is known by its pid and its start time.
#   down.sh [--data DIR] [--purge]        --purge also removes the folder's data and logs
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/lib/settings.sh"
parse_options "$@"
. "$here/lib/process.sh"

infrastructure='rabbitmq epmd mariadb memcached'
for file in "$run"/*.pid; do
  [ -e "$file" ] || continue
  name=$(basename "$file" .pid)
  case " $infrastructure " in *" $name "*) ;; *) stop "$name" 25 & ;; esac
done
wait
for name in $infrastructure; do stop "$name" 100; done
if [ "$purge" = yes ]; then
  rm -rf "$state" "$run" "$logs" "$config" "$data/lock"
  [ ! -d "$data" ] || rmdir --ignore-fail-on-non-empty "$data"
fi
