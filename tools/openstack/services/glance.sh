# Glance with images in files.

configure_glance() {
  mkdir -p "$state"/glance/{images,staging,lock}
  cat > "$config/glance/glance-api.conf" <<C
[DEFAULT]
use_stderr = true
bind_host = $address
bind_port = $port_glance
workers = 1
transport_url = $(message_url)
node_staging_uri = file://$state/glance/staging
[database]
connection = $(database_url glance)
[glance_store]
stores = file,http
default_store = file
filesystem_store_datadir = $state/glance/images
[paste_deploy]
config_file = /etc/glance/glance-api-paste.ini
flavor = keystone
[oslo_concurrency]
lock_path = $state/glance/lock
$(authtoken glance keystone_authtoken)
C
}

database_glance() { glance-manage --config-file "$config/glance/glance-api.conf" db_sync; }

start_glance() {
  start glance-api python3 -m windlass_openstack.program glance-api glance.cmd.api:main --config-file "$config/glance/glance-api.conf"
}
