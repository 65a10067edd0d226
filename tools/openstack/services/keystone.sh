# Keystone under uwsgi; and the parts that the other services' configurations share.

# authtoken USER SECTION: how a service checks tokens and asks for its own.
authtoken() {
  cat <<C
[$2]
auth_type = password
auth_url = $keystone_url
www_authenticate_uri = $keystone_url
memcached_servers = $address:$port_memcached
user_domain_name = Default
project_domain_name = Default
project_name = service
username = $1
password = $service_password
region_name = RegionOne
C
}

# service_login USER SECTION: how a service logs in at another.
service_login() { authtoken "$1" "$2" | grep -v -e www_auth -e memcached; }

wsgi=(uwsgi_python3 --master --die-on-term --need-app --enable-threads --thunder-lock --lazy-apps --buffer-size 65535
  --post-buffering 65535 --disable-logging --add-header 'Connection: close')

configure_keystone() {
  cat > "$config/keystone/keystone.conf" <<C
[DEFAULT]
use_stderr = true
[database]
connection = $(database_url keystone)
[token]
provider = fernet
expiration = 86400
[fernet_tokens]
key_repository = $state/keystone/fernet
[credential]
key_repository = $state/keystone/credential
[cache]
enabled = true
backend = dogpile.cache.memcached
memcache_servers = $address:$port_memcached
C
}

database_keystone() {
  local with=(--config-file "$config/keystone/keystone.conf")
  mkdir -p "$state"/keystone/{fernet,credential}
  keystone-manage "${with[@]}" db_sync
  keystone-manage "${with[@]}" fernet_setup --keystone-user root --keystone-group root
  keystone-manage "${with[@]}" credential_setup --keystone-user root --keystone-group root
  OS_BOOTSTRAP_PASSWORD=$(< "$state/secret-admin") keystone-manage "${with[@]}" bootstrap \
    --bootstrap-username admin --bootstrap-project-name admin --bootstrap-region-id RegionOne \
    --bootstrap-public-url "$keystone_url/v3" --bootstrap-internal-url "$keystone_url/v3" --bootstrap-admin-url "$keystone_url/v3"
}

start_keystone() {
  start keystone env OS_KEYSTONE_CONFIG_FILES="$config/keystone/keystone.conf" "${wsgi[@]}" --processes 3 \
    --http-socket "$address:$port_keystone" --wsgi-file /usr/bin/keystone-wsgi-public --procname keystone
}
