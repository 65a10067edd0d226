import { APT, HEAD } from '@windlass/driver-kit';

// Shell of the external load balancer, under the terms of ../node/scripts.ts. scripts.spec.ts holds it against shellcheck.

export const CONFIGURATION_FILE = '/etc/haproxy/haproxy.cfg';

/** The SHA-256 of the configuration that HAProxy read when it was last told to. */
const HAS_READ = '/run/windlass-external-lb';

/** Fails unless HAProxy runs, begins with the machine, and has read the file as it stands. */
export const EXTERNAL_LB_RUNS = `${HEAD}${String.raw`
systemctl is-active --quiet haproxy
systemctl is-enabled --quiet haproxy
[ "$(sha256sum < ${CONFIGURATION_FILE} | cut -c 1-64)" = "$(cat ${HAS_READ})" ]
`}`;

/**
 * Puts a configuration in its place once HAProxy accepts it, and has HAProxy read it by one reload: open connections stay with the old process.
 * Needs the variables new (a file) and was (the SHA-256 of the file that it was made from; none: no file).
 * A HAProxy master process that can't use a file keeps its workers, and says so only in its log. So success is a worker that was not there before.
 */
const SET = String.raw`
sum() { if [ -e "$1" ]; then sha256sum < "$1" | cut -c 1-64; else echo none; fi; }
workers() {
  local pid
  pid=$(systemctl show --property=MainPID --value haproxy)
  cat "/proc/$pid/task/$pid/children" 2> /dev/null || true
}
new_worker() {
  local pid
  for pid in $(workers); do
    case " $workers_before " in
      *" $pid "*) ;;
      *)
        echo "$pid"
        return 0
        ;;
    esac
  done
}
# A worker that comes and goes again could not serve: the same is to be seen twice.
takes_over() {
  local seen last='' tries=0
  while [ "$tries" -lt 40 ]; do
    seen=$(new_worker)
    if [ -n "$seen" ] && [ "$seen" = "$last" ]; then return 0; fi
    last=$seen
    tries=$((tries + 1))
    sleep 0.25
  done
  return 1
}
last_words() { journalctl --no-pager --quiet -n 10 -u haproxy >&2 || true; }
put_back() {
  if [ -e "$conf.windlass-before" ]; then mv "$conf.windlass-before" "$conf"; fi
}
set_configuration() {
  local now workers_before
  exec 9> /run/windlass-external-lb.lock
  flock 9
  now=$(sum "$conf")
  if [ "$now" != "$(sum "$new")" ] && [ "$was" != any ] && [ "$now" != "$was" ]; then
    say "$conf was changed by somebody else meanwhile: it is read again" >&2
    exit 75
  fi
  if ! haproxy -c -f "$new"; then
    refuse "HAProxy refuses the configuration (above): $conf is as it was before. Is there something in it that this version does not know?"
  fi
  if [ -e "$conf" ]; then
    cp -p "$conf" "$conf.windlass-before"
    cp -p "$conf" "$conf.windlass"
    cat "$new" > "$conf.windlass"
  else
    install -m 0644 "$new" "$conf.windlass"
  fi
  mv "$conf.windlass" "$conf"
  systemctl enable --quiet haproxy
  if systemctl is-active --quiet haproxy; then
    workers_before=$(workers)
    say "HAProxy reads its configuration"
    if ! systemctl reload haproxy 9>&- || ! takes_over; then
      last_words
      put_back
      refuse "HAProxy could not go on with the configuration (its words are above; is a port taken by another program?): $conf is as it was before, and HAProxy runs with that"
    fi
  elif ! systemctl start haproxy 9>&-; then
    last_words
    put_back
    refuse "HAProxy does not start with the configuration (its words are above; is a port taken by another program?): $conf is as it was before"
  fi
  rm -f "$conf.windlass-before"
  sum "$conf" > ${HAS_READ}
}
`;

/** Arguments: a file with the configuration, the SHA-256 of the one that it was made from. */
export const SET_EXTERNAL_LB = `${HEAD}
conf=${CONFIGURATION_FILE} new=$1 was=$2
${SET}
set_configuration
`;

/** Arguments as those of {@link SET_EXTERNAL_LB}, and a file with apt's proxies, empty where there are none. */
export const INSTALL_EXTERNAL_LB = `${HEAD}${String.raw`
command -v apt-get > /dev/null || refuse "this machine has no apt-get: the load balancer is installed on Debian or Ubuntu. A package with a script of its own may bring others"
`}${APT}
conf=${CONFIGURATION_FILE} new=$1 was=$2 apt_proxy=$3
${SET}${String.raw`
ours=/var/lib/windlass-external-lb
mkdir -p "$ours"
if [ -s "$apt_proxy" ]; then
  install -m 0600 "$apt_proxy" /etc/apt/apt.conf.d/95windlass-proxy
else
  rm -f /etc/apt/apt.conf.d/95windlass-proxy
fi
if [ -e "$conf" ] && ! grep -q '^# windlass' "$conf"; then cp -p "$conf" "$ours/haproxy.cfg"; fi
if ! dpkg -s haproxy 2> /dev/null | grep -q '^Status: .* installed$'; then
  touch "$ours/installed"
  apt_get update
  apt_get install --no-install-recommends haproxy
  # What the distribution brings is nobody's.
  was=any
fi
set_configuration
`}`;

/** Takes away what {@link INSTALL_EXTERNAL_LB} made. A HAProxy that was there before goes on as before. */
export const REMOVE_EXTERNAL_LB = `${HEAD}${APT}
conf=${CONFIGURATION_FILE}
${String.raw`
ours=/var/lib/windlass-external-lb
if [ -e "$ours/installed" ]; then
  if systemctl cat haproxy > /dev/null 2>&1; then systemctl disable --now haproxy; fi
  if dpkg -s haproxy > /dev/null 2>&1; then apt_get purge haproxy; fi
fi
if grep -qs '^# windlass' "$conf"; then rm "$conf"; fi
if [ ! -e "$ours/installed" ] && [ -e "$ours/haproxy.cfg" ]; then
  cp -p "$ours/haproxy.cfg" "$conf"
  systemctl reload-or-restart haproxy
fi
rm -rf "$ours"
rm -f ${HAS_READ} ${HAS_READ}.lock "$conf.windlass" "$conf.windlass-before" /etc/apt/apt.conf.d/95windlass-proxy
if [ -d /etc/haproxy ] && [ -z "$(ls -A /etc/haproxy)" ]; then rmdir /etc/haproxy; fi
`}`;
