import { APT, HEAD } from '@windlass/driver-kit';
import { ANSWERS_AT } from './haproxy.js';
import { ANSWERS } from './keepalived.js';
import { BALANCED_PORT } from './load-balancer.js';

// Shell and Perl of the load balancer, under the terms of ../node/scripts.ts. scripts.spec.ts holds them against shellcheck and perl -c.

/** Where keepalived notes, by {@link LOAD_BALANCER_ANSWERS}, which configuration it runs with. */
const KEEPALIVED_RUNS = '/run/windlass-keepalived';

/**
 * Asks the HAProxy of this machine whether it answers, and prints the digest of the configuration that it runs with: the root-only socket
 * is served by the same loop as the port. keepalived gives its own digest and runs this each second, so the file that is written tells both
 * that keepalived runs and with what. perl-base is part of every Debian and Ubuntu.
 */
export const LOAD_BALANCER_ANSWERS = String.raw`#!/usr/bin/perl
# windlass: keepalived asks by this whether the HAProxy of this machine answers.
use strict;
use warnings;
use IO::Socket::UNIX;

my ($keepalived) = @ARGV;
if (defined $keepalived) {
    open(my $file, '>', '${KEEPALIVED_RUNS}.new') or die "${KEEPALIVED_RUNS}.new: $!\n";
    print $file "$keepalived\n";
    close($file) or die "${KEEPALIVED_RUNS}.new: $!\n";
    rename('${KEEPALIVED_RUNS}.new', '${KEEPALIVED_RUNS}') or die "${KEEPALIVED_RUNS}: $!\n";
}
alarm 2;
my $haproxy = IO::Socket::UNIX->new(Peer => '${ANSWERS_AT}') or die "${ANSWERS_AT}: $!\n";
print $haproxy "GET / HTTP/1.0\r\n\r\n";
my $answer = do { local $/ = undef; <$haproxy> };
die "HAProxy gives no answer that is ours\n" if ($answer // '') !~ m{\AHTTP/1\.[01] 200 .*\r\n\r\n([0-9a-f]{64})\z}s;
print "$1\n";
`;

/** Whether anything answers at the virtual address. Needs the variable vip. */
const VIP = String.raw`
# shellcheck disable=SC2016 # the inner shell's own
vip_answers() { timeout 3 bash -c 'exec 3<> "/dev/tcp/$0/${BALANCED_PORT}"' "$vip" 2> /dev/null; }
`;

/** Whether HAProxy and keepalived run with the wanted configurations. Needs the variables haproxy_digest, keepalived_digest and vip. */
const RUNS = String.raw`
haproxy_runs() { [ "$(timeout 5 ${ANSWERS} 2> /dev/null)" = "$haproxy_digest" ]; }
keepalived_runs() {
  [ -n "$(find ${KEEPALIVED_RUNS} -newermt '-5 seconds' 2> /dev/null)" ] && [ "$(cat ${KEEPALIVED_RUNS})" = "$keepalived_digest" ]
}
${VIP}`;

/**
 * Arguments: digests of HAProxy's and keepalived's configurations, the virtual address, and the files' checksums in the form of `sha256sum --check`.
 */
export const LOAD_BALANCER_IS_SET_UP = `${HEAD}
haproxy_digest=$1 keepalived_digest=$2 vip=$3 files=$4
${RUNS}${String.raw`
sha256sum --check --status <<< "$files"
systemctl is-enabled --quiet haproxy keepalived
haproxy_runs
keepalived_runs
vip_answers
`}`;

/**
 * Puts files in their places, and starts both programs with them. A program that runs already reloads its configuration, and its connections stay.
 */
const SET = `${RUNS}${String.raw`
put() {
  mkdir -p "$(dirname "$3")"
  install -m "$1" "$2" "$3.windlass"
  mv "$3.windlass" "$3"
}
put_files() {
  put 0755 "$answers" ${ANSWERS}
  put 0644 "$keepalived_restart" /etc/systemd/system/keepalived.service.d/windlass.conf
  put 0644 "$haproxy_conf" /etc/haproxy/haproxy.cfg
  put 0644 "$keepalived_conf" /etc/keepalived/keepalived.conf
}
until_seen() {
  local left=$1
  shift
  until "$@"; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || return 1
    sleep 0.5
  done
}
# The service $1 is to be seen running by $2.
run_service() {
  "$2" && return 0
  say "$1: reading its configuration"
  systemctl reload-or-restart "$1" || true
  if until_seen 20 "$2"; then return 0; fi
  say "$1 goes on with another configuration: starting it anew"
  systemctl restart "$1" || true
  if until_seen 40 "$2"; then return 0; fi
  journalctl --no-pager --quiet -n 10 -u "$1" >&2 || true
  say "$1 does not run with its new configuration: its words are above (journalctl -u $1)" >&2
  exit 75
}
run_both() {
  haproxy -c -f /etc/haproxy/haproxy.cfg || refuse "this HAProxy refuses the configuration that Windlass wrote (above): is it a version that is known?"
  systemctl daemon-reload
  systemctl enable --quiet haproxy keepalived
  run_service haproxy haproxy_runs
  run_service keepalived keepalived_runs
  if ! until_seen 60 vip_answers; then
    say "nobody answers at $vip port ${BALANCED_PORT} from here, though HAProxy and keepalived run: do the masters' ports allow the address (allowed_address_pairs), and do their security groups let VRRP (IP protocol 112) and TCP port ${BALANCED_PORT} through between masters?" >&2
    exit 75
  fi
}
`}`;

