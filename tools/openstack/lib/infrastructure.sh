# MariaDB, RabbitMQ and memcached of our own, beside whatever else runs on the machine.

databases=(keystone placement glance nova_api nova nova_cell0 neutron cinder heat)
socket=$run/mysql/mysqld.sock
message_url() { echo "rabbit://openstack:$service_password@$address:$port_rabbit/"; }
database_url() { echo "mysql+pymysql://openstack:$database_password@$address:$port_mariadb/$1?charset=utf8"; }

start_infrastructure() {
  start memcached setpriv --reuid nobody --clear-groups memcached -l "$address" -p "$port_memcached" -m 64
  start_mariadb
  start_rabbitmq
  wait_port mariadb "$port_mariadb"
  once databases make_databases
  wait_port rabbitmq "$port_rabbit"
}

start_mariadb() {
  umask 022
  mkdir -p "$state/mysql" "$run/mysql"
  chown mysql:mysql "$state/mysql" "$run/mysql"
  chmod 755 "$state"
  once mariadb mariadb-install-db --no-defaults --user=mysql --datadir="$state/mysql" --skip-test-db \
    --auth-root-authentication-method=socket
  start mariadb setpriv --reuid mysql --regid mysql --init-groups mariadbd --no-defaults \
    --datadir="$state/mysql" --socket="$socket" --pid-file="$run/mysql/mysqld.pid" \
    --bind-address="$address" --port="$port_mariadb" --max-connections=2000 --skip-name-resolve --skip-log-bin \
    --innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=0 --innodb-buffer-pool-size=256M \
    --character-set-server=utf8 --collation-server=utf8_general_ci
  umask 077
}

make_databases() {
  local name
  {
    for name in "${databases[@]}"; do
      echo "CREATE DATABASE IF NOT EXISTS $name CHARACTER SET utf8 COLLATE utf8_general_ci;"
    done
    echo "CREATE USER IF NOT EXISTS 'openstack'@'$address' IDENTIFIED BY '$database_password';"
    echo "GRANT ALL ON *.* TO 'openstack'@'$address'; FLUSH PRIVILEGES;"
  } | mariadb --no-defaults -S "$socket"
}

# The command by which rabbitmq's programs run as their own user, on our ports and folders.
rabbit=(setpriv --reuid rabbitmq --regid rabbitmq --init-groups env "HOME=$state/rabbitmq"
  "ERL_EPMD_ADDRESS=$address" "ERL_EPMD_PORT=$port_epmd" "RABBITMQ_NODENAME=windlass$port_base@localhost"
  "RABBITMQ_DIST_PORT=$port_erlang" "RABBITMQ_CONF_ENV_FILE=$config/rabbitmq/env.conf"
  "RABBITMQ_CONFIG_FILE=$config/rabbitmq/rabbitmq" "RABBITMQ_ENABLED_PLUGINS_FILE=$config/rabbitmq/plugins"
  "RABBITMQ_MNESIA_BASE=$state/rabbitmq" "RABBITMQ_LOG_BASE=$logs/rabbitmq" "RABBITMQ_PID_FILE=$state/rabbitmq/pid")

start_rabbitmq() {
  umask 022
  mkdir -p "$state/rabbitmq"
  chown rabbitmq:rabbitmq "$state/rabbitmq" "$logs/rabbitmq"
  cat > "$config/rabbitmq/rabbitmq.conf" <<C
listeners.tcp.1 = $address:$port_rabbit
distribution.listener.interface = $address
loopback_users = none
vm_memory_high_watermark.absolute = 1GB
log.file.level = warning
C
  : > "$config/rabbitmq/env.conf"
  echo '[].' > "$config/rabbitmq/plugins"
  chmod 755 "$config" "$config/rabbitmq" "$logs" "$run"
  umask 077
  start epmd setpriv --reuid rabbitmq --regid rabbitmq --init-groups epmd -address "$address" -port "$port_epmd"
  start rabbitmq "${rabbit[@]}" /usr/lib/rabbitmq/bin/rabbitmq-server
}

add_message_user() {
  local control=/usr/lib/rabbitmq/bin/rabbitmqctl
  "${rabbit[@]}" $control await_startup --timeout 120
  "${rabbit[@]}" $control list_users -q | grep -q '^openstack' ||
    "${rabbit[@]}" $control add_user openstack <<< "$service_password"
  "${rabbit[@]}" $control set_permissions openstack '.*' '.*' '.*'
}
