#!/bin/bash
# Brings up a small, real OpenStack on this machine from Debian's packages (bookworm, "Zed"), without systemd and on
# loopback only: Keystone, Placement, Glance, Nova (fake virtualisation, three compute hosts), Neutron (ports bind without
# agents), Cinder (records only), Heat. Repeatable: a second run does only what is missing.
#
#   up.sh [--data DIR] [--port-base N] [--computes N] [--show-host] [--no-install] [--json]
#
#   --data DIR      where everything is kept (default /var/lib/windlass/openstack)
#   --port-base N   first of the 20 ports that are used (default 15000), so that several can run side by side
#   --computes N    number of compute hosts at the first start (default 3)
#   --show-host     ordinary users see OS-EXT-SRV-ATTR:host
#   --no-install    don't look at packages
#   --json          print what a client needs as one JSON object, instead of OS_* variables
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/lib/settings.sh"
parse_options "$@"
. "$here/lib/process.sh"
. "$here/lib/packages.sh"
. "$here/lib/infrastructure.sh"
for service in keystone placement glance nova neutron cinder heat; do . "$here/services/$service.sh"; done

[ "$install" = no ] || install_packages
prepare_folders
exec 9> "$data/lock"
flock -w 900 9 || die "another up.sh has held $data/lock for 15 minutes"
make_secrets

for service in keystone placement glance nova neutron cinder heat; do "configure_$service"; done
start_infrastructure
say 'mariadb, rabbitmq and memcached run'

waiting=()
for service in keystone placement glance nova neutron cinder heat; do
  once "database-$service" "database_$service" & waiting+=($!)
done
for pid in "${waiting[@]}"; do wait "$pid"; done
say 'databases are ready'

start_keystone
once message-user add_message_user
wait_http keystone "$keystone_url/v3"
once identity python3 -m windlass_openstack.identity "$state/clients.json"
say 'keystone answers'

for service in placement glance nova neutron cinder heat; do "start_$service"; done
wait_http placement "http://$address:$port_placement/"
start_computes
wait_http glance-api "http://$address:$port_glance/"
wait_http nova-api "http://$address:$port_nova/"
wait_http neutron-server "http://$address:$port_neutron/"
wait_http cinder-api "http://$address:$port_cinder/"
wait_http heat-api "http://$address:$port_heat/"
wait_http heat-api-cfn "http://$address:$port_heat_cfn/"
once seed python3 -m windlass_openstack.seed "$state/clients.json"
say 'all services answer; flavors, images and networks are there'
python3 -m windlass_openstack.show "$state/clients.json" "$output"
