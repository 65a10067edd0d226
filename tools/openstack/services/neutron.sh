# Neutron with a mechanism driver that binds every port at once, so that no agent is needed.

configure_neutron() {
  mkdir -p "$state/neutron/lock"
  cat > "$config/neutron/neutron.conf" <<C
[DEFAULT]
use_stderr = true
bind_host = $address
bind_port = $port_neutron
api_workers = 1
rpc_workers = 1
state_path = $state/neutron
core_plugin = ml2
service_plugins = router,qos
transport_url = $(message_url)
api_paste_config = /etc/neutron/api-paste.ini
notify_nova_on_port_status_changes = true
notify_nova_on_port_data_changes = true
[database]
connection = $(database_url neutron)
[oslo_concurrency]
lock_path = $state/neutron/lock
$(authtoken neutron keystone_authtoken)
$(service_login nova nova)
$(service_login placement placement)
[ml2]
type_drivers = flat,vlan,vxlan,local
tenant_network_types = vxlan
mechanism_drivers = alwaysbind
extension_drivers = port_security,qos
[ml2_type_flat]
flat_networks = *
[ml2_type_vlan]
network_vlan_ranges = physnet1:100:2000,physnet2:100:2000
[ml2_type_vxlan]
vni_ranges = 1:10000
[securitygroup]
enable_security_group = true
[quotas]
quota_port = -1
quota_network = -1
quota_subnet = -1
quota_floatingip = -1
C
}

database_neutron() { neutron-db-manage --config-file "$config/neutron/neutron.conf" upgrade heads; }

start_neutron() {
  start neutron-server python3 -m windlass_openstack.program neutron-server neutron.cmd.eventlet.server:main \
    --config-file "$config/neutron/neutron.conf"
}