const ARGUMENTS = String.raw`
haproxy_conf=$1 keepalived_conf=$2 answers=$3 keepalived_restart=$4 haproxy_digest=$5 keepalived_digest=$6 vip=$7
`;

/**
 * Arguments: files with HAProxy's configuration, keepalived's, {@link LOAD_BALANCER_ANSWERS}, keepalived's unit's addition; digests of the two
 * configurations, the virtual address. The files come first: Debian starts services as they are installed.
 */
export const CONFIGURE_LOAD_BALANCER = `${HEAD}${APT}${ARGUMENTS}${SET}${String.raw`
ours=/var/lib/windlass-load-balancer
mkdir -p "$ours"
if [ -e /etc/haproxy/haproxy.cfg ] && ! grep -q '^# windlass' /etc/haproxy/haproxy.cfg; then
  cp -p /etc/haproxy/haproxy.cfg "$ours/haproxy.cfg"
fi
set --
for package in haproxy keepalived; do
  if ! dpkg -s "$package" 2> /dev/null | grep -q '^Status: .* installed$'; then set -- "$@" "$package"; fi
done
put_files
if [ $# -gt 0 ]; then
  printf '%s\n' "$@" >> "$ours/packages"
  apt_get update
  apt_get install --no-install-recommends "$@"
fi
run_both
`}`;

/** Arguments as those of {@link CONFIGURE_LOAD_BALANCER}, on a node that it was run on. */
export const CHANGE_LOAD_BALANCER = `${HEAD}${ARGUMENTS}${SET}
put_files
run_both
`;

/** Takes away what {@link CONFIGURE_LOAD_BALANCER} made, the address first. Packages that were there before stay. */
export const REMOVE_LOAD_BALANCER = `${HEAD}${APT}${String.raw`
ours=/var/lib/windlass-load-balancer
for service in keepalived haproxy; do
  if systemctl cat "$service" > /dev/null 2>&1; then systemctl disable --now "$service"; fi
done
set --
if [ -e "$ours/packages" ]; then
  while read -r package; do
    if dpkg -s "$package" > /dev/null 2>&1; then set -- "$@" "$package"; fi
  done < "$ours/packages"
fi
if [ $# -gt 0 ]; then apt_get purge "$@"; fi
for file in /etc/haproxy/haproxy.cfg /etc/keepalived/keepalived.conf; do
  if grep -qs '^# windlass' "$file"; then rm "$file"; fi
done
rm -f /etc/systemd/system/keepalived.service.d/windlass.conf ${ANSWERS} ${KEEPALIVED_RUNS} ${KEEPALIVED_RUNS}.new
if [ -e "$ours/haproxy.cfg" ] && [ -d /etc/haproxy ]; then
  cp -p "$ours/haproxy.cfg" /etc/haproxy/haproxy.cfg
  systemctl enable --now haproxy
fi
rm -rf "$ours"
for folder in /etc/haproxy /etc/keepalived /etc/systemd/system/keepalived.service.d /usr/local/lib/windlass; do
  if [ -d "$folder" ] && [ -z "$(ls -A "$folder")" ]; then rmdir "$folder"; fi
done
systemctl daemon-reload
`}`;

/** keepalived's unit of Debian and Ubuntu is not started again when it dies. */
export const KEEPALIVED_RESTART = `[Service]
Restart=always
RestartSec=1
`;

/** Gives the virtual address away, also after a restart of the machine. A peer takes the address within the time of one advert. */
export const LEAVE_LOAD_BALANCER = `${HEAD}${String.raw`
if systemctl cat keepalived > /dev/null 2>&1; then systemctl disable --quiet --now keepalived; fi
`}`;

export const RETURN_TO_LOAD_BALANCER = `${HEAD}${String.raw`
if systemctl cat keepalived > /dev/null 2>&1; then systemctl enable --quiet --now keepalived; fi
`}`;

/** Prints whether this machine has the address, and whether it gets an answer there. Argument: the virtual address. */
export const LOOK_AT_VIP = `${HEAD}
vip=$1
${VIP}${String.raw`
if [ -n "$(ip -o -4 addr show to "$vip")" ]; then say holds; fi
if vip_answers; then say answered; fi
`}`;
