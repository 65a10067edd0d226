import { isJsonObject } from '@windlass/foundation';
import type { AmountName, Amounts, ServerGroupNeed } from '@windlass/openstack';
import { entries, literal, objects, referredTo, type TemplateResource } from '@windlass/user-data';

/** What is counted of each type of resource. */
const COUNTED: Readonly<Record<string, AmountName>> = {
  'OS::Nova::Server': 'instances',
  'OS::Nova::ServerGroup': 'serverGroups',
  'OS::Neutron::Net': 'networks',
  'OS::Neutron::Subnet': 'subnets',
  'OS::Neutron::Router': 'routers',
  'OS::Neutron::Port': 'ports',
  'OS::Neutron::FloatingIP': 'floatingIps',
  'OS::Neutron::SecurityGroup': 'securityGroups',
  'OS::Neutron::SecurityGroupRule': 'securityGroupRules',
  'OS::Cinder::Volume': 'volumes',
};

/** What Neutron puts into each new security group. */
const EGRESS_RULES = 2;

/** What the resources take of quotas, but for what hangs on flavors. */
export function amountsOf(resources: readonly TemplateResource[]): Amounts {
  const amounts: Amounts = {};
  const add = (name: AmountName, count: number): void => {
    if (count > 0) amounts[name] = (amounts[name] ?? 0) + count;
  };
  for (const { type, properties, count } of resources) {
    const name = COUNTED[type];
    if (name !== undefined) add(name, count);
    if (type === 'OS::Neutron::SecurityGroup')
      add('securityGroupRules', (entries(properties.rules).length + EGRESS_RULES) * count);
    if (type === 'OS::Cinder::Volume') add('gigabytes', Number(literal(properties.size) ?? 0) * count);
    if (type !== 'OS::Nova::Server') continue;
    // Ports and volumes that Nova makes by itself.
    add('ports', objects(properties.networks).filter(({ port }) => port === undefined || port === null).length * count);
    const disks = objects(properties.block_device_mapping_v2).filter(
      ({ image, volume_size: size, volume_id: volume }) => volume === undefined && (image !== undefined || size !== undefined),
    );
    add('volumes', disks.length * count);
    add('gigabytes', disks.reduce((sum, { volume_size: size }) => sum + Number(literal(size) ?? 0), 0) * count);
  }
  return amounts;
}

/** Server groups of the templates, and how many servers are in each. */
export function serverGroupsOf(now: readonly TemplateResource[], most: readonly TemplateResource[]): ServerGroupNeed[] {
  return now
    .filter(({ type }) => type === 'OS::Nova::ServerGroup')
    .map(({ name, path, properties }) => ({
      name: literal(properties.name) ?? name,
      policy: literal(entries(properties.policies)[0]) ?? 'anti-affinity',
      now: membersOf(path, now),
      most: membersOf(path, most),
    }));
}

const membersOf = (group: string, resources: readonly TemplateResource[]): number =>
  resources
    .filter(
      ({ type, properties: { scheduler_hints: hints } }) =>
        type === 'OS::Nova::Server' && isJsonObject(hints) && referredTo(hints.group) === group,
    )
    .reduce((sum, { count }) => sum + count, 0);
