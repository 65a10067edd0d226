#!/bin/sh
# Windlass's jobs on this host: starts each at most once, keeps what is known of it, ends it. docs/adr/0003-jobs-on-hosts.md
#
# Called as `sh jobs.sh VERB` by the service; parameters are WL_* variables, bulk comes on stdin, answers are lines on stdout.
# Needs coreutils, grep, sed, find and util-linux (flock, setsid, setpriv, fallocate); no more.
#
#   <root>/<operation>/<step>/lock       flock: whoever changes anything below holds it
#                            /fence      "<highest epoch seen> open|sealed"
#                            /<job>/job  "<attempt epoch> <do|undo> <instance> <cookie> <inputs>"
#                                  /pid    "<pid> <start time> <boot id> <cgroup|->" of the supervisor
#                                  /began  "<clock> <uptime>"; before it the command can't have run
#                                  /out /err, /status "<exit status> <clock>", /ending "<reason>", /ended "<reason> <clock>"
#                                  /receipt /mask       until the end was seen to
#                                  /done /out.kept /err.kept   afterwards
#   <root>/.in/<nonce>/                  what a job is given at its start: 0700, its user's
# shellcheck disable=SC2015 # in A && B || C, C is meant for both
set -u
umask 077
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export PATH LC_ALL

root=$WL_ROOT
lock_wait=90
tail_bytes=65536

say() { printf '%s\n' "$*" || exit 1; }
refuse() { say "refused $*"; exit 0; }
fail() { say "failed $*"; exit 0; }

# Whole or not at all.
put() {
  { printf '%s\n' "$2" >"$1.new" && mv -f "$1.new" "$1"; } || fail "can't write $1"
}

