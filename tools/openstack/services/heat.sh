# Heat: API, CloudFormation API (its signals), engine.

configure_heat() {
  cat > "$config/heat/heat.conf" <<C
[DEFAULT]
use_stderr = true
# A line with milliseconds for each event of a stack, which in the database has whole seconds (./windlass bench openstack).
default_log_levels = heat.engine.stack=DEBUG,amqp=WARN,stevedore=WARN,sqlalchemy=WARN,oslo.messaging=INFO,oslo_messaging=INFO
transport_url = $(message_url)
auth_encryption_key = $(< "$state/secret-heat-key")
heat_metadata_server_url = http://$address:$port_heat_cfn
heat_waitcondition_server_url = http://$address:$port_heat_cfn/v1/waitcondition
stack_user_domain_name = heat
stack_domain_admin = heat_domain_admin
stack_domain_admin_password = $service_password
num_engine_workers = 2
region_name_for_services = RegionOne
deferred_auth_method = trusts
environment_dir = /etc/heat/environment.d
template_dir = /etc/heat/templates
max_stacks_per_tenant = -1
action_retry_limit = 5
[paste_deploy]
api_paste_config = /etc/heat/api-paste.ini
[heat_api]
bind_host = $address
bind_port = $port_heat
workers = 1
[heat_api_cfn]
bind_host = $address
bind_port = $port_heat_cfn
workers = 1
[database]
connection = $(database_url heat)
$(authtoken heat keystone_authtoken)
[trustee]
auth_type = password
auth_url = $keystone_url
username = heat
password = $service_password
user_domain_name = Default
[clients_keystone]
auth_uri = $keystone_url
[ec2authtoken]
auth_uri = $keystone_url/v3
C
}

database_heat() { heat-manage --config-file "$config/heat/heat.conf" db_sync; }

start_heat() {
  local run_python=(python3 -m windlass_openstack.program) with=(--config-file "$config/heat/heat.conf")
  start heat-api "${run_python[@]}" heat-api heat.cmd.api:main "${with[@]}"
  start heat-api-cfn "${run_python[@]}" heat-api-cfn heat.cmd.api_cfn:main "${with[@]}"
  start heat-engine "${run_python[@]}" heat-engine heat.cmd.engine:main "${with[@]}"
}
