# Debian's packages, installed without letting their services start.

packages=(python3-keystone python3-glance python3-placement python3-nova python3-neutron python3-cinder python3-heat
  glance-common placement-common nova-common neutron-common cinder-common heat-common
  python3-openstackclient python3-heatclient python3-cinderclient python3-neutronclient python3-pymysql
  mariadb-server rabbitmq-server memcached uwsgi-core uwsgi-plugin-python3 iproute2 curl)

install_packages() {
  local missing=() package
  for package in "${packages[@]}"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null || true)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  [ "$(id -u)" = 0 ] || die "these Debian packages are missing and root must install them: ${missing[*]}"
  say "installing ${#missing[@]} Debian packages; this takes two to three minutes"
  local log policy=/usr/sbin/policy-rc.d made=no
  log=$(mktemp)
  if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' > "$policy"
    chmod +x "$policy"
    made=yes
  fi
  local failed=no
  apt_install "$log" "${missing[@]}" || { apt_get "$log" update -q && apt_install "$log" "${missing[@]}"; } || failed=yes
  [ "$made" = no ] || rm -f "$policy"
  [ "$failed" = no ] || { tail -n 20 "$log" >&2; rm -f "$log"; die 'apt-get install failed'; }
  rm -f "$log"
}

apt_install() {
  local log=$1
  shift
  apt_get "$log" install -y --no-install-recommends "$@"
}

# Runs apt-get, and waits for a program that has one of its locks: apt itself can wait for dpkg's only, and says nothing.
apt_get() {
  local log=$1 told=no
  shift
  until DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get "$@" > "$log" 2>&1; do
    grep -q 'Could not get lock' "$log" || return 1
    [ "$told" = yes ] || say "waiting for another program that installs packages ($(grep -m 1 'Could not get lock' "$log"))"
    told=yes
    sleep 2
  done
}
