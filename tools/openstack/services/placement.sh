# Placement under uwsgi.

configure_placement() {
  cat > "$config/placement/placement.conf" <<C
[DEFAULT]
use_stderr = true
[placement_database]
connection = $(database_url placement)
[api]
auth_strategy = keystone
$(authtoken placement keystone_authtoken)
C
}

database_placement() { placement-manage --config-file "$config/placement/placement.conf" db sync; }

start_placement() {
  start placement env OS_PLACEMENT_CONFIG_DIR="$config/placement" "${wsgi[@]}" --processes 1 \
    --http-socket "$address:$port_placement" --wsgi-file /usr/bin/placement-api --procname placement
}
