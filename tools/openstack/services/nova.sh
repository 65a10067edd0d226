# Nova: real API, scheduler and conductor; compute hosts whose machines are records (Nova's own fake driver).

configure_nova() {
  mkdir -p "$state/nova/lock"
  cat > "$config/nova/nova.conf" <<C
[DEFAULT]
use_stderr = true
my_ip = $address
state_path = $state/nova
transport_url = $(message_url)
enabled_apis = osapi_compute
osapi_compute_listen = $address
osapi_compute_listen_port = $port_nova
osapi_compute_workers = 1
compute_driver = fake.FakeDriver
vif_plugging_is_fatal = False
vif_plugging_timeout = 0
periodic_fuzzy_delay = 0
allow_resize_to_same_host = True
[wsgi]
api_paste_config = /etc/nova/api-paste.ini
[oslo_policy]
policy_file = $config/nova/policy.yaml
[api_database]
connection = $(database_url nova_api)
[database]
connection = $(database_url nova)
[quota]
instances = -1
cores = -1
ram = -1
server_groups = -1
server_group_members = -1
[conductor]
workers = 1
[scheduler]
workers = 1
discover_hosts_in_cells_interval = 5
[vnc]
enabled = false
[oslo_concurrency]
lock_path = $state/nova/lock
$(authtoken nova keystone_authtoken)
$(service_login nova service_user)
send_service_user_token = true
$(service_login nova placement)
$(service_login neutron neutron)
[glance]
api_servers = http://$address:$port_glance
[cinder]
os_region_name = RegionOne
catalog_info = volumev3::publicURL
C
  if [ "$show_host" = yes ]; then
    echo '"os_compute_api:os-extended-server-attributes": "role:member or role:admin"' > "$config/nova/policy.yaml"
  else
    echo '{}' > "$config/nova/policy.yaml"
  fi
  local host
  for host in "${compute_hosts[@]}"; do
    printf '[DEFAULT]\nhost = %s\nstate_path = %s\n' "$host" "$state/nova/$host" > "$config/nova/$host.conf"
    mkdir -p "$state/nova/$host/instances"
  done
}

database_nova() {
  # Without arguments the cells take their connections from the configuration: no password on a command line.
  local with=(--config-file "$config/nova/nova.conf")
  nova-manage "${with[@]}" api_db sync
  nova-manage "${with[@]}" cell_v2 map_cell0
  nova-manage "${with[@]}" db sync
  nova-manage "${with[@]}" cell_v2 list_cells | grep -q ' cell1 ' || nova-manage "${with[@]}" cell_v2 create_cell --name cell1
}

start_nova() {
  local run_python=(python3 -m windlass_openstack.program) with=(--config-file "$config/nova/nova.conf")
  start nova-conductor "${run_python[@]}" nova-conductor nova.cmd.conductor:main "${with[@]}"
  start nova-api "${run_python[@]}" nova-api nova.cmd.api_os_compute:main "${with[@]}"
  start nova-scheduler "${run_python[@]}" nova-scheduler nova.cmd.scheduler:main "${with[@]}"
}

start_computes() {
  local host
  for host in "${compute_hosts[@]}"; do
    start "nova-$host" python3 -m windlass_openstack.program nova-compute nova.cmd.compute:main \
      --config-file "$config/nova/nova.conf" --config-file "$config/nova/$host.conf"
  done
}
