// Parts of scripts that run on machines as root, which are bash. Values come as arguments and files, never pasted in.

/** Stands before every script. */
export const HEAD = String.raw`#!/bin/bash
set -euo pipefail
say() { printf '%s\n' "$*"; }
# Ends the script for good: what is wrong, where, and what to do.
refuse() {
  printf '%s\n' "$*" >&2
  exit 1
}
`;

/**
 * Stops services that take apt's locks while a script installs, and starts them again when the script ends in any way. A file lists the active units
 * until they run again: after a killed script the next script, or a reboot, starts them.
 */
export const RESTING = String.raw`
resting=/run/windlass-apt-resting
wake_apt() {
  local unit
  [ -s "$resting" ] || return 0
  while read -r unit; do
    systemctl start --no-block "$unit" < /dev/null || say "$unit was running before, and can't be started again" >&2
  done < "$resting"
  rm -f "$resting"
}
`;

/** Waits for the locks of apt and dpkg (first boots hold them), and completes what a killed dpkg left half-way. */
export const APT = `${RESTING}${String.raw`
export DEBIAN_FRONTEND=noninteractive
rest_apt() {
  local unit
  trap wake_apt EXIT
  for unit in apt-daily.timer apt-daily-upgrade.timer unattended-upgrades.service; do
    if systemctl is-active --quiet "$unit"; then set -- "$@" "$unit"; fi
  done
  [ $# -gt 0 ] || return 0
  printf '%s\n' "$@" >> "$resting"
  say "resting while packages are installed: $*"
  systemctl stop --no-block "$@"
}

# Who has a lock, by the kernel; nothing where all are free. perl-base is part of every Debian and Ubuntu.
lock_holder() {
  perl -e '
    use Fcntl;
    for my $file (@ARGV) {
      open(my $lock, "<", $file) or next;
      my $asked = pack("s s x4 q q i x4", F_WRLCK, 0, 0, 0, 0);
      fcntl($lock, F_GETLK, $asked) or die "$file: $!\n";
      my ($kind, undef, undef, undef, $pid) = unpack("s s x4 q q i", $asked);
      next if $kind == F_UNLCK;
      my $name = "unknown";
      if (open(my $comm, "<", "/proc/$pid/comm")) { chomp($name = <$comm>); }
      print "process $pid ($name) has $file\n";
      exit;
    }' /var/lib/dpkg/lock-frontend /var/lib/dpkg/lock /var/lib/apt/lists/lock /var/cache/apt/archives/lock
}

locks_within=900
busy() {
  if ((SECONDS >= locks_within)); then
    say "the locks of apt and dpkg were not free within $locks_within s: $1" >&2
    exit 75
  fi
  say "waiting for apt's locks: $1"
  sleep 3
}

# Runs a program of apt's or dpkg's when nobody has a lock that it needs. Whoever takes one in between is waited for too.
locked() {
  local status who said
  said=$(mktemp)
  while :; do
    while who=$(lock_holder) && [ -n "$who" ]; do busy "$who"; done
    status=0
    "$@" < /dev/null 2> "$said" || status=$?
    cat "$said" >&2
    if [ "$status" = 0 ] || ! grep -qiE 'could not get lock|lock (was|is) (held|locked) by|unable to (acquire|lock)' "$said"; then break; fi
    busy "$(tail -n 1 "$said")"
  done
  rm "$said"
  return "$status"
}

apt_get() {
  locked apt-get -q -y -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3 \
    -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "$@" || exit 75
}
rest_apt
locked dpkg --configure -a
`}`;

/** Waits until the running containerd says that its CRI plugin is up: nothing talks to it before. */
export const CRI = String.raw`
cri_is_up() {
  ctr --timeout 5s plugins ls 2> /dev/null |
    awk '$1 == "io.containerd.grpc.v1" && $2 == "cri" && $NF == "ok" { up = 1 } END { exit !up }' || return 1
  # It comes with kubeadm. containerd 1.x lists the plugin a moment before it answers.
  if command -v crictl > /dev/null; then
    crictl --runtime-endpoint unix:///run/containerd/containerd.sock info > /dev/null 2>&1
  fi
}
wait_for_cri() {
  local tries=0
  until cri_is_up; do
    tries=$((tries + 1))
    if [ "$tries" -ge 60 ]; then
      say "containerd was started, but its CRI plugin is not up after $tries looks: journalctl -u containerd says why" >&2
      exit 75
    fi
    sleep 1
  done
}
`;
