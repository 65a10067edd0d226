# Daemons without systemd. run/NAME.pid holds "<pid> <start time>", so that a pid that was given to another process is not
# taken for ours; each daemon leads a session of its own.

start_time() { sed 's/.*) //' "/proc/$1/stat" 2> /dev/null | cut -d' ' -f20; }

alive() {
  local pid since
  [ -s "$run/$1.pid" ] || return 1
  read -r pid since < "$run/$1.pid"
  [ -d "/proc/$pid" ] && [ "$(start_time "$pid")" = "$since" ]
}

# start NAME COMMAND...
start() {
  local name=$1
  shift
  alive "$name" && return 0
  (cd / && exec setsid "$@" >> "$logs/$name.log" 2>&1 < /dev/null 9>&-) &
  local pid=$!
  sleep 0.1
  disown "$pid" 2> /dev/null || true
  echo "$pid $(start_time "$pid")" > "$run/$name.pid"
}

# stop NAME FIFTHS: asks, waits that many fifths of a second, then kills the session.
stop() {
  local name=$1 pid since turn
  [ -s "$run/$name.pid" ] || return 0
  read -r pid since < "$run/$name.pid"
  if [ -d "/proc/$pid" ] && [ "$(start_time "$pid")" = "$since" ]; then
    kill -TERM -- "-$pid" 2> /dev/null || kill -TERM "$pid" 2> /dev/null || true
    for turn in $(seq 1 "$2"); do [ -d "/proc/$pid" ] || break; sleep 0.2; done
    kill -KILL -- "-$pid" 2> /dev/null || true
    say "stopped $name"
  fi
  rm -f "$run/$name.pid"
}

ended() {
  say "$1 has ended; the end of $logs/$1.log:"
  tail -n 15 "$logs/$1.log" >&2
  exit 1
}

# wait_port NAME PORT
wait_port() {
  local turn
  for turn in $(seq 1 300); do
    (exec 3<> "/dev/tcp/$address/$2") 2> /dev/null && return 0
    alive "$1" || ended "$1"
    sleep 0.2
  done
  die "$1 does not listen on port $2 after a minute"
}

# wait_http NAME URL: any answer will do.
wait_http() {
  local turn
  for turn in $(seq 1 300); do
    [ "$(curl -s -o /dev/null -m 20 -w '%{http_code}' "$2")" != 000 ] && return 0
    alive "$1" || ended "$1"
    sleep 0.3
  done
  die "$1 does not answer at $2"
}

# once NAME COMMAND...: does it at the first start only.
once() {
  local name=$1
  shift
  [ -e "$state/done-$name" ] && return 0
  if ! "$@" >> "$logs/setup-$name.log" 2>&1; then
    say "step $name failed; the end of $logs/setup-$name.log:"
    tail -n 15 "$logs/setup-$name.log" >&2
    exit 1
  fi
  touch "$state/done-$name"
}

# program NAME MODULE:FUNCTION ARGUMENTS...: a console script of a Python package, whatever the package named its file.
program() { python3 -m windlass_openstack.program "$@"; }