# Hundredths of seconds since the boot: no clock that anyone sets.
read_uptime() {
  read -r uptime _ </proc/uptime
  uptime=${uptime%.*}${uptime#*.}
}

read_boot() { read -r boot <"${WL_BOOT_ID_FILE:-/proc/sys/kernel/random/boot_id}"; }

# The lease that this order was given under, on this host's own clock. After a restart that clock is another one.
check_deadline() {
  read_uptime
  [ "$boot" = "$WL_BOOT" ] && [ "$uptime" -le "$WL_NOT_AFTER" ] || refuse lease-over
}

say_clock() {
  read_uptime
  say "clock $uptime $boot"
}

# Takes the lock of a step on fd 9. Asks again when the folder was swept away in between.
lock_step() {
  while :; do
    mkdir -p "$1" || fail "can't make $1"
    exec 9>>"$1/lock"
    flock -w "$lock_wait" 9 || fail "the lock of $1 is not to be had"
    [ "$1/lock" -ef /proc/self/fd/9 ] && return
  done
}

unlock_step() { exec 9>&-; }

read_fence() {
  f_epoch=0 f_sealed=open
  { read -r f_epoch f_sealed <"$1/fence"; } 2>/dev/null
}

# Refuses what is older than what was seen, and remembers what is newer.
pass_fence() {
  read_fence "$step"
  [ "$WL_EPOCH" -ge "$f_epoch" ] || refuse stale-epoch "$f_epoch"
  if [ "$WL_EPOCH" -eq "$f_epoch" ]; then
    [ "$f_sealed" = open ] || refuse sealed
  else
    put "$step/fence" "$WL_EPOCH open"
  fi
}

read_job() {
  j_attempt='' j_phase='' j_subject='' j_cookie='' j_in=''
  { read -r j_attempt j_phase j_subject j_cookie j_in <"$1/job"; } 2>/dev/null
}

read_pid() {
  p_pid='' p_start='' p_boot='' p_cgroup=-
  { read -r p_pid p_start p_boot p_cgroup <"$1/pid"; } 2>/dev/null
}

# Start time of a process (proc(5): field 22 of stat); fails for one that is gone or a zombie.
read_start() {
  { IFS= read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
  # shellcheck disable=SC2086 # the fields are words
  set -- ${stat##*) }
  case $1 in [ZXx]) return 1 ;; esac
  started=${20}
}

# After read_pid.
supervisor_lives() {
  [ -n "$p_pid" ] && [ "$p_boot" = "$boot" ] && read_start "$p_pid" && [ "$started" = "$p_start" ]
}

# After read_job and read_pid: every living process of the job, by its cookie in the environment, its session, its cgroup.
# A number that another process took over since then (its start time differs) says nothing of the session.
find_members() {
  alive=''
  session=$p_pid
  if [ "$p_boot" != "$boot" ]; then
    session=''
  elif [ -n "$session" ] && read_start "$session" && [ "$started" != "$p_start" ]; then
    session=''
  fi
  for pid in $(
    {
      grep -lzxsF "WINDLASS_JOB=$j_cookie" /proc/[0-9]*/environ | sed 's,^/proc/\([0-9]*\)/.*,\1,'
      [ -z "$session" ] || sed -n "s/^\([0-9]*\) (.*) [A-Z] [0-9]* [0-9]* $session .*/\1/p" /proc/[0-9]*/stat
      [ "$p_cgroup" = - ] || find "$p_cgroup" -name cgroup.procs -exec cat {} +
    } 2>/dev/null | sort -un
  ); do
    read_start "$pid" && alive="$alive $pid"
  done
}

# What the job was given at its start: secrets among it.
drop_inputs() { [ -z "$j_in" ] || rm -rf "${root:?}/.in/$j_in"; }

# Ends a job under its step's lock, and sees that it is gone. What had ended by itself stays as it ended.
end_job() {
  job=$1 reason=$2
  read_job "$job" || return 0
  read_pid "$job"
  find_members
  if [ -n "$alive" ]; then
    [ -e "$job/status" ] && return 0
    put "$job/ending" "$reason"
    turns=0
    while [ -n "$alive" ]; do
      if [ "$turns" -eq 0 ]; then
        # The supervisor stays to note how it ended.
        for pid in $alive; do [ "$pid" = "$p_pid" ] || kill -s TERM "$pid" 2>/dev/null; done
      elif [ "$turns" -ge "$WL_GRACE" ]; then
        [ "$p_cgroup" = - ] || { echo 1 >"$p_cgroup/cgroup.kill"; } 2>/dev/null
        # shellcheck disable=SC2086 # a list
        kill -s KILL $alive 2>/dev/null
      fi
      [ "$turns" -lt $((WL_GRACE + 100)) ] || fail "alive$alive"
      turns=$((turns + 1))
      sleep 0.1
      find_members
    done
  elif [ -e "$job/ending" ]; then
    read -r reason <"$job/ending"
  elif [ -e "$job/status" ]; then
    return 0
  elif [ ! -e "$job/began" ]; then
    # It never ran.
    drop_inputs
    rm -f "$job/job"
    return 0
  else
    reason=lost
  fi
  drop_inputs
  put "$job/ended" "$reason $(date +%s)"
  # Nobody will read on: no log is left without what is to be hidden in it.
  case $reason in cancelled | superseded) rm -f "$job/out" "$job/err" "$job/mask" ;; esac
}

# What there is of a job: state is none, running, exited or ended. Under the step's lock.
read_state() {
  state=none
  read_job "$1" || return 0
  if [ ! -e "$1/ended" ]; then
    if [ -e "$1/status" ] && [ ! -e "$1/ending" ]; then
      state=exited
      return 0
    fi
    read_pid "$1"
    if supervisor_lives; then
      state=running
      return 0
    fi
    end_job "$1" lost
  fi
  if [ -e "$1/ended" ]; then state=ended; elif [ -e "$1/status" ]; then state=exited; fi
}

# Whether nobody has noted yet how the job ended.
is_unended() {
  [ -e "$1/job" ] && [ ! -e "$1/ended" ] || return 1
  [ ! -e "$1/status" ] || [ -e "$1/ending" ]
}

# Folders of unended jobs that may not run beside this run's: of the step's other attempts, of the operation's other phase,
# of another operation on the same VNF instance.
list_intruders() {
  for record in "$root"/*/*/*/job; do
    other=${record%/job}
    is_unended "$other" && read_job "$other" || continue
    other_step=${other%/*}
    if [ "$other_step" = "$step" ]; then
      [ "$j_attempt" != "$WL_ATTEMPT" ] || continue
    elif [ "${other_step%/*}" = "$root/$WL_OP" ]; then
      [ "$j_phase" != "$WL_PHASE" ] || continue
    else
      [ "$j_subject" = "$WL_SUBJECT" ] || continue
    fi
    printf '%s\n' "$other"
  done
}

# Every unended job of the instance that isn't of this step.
list_others() {
  for record in "$root"/*/*/*/job; do
    other=${record%/job}
    [ "${other%/*}" != "$step" ] && is_unended "$other" && read_job "$other" || continue
    [ "$j_subject" != "$WL_SUBJECT" ] || printf '%s\n' "$other"
  done
}

# Ends a job of another step: what was claimed of that step so far can start nothing more. Holds no other lock meanwhile.
end_other() {
  lock_step "${1%/*}"
  read_fence "${1%/*}"
  [ "$f_sealed" = sealed ] || put "${1%/*}/fence" "$f_epoch sealed"
  end_job "$1" superseded
  unlock_step
}

say_base64() { [ ! -e "$2" ] || say "$1 $(base64 -w 0 "$2")"; }

# "<state> <what came of it> <clock of its start> <clock of its end>", or how long it runs.
say_state() {
  began_clock=0 began_uptime=0
  { read -r began_clock began_uptime <"$d/began"; } 2>/dev/null
  case $state in
    none) say "state none" ;;
    running)
      read_uptime
      say "state running $((uptime - began_uptime)) $began_clock"
      ;;
    exited | ended)
      file=$d/ended
      [ $state = ended ] || file=$d/status
      read -r outcome ended_clock <"$file"
      say "state $state $outcome $began_clock $ended_clock"
      ;;
  esac
}

# Standard input: "<mode> <size> <name>", that many bytes, and again; at last "end". Fails when it was cut off.
receive_inputs() {
  mkdir -p "$root/.in" && chmod 711 "$root" "$root/.in" && mkdir "$1" || return 1
  while read -r mode size name; do
    [ "$mode" != end ] || return 0
    head -c "$size" >"$1/$name" && [ "$(stat -c %s "$1/$name")" = "$size" ] && chmod "$mode" "$1/$name" || return 1
  done
  return 1
}

# Standard input: "<n>" and n bytes, and again; at last "0". Fails when it was cut off.
receive_file() {
  : >"$1" || return 1
  at=0
  while read -r size; do
    [ "$size" != 0 ] || return 0
    head -c "$size" >>"$1" || return 1
    at=$((at + size))
    [ "$(stat -c %s "$1")" = "$at" ] || return 1
  done
  return 1
}

place_file() {
  [ -z "$WL_OWNER" ] || chown -- "$WL_OWNER" "$WL_TEMPORARY" || return 1
  chmod "$WL_MODE" "$WL_TEMPORARY" && mv -fT -- "$WL_TEMPORARY" "$WL_PATH"
}

# Whom the command runs as: root, or who logged in.
choose_user() {
  job_uid=$(id -u) job_gid=$(id -g)
  if [ "$WL_AS" = login ] && [ "$job_uid" = 0 ] && [ -n "${SUDO_UID:-}" ]; then
    job_uid=$SUDO_UID
    job_gid=${SUDO_GID:?}
  fi
}

# Starts the supervisor, which inherits the step's lock and gives it up when it has noted itself: until then nobody looks.
launch() {
  if [ "$1" = scope ]; then
    WINDLASS_JOB=$cookie WL_SCOPE=windlass-$cookie.scope setsid systemd-run --quiet --scope --collect \
      "--unit=windlass-$cookie" "--description=Windlass job $WL_JOB" sh "$0" supervise "$d" </dev/null >/dev/null 2>&1 &
  else
    WINDLASS_JOB=$cookie WL_SCOPE=- setsid sh "$0" supervise "$d" </dev/null >/dev/null 2>&1 &
  fi
  unlock_step
  lock_step "$step"
}

can_scope() {
  [ "$WL_CONTAIN" = auto ] && [ "$(id -u)" = 0 ] && [ -d /run/systemd/system ] && command -v systemd-run >/dev/null
}

# Folder of the scope's cgroup: cgroup v2, or systemd's own hierarchy.
find_cgroup() {
  cgroup=-
  [ "$WL_SCOPE" != - ] || return 0
  path=$(sed -n "s|^[0-9]*:\(name=systemd\)\{0,1\}:\(/.*$WL_SCOPE\)\$|\2|p" /proc/self/cgroup | head -n 1)
  [ -n "$path" ] || return 0
  for base in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
    [ ! -e "$base$path/cgroup.procs" ] || { cgroup=$base$path && return 0; }
  done
}

supervise() {
  d=$1
  read_job "$d" || exit 1
  read_boot
  find_cgroup
  choose_user
  : >"$d/out"
  : >"$d/err"
  read_start $$
  put "$d/pid" "$$ $started $boot $cgroup"
  read_uptime
  put "$d/began" "$(date +%s) $uptime"
  unlock_step
  # Handled, not ignored: what is ignored stays ignored in the command.
  trap : TERM HUP INT
  account=$(getent passwd "$job_uid")
  user=${account%%:*}
  account=${account%:*}
  home=${account##*:}
  cd "${home:-/}" 2>/dev/null || cd /
  inputs=$root/.in/$j_in
  if [ "$job_uid" = "$(id -u)" ]; then set --; else set -- setpriv "--reuid=$job_uid" "--regid=$job_gid" --init-groups; fi
  umask 022
  "$@" env -i "PATH=$PATH" "HOME=${home:-/}" "USER=$user" "LOGNAME=$user" SHELL=/bin/sh LANG=C.UTF-8 \
    "WINDLASS_JOB=$j_cookie" sh "$inputs/+run" <"$inputs/+stdin" >>"$d/out" 2>>"$d/err"
  status=$?
  umask 077
  rm -rf "$inputs"
  put "$d/status" "$status $(date +%s)"
}

start() {
  inputs=$root/.in/$WL_NONCE
  receive_inputs "$inputs" || { rm -rf "$inputs"; fail "the start was cut off"; }
  lock_step "$step"
  # Whatever comes of it, what was sent isn't left lying.
  answer=$(admit) || answer="failed could not be admitted"
  if [ "$answer" != admitted ]; then
    rm -rf "$inputs"
    say "$answer"
    return
  fi
  read_job "$d"
  drop_inputs
  rm -f "$d/job"
  rm -rf "$d"
  mkdir -p "$d" || fail "can't make $d"
  for name in receipt mask display; do
    [ ! -e "$inputs/+$name" ] || mv "$inputs/+$name" "$d/$name"
  done
  choose_user
  chown -R "$job_uid:$job_gid" "$inputs"
  read -r cookie </proc/sys/kernel/random/uuid
  put "$d/job" "$WL_ATTEMPT $WL_PHASE $WL_SUBJECT $cookie $WL_NONCE"
  if can_scope; then launch scope; fi
  if [ ! -e "$d/began" ]; then launch plain; fi
  [ -e "$d/began" ] || fail "the job's supervisor did not start"
  say started
  unlock_step
  (sweep) >/dev/null 2>&1 # what it says is nobody's answer
}

# Runs in a subshell; its one line says whether the job may start.
admit() {
  pass_fence
  check_deadline
  [ -z "$(list_intruders)" ] || { say intruders; return; }
  read_job "$d"
  if [ "$j_attempt" = "$WL_ATTEMPT" ]; then
    read_state "$d"
    [ "$state" = none ] || { say "state $state"; return; }
  fi
  say admitted
}

# Where the log stands, and the next piece of it. Far behind, it skips to the last of it.
send_log() {
  at=$3
  # shellcheck disable=SC2046 # two words
  set -- "$1" "$2" $(stat -c '%s %b' "$2" 2>/dev/null)
  [ $# -eq 4 ] || return 0
  behind=$(($3 - at)) skipped=0
  [ "$behind" -gt 0 ] || return 0
  if [ "$behind" -gt $((4 * tail_bytes)) ]; then
    skipped=$((behind - tail_bytes))
    behind=$tail_bytes
  fi
  say "$1 $skipped $behind"
  tail -c "+$((at + skipped + 1))" "$2" | head -c "$behind" || exit 1
  at=$((at + skipped + behind))
  # The disk is not to fill up with what nobody will read: the beginning of a long log becomes a hole.
  [ $(($4 * 512)) -le "$WL_LOG_LIMIT" ] || fallocate -p -o 0 -l $((at - tail_bytes)) "$2" 2>/dev/null
}

follow() {
  read_job "$d" && [ "$j_attempt" = "$WL_ATTEMPT" ] || { say gone; return; }
  cookie=$j_cookie out_at=$WL_OUT_AT err_at=$WL_ERR_AT kept='' pause=0.05 turns=0
  read_pid "$d"
  while :; do
    read_fence "$step"
    [ "$f_epoch" -le "$WL_EPOCH" ] || { say "stale $f_epoch"; return; }
    read_job "$d" && [ "$j_cookie" = "$cookie" ] || { say gone; return; }
    state=running
    if [ -e "$d/ended" ]; then
      state=ended
    elif [ -e "$d/status" ] && [ ! -e "$d/ending" ]; then
      state=exited
    elif ! supervisor_lives && { [ ! -e "$d/status" ] || [ -e "$d/ending" ]; }; then
      state=lost
    fi
    if [ -z "$kept" ] && [ -e "$d/done" ]; then
      # Someone saw to its end already: what is left is what was kept.
      kept=.kept out_at=0 err_at=0
      say kept
    fi
    send_log out "$d/out$kept" "$out_at"
    out_at=$at
    send_log err "$d/err$kept" "$err_at"
    err_at=$at
    if [ "$state" = lost ]; then
      say lost
      return
    elif [ "$state" != running ]; then
      # Someone saw to it just now: what was read may be cut short.
      [ -n "$kept" ] || [ ! -e "$d/done" ] || continue
      if [ -n "$kept" ]; then
        read -r out_dropped err_dropped <"$d/done"
        say "dropped $out_dropped $err_dropped"
      fi
      say_state
      return
    fi
    sleep "$pause"
    turns=$((turns + 1))
    case $turns in 8) pause=0.1 ;; 20) pause=0.25 ;; 40) pause=0.5 ;; esac
    [ $((turns % 8)) -ne 0 ] || say .
  done
}

# Standard input: "<n> <m> <dropped> <dropped>", then n and m bytes: what is kept of the log.
finish() {
  kept=$root/.in/$WL_NONCE
  mkdir "$kept" || fail "can't make $kept"
  read -r out_size err_size out_dropped err_dropped
  head -c "$out_size" >"$kept/out"
  head -c "$err_size" >"$kept/err"
  answer=$(keep_log) || answer="failed could not keep the log"
  rm -rf "$kept"
  say "$answer"
}

keep_log() {
  [ "$(stat -c %s "$kept/out") $(stat -c %s "$kept/err")" = "$out_size $err_size" ] || fail "the log was cut off"
  lock_step "$step"
  read_fence "$step"
  [ "$WL_EPOCH" -ge "$f_epoch" ] || refuse stale-epoch "$f_epoch"
  read_job "$d" && [ "$j_attempt" = "$WL_ATTEMPT" ] || refuse gone
  if [ ! -e "$d/done" ]; then
    read_state "$d"
    case $state in exited | ended) ;; *) refuse running ;; esac
    mv "$kept/out" "$d/out.kept" && mv "$kept/err" "$d/err.kept" || fail "can't keep the log"
    put "$d/done" "$out_dropped $err_dropped"
  fi
  rm -f "$d/out" "$d/err" "$d/mask" "$d/receipt"
  drop_inputs
  say finished
}

# "<inputs> <step's folder> " of every living job.
list_living() {
  for record in "$root"/*/*/*/job; do
    read_job "${record%/job}" || continue
    read_pid "${record%/job}"
    ! supervisor_lives || printf '%s ' "$j_in" "${record%/*/job}"
  done
}

# Once a day: steps of which nothing was heard for long. Every time: what starts that died left behind.
sweep() {
  if [ -n "$(find "$root/.in" -mindepth 1 -maxdepth 1 -mmin +60)" ]; then
    living=" $(list_living)"
    find "$root/.in" -mindepth 1 -maxdepth 1 -mmin +60 | while read -r folder; do
      case $living in *" ${folder##*/} "*) ;; *) rm -rf "$folder" ;; esac
    done
  fi
  [ -z "$(find "$root/.swept" -mtime -1)" ] || return 0
  : >"$root/.swept"
  living=" $(list_living)"
  for folder in "$root"/*/*/; do
    (
      old=${folder%/} lock_wait=0
      case $living in *" $old "*) exit ;; esac
      [ -d "$old" ] && is_old "$old" || exit
      lock_step "$old"
      ! is_old "$old" || rm -rf "$old"
      rmdir "${old%/*}"
    )
  done
}

