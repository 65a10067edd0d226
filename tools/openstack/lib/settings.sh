# Options, folders and ports. Sourced by up.sh and down.sh.

address=127.0.0.1
data=/var/lib/windlass/openstack
port_base=15000
computes=3
show_host=no
install=yes
output=environment
purge=no
began=$(date +%s)

say() { printf '[%4ds] %s\n' "$(($(date +%s) - began))" "$*" >&2; }
die() { printf 'openstack: %s\n' "$*" >&2; exit 1; }

whole() { case $2 in '' | *[!0-9]*) die "$1 takes a number, not '$2'" ;; esac; }

parse_options() {
  while [ $# -gt 0 ]; do
    case $1 in
      --data) data=${2:?--data takes a folder}; shift ;;
      --port-base) whole "$1" "${2:-}"; port_base=$2; shift ;;
      --computes) whole "$1" "${2:-}"; computes=$2; shift ;;
      --show-host) show_host=yes ;;
      --no-install) install=no ;;
      --json) output=json ;;
      --purge) purge=yes ;;
      -h | --help) sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "$0"; exit 0 ;;
      *) die "unknown option $1" ;;
    esac
    shift
  done
  case $data in /*) ;; *) data=$PWD/$data ;; esac
  state=$data/state run=$data/run logs=$data/logs config=$data/config
  port_keystone=$((port_base)) port_glance=$((port_base + 1)) port_placement=$((port_base + 2))
  port_nova=$((port_base + 3)) port_neutron=$((port_base + 4)) port_cinder=$((port_base + 5))
  port_heat=$((port_base + 6)) port_heat_cfn=$((port_base + 7))
  port_mariadb=$((port_base + 8)) port_rabbit=$((port_base + 9)) port_memcached=$((port_base + 10))
  port_epmd=$((port_base + 11)) port_erlang=$((port_base + 12))
  keystone_url=http://$address:$port_keystone
  compute_hosts=()
  local number
  for number in $(seq 1 "$computes"); do compute_hosts+=("$(printf 'compute%02d' "$number")"); done
  clean_environment
}

# Debian's own python3 and no OS_* or proxy variable of the caller may reach the services.
clean_environment() {
  export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8
  export PYTHONPATH=$here/python PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
  unset http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY all_proxy ALL_PROXY
  local name
  for name in ${!OS_*}; do unset "$name"; done
}

prepare_folders() {
  [ "$(id -u)" = 0 ] || die 'it must be started by root: the database and the message broker run as users of their own'
  umask 022
  mkdir -p "$state" "$run" "$logs/rabbitmq" "$config"/{keystone,glance,placement,nova,neutron,cinder,heat,rabbitmq}
  setpriv --reuid mysql --clear-groups test -x "$data" ||
    die "user mysql can't enter $data; choose a folder whose parents others may enter (--data)"
}

# Passwords are made once and lie in files that only root reads; they never stand on a command line.
make_secrets() {
  umask 077
  local name
  for name in service database user user2 admin heat-key; do
    [ -s "$state/secret-$name" ] || od -An -N16 -tx1 /dev/urandom | tr -d ' \n' > "$state/secret-$name"
  done
  service_password=$(< "$state/secret-service")
  database_password=$(< "$state/secret-database")
  write_client_settings
}

# What identity.py, seed.py and show.py need to know.
write_client_settings() {
  local hosts
  hosts=$(printf '"%s",' "${compute_hosts[@]}")
  cat > "$state/clients.json" <<JSON
{
  "authUrl": "$keystone_url/v3",
  "region": "RegionOne",
  "address": "$address",
  "ports": {"glance": $port_glance, "placement": $port_placement, "nova": $port_nova, "neutron": $port_neutron,
            "cinder": $port_cinder, "heat": $port_heat, "heatCfn": $port_heat_cfn},
  "servicePassword": "$service_password",
  "admin": {"user": "admin", "project": "admin", "password": "$(< "$state/secret-admin")"},
  "tenants": [
    {"user": "vnfm", "project": "vnfm", "password": "$(< "$state/secret-user")"},
    {"user": "vnfm2", "project": "vnfm2", "password": "$(< "$state/secret-user2")"}
  ],
  "computeHosts": [${hosts%,}],
  "dataDir": "$data"
}
JSON
}
