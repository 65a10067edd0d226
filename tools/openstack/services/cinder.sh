# Cinder with a backend that keeps records only.

configure_cinder() {
  mkdir -p "$state/cinder/lock"
  cat > "$config/cinder/cinder.conf" <<C
[DEFAULT]
use_stderr = true
my_ip = $address
host = cinder01
osapi_volume_listen = $address
osapi_volume_listen_port = $port_cinder
osapi_volume_workers = 1
api_paste_config = /etc/cinder/api-paste.ini
resource_query_filters_file = /etc/cinder/resource_filters.json
auth_strategy = keystone
transport_url = $(message_url)
state_path = $state/cinder
enabled_backends = records
default_volume_type = __DEFAULT__
glance_api_servers = http://$address:$port_glance
quota_volumes = -1
quota_gigabytes = -1
[records]
volume_driver = windlass_openstack.record_only.RecordOnlyDriver
volume_backend_name = records
[database]
connection = $(database_url cinder)
[oslo_concurrency]
lock_path = $state/cinder/lock
$(authtoken cinder keystone_authtoken)
$(service_login nova nova)
C
}

database_cinder() { cinder-manage --config-file "$config/cinder/cinder.conf" db sync; }

start_cinder() {
  local run_python=(python3 -m windlass_openstack.program) with=(--config-file "$config/cinder/cinder.conf")
  start cinder-api "${run_python[@]}" cinder-api cinder.cmd.api:main "${with[@]}"
  start cinder-scheduler "${run_python[@]}" cinder-scheduler cinder.cmd.scheduler:main "${with[@]}"
  start cinder-volume "${run_python[@]}" cinder-volume cinder.cmd.volume:main "${with[@]}"
}