# The lock's own time says nothing.
is_old() { [ -z "$(find "$1" ! -name lock -mtime "-$WL_KEEP_DAYS" 2>/dev/null | head -n 1)" ]; }

if [ "$1" = supervise ]; then
  supervise "$2"
  exit
fi
step=$root/$WL_OP/$WL_STEP
d=$step/${WL_JOB:-}
read_boot

case $1 in
  clock) say_clock ;;
  look)
    lock_step "$step"
    pass_fence
    say "root $root"
    say_clock
    [ -z "$(list_intruders)" ] || say intruders
    read_job "$d"
    if [ -n "$j_attempt" ] && [ "$j_attempt" -gt "$WL_ATTEMPT" ]; then refuse stale-epoch "$j_attempt"; fi
    say_base64 receipt "$d/receipt"
    say_base64 mask "$d/mask"
    if [ "${j_attempt:-$WL_ATTEMPT}" = "$WL_ATTEMPT" ]; then read_state "$d"; else state=none; fi
    say_state
    ;;
  clear)
    lock_step "$step"
    pass_fence
    check_deadline
    list_intruders | while read -r other; do [ "${other%/*}" != "$step" ] || end_job "$other" superseded; done
    unlock_step
    list_intruders | while read -r other; do [ "${other%/*}" = "$step" ] || end_other "$other"; done
    say cleared
    ;;
  start) start ;;
  follow) follow ;;
  finish) finish ;;
  end-job)
    lock_step "$step"
    pass_fence
    read_job "$d" && [ "$j_attempt" = "$WL_ATTEMPT" ] || refuse gone
    end_job "$d" "$WL_REASON"
    say ended
    ;;
  end-step)
    lock_step "$step"
    read_fence "$step"
    [ "$WL_EPOCH" -ge "$f_epoch" ] || refuse stale-epoch "$f_epoch"
    put "$step/fence" "$WL_EPOCH sealed"
    for record in "$step"/*/job; do
      other=${record%/job}
      is_unended "$other" || continue
      end_job "$other" cancelled
      [ ! -e "$other/ended" ] || say "ended ${other##*/}"
    done
    ;;
  quiet)
    lock_step "$step"
    pass_fence
    check_deadline
    unlock_step
    list_others | while read -r other; do end_other "$other"; done
    say quiet
    ;;
  put)
    if [ "$WL_PARENTS" = yes ]; then (umask 022 && mkdir -p -- "${WL_PATH%/*}/"); fi
    [ -d "${WL_PATH%/*}/" ] || refuse no-folder
    receive_file "$WL_TEMPORARY" || { rm -f -- "$WL_TEMPORARY"; fail "could not be received whole"; }
    lock_step "$step"
    answer=$(pass_fence && check_deadline)
    [ -n "$answer" ] || place_file || answer="failed could not be put in its place"
    rm -f -- "$WL_TEMPORARY"
    say "${answer:-put}"
    ;;
  # Without a deadline: what takes long outlives the lease as it was when it began. `place` asks for the lease as it is by then.
  receive)
    if [ "$WL_PARENTS" = yes ]; then (umask 022 && mkdir -p -- "${WL_PATH%/*}/"); fi
    [ -d "${WL_PATH%/*}/" ] || refuse no-folder
    receive_file "$WL_TEMPORARY" || { rm -f -- "$WL_TEMPORARY"; fail "could not be received whole"; }
    say received
    ;;
  place)
    lock_step "$step"
    answer=$(pass_fence && check_deadline)
    [ -n "$answer" ] || place_file || answer="failed could not be put in its place"
    rm -f -- "$WL_TEMPORARY"
    say "${answer:-put}"
    ;;
  sweep) sweep 2>/dev/null ;;
  *) fail "unknown verb $1" ;;
esac
say .
