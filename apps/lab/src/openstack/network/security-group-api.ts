import type { Json, JsonObject } from '@windlass/foundation';
import { ok, type Call } from '../http/answer.js';
import type { Fields } from '../http/json-fields.js';
import type { Router } from '../http/router.js';
import { uuid } from '../state/ids.js';
import { pythonStr } from '../http/python-json.js';
import type { CloudState, SecurityGroup } from '../state/state.js';
import type { Neutron } from './neutron.js';
import { bodyOf, filtered, one, projectOf, required } from './neutron-calls.js';
import { badInput, badRequest, neutronError, notFound } from './neutron-errors.js';
import { parseCidr, parseIpv4 } from './addresses.js';
import { ruleView, securityGroupView } from './neutron-views.js';

interface Parts {
  state: CloudState;
  neutron: Neutron;
}

/** Security groups, and their rules. */
export function securityGroupRoutes(router: Router, { state, neutron }: Parts): void {
  const own = (call: Call): SecurityGroup[] => {
    const project = projectOf(call);
    neutron.defaultSecurityGroup(project);
    return [...state.securityGroups.values()].filter((group) => group.projectId === project);
  };
  const seen = (call: Call) => own(call).map(securityGroupView);
  const rules = (call: Call) => own(call).flatMap((group) => group.rules.map((rule, index) => ruleView(group, rule, index)));
  router
    .on('GET', '/v2.0/security-groups', (call) => ok({ security_groups: filtered(call, seen(call)) }))
    .on('GET', '/v2.0/security-groups/:id', (call) => ok({ security_group: one(call, seen(call), 'SecurityGroup') }))
    .on('POST', '/v2.0/security-groups', (call) => {
      const fields = bodyOf(call, 'security_group', ['name', 'description', 'tenant_id', 'project_id']);
      const group = neutron.createSecurityGroup(projectOf(call), fields.text('name') ?? '', fields.text('description') ?? '');
      return { status: 201, body: { security_group: securityGroupView(group) } };
    })
    .on('DELETE', '/v2.0/security-groups/:id', (call) => {
      neutron.deleteSecurityGroup(projectOf(call), call.params.id ?? '');
      return { status: 204 };
    })
    .on('GET', '/v2.0/security-group-rules', (call) => ok({ security_group_rules: filtered(call, rules(call)) }))
    .on('GET', '/v2.0/security-group-rules/:id', (call) =>
      ok({ security_group_rule: one(call, rules(call), 'SecurityGroupRule') }),
    )
    .on('POST', '/v2.0/security-group-rules', (call) => {
      const fields = bodyOf(call, 'security_group_rule', RULE_FIELDS);
      const group = neutron.securityGroup(projectOf(call), required(fields, 'security_group_id'));
      const rule = ruleOf(fields);
      refuseDuplicate(group, rule);
      group.rules.push(rule);
      return { status: 201, body: { security_group_rule: ruleView(group, rule, group.rules.length - 1) } };
    })
    .on('DELETE', '/v2.0/security-group-rules/:id', (call) => {
      const id = call.params.id ?? '';
      const group = own(call).find((candidate) =>
        candidate.rules.some((rule, index) => ruleView(candidate, rule, index).id === id),
      );
      if (group === undefined) throw notFound('SecurityGroupRule', id);
      // Those that stay keep their ids, which may come from their places.
      group.rules = group.rules
        .map((rule, index): JsonObject => ({ ...rule, id: ruleView(group, rule, index).id ?? null }))
        .filter((rule) => rule.id !== id);
      return { status: 204 };
    });
}

const RULE_FIELDS = [
  'security_group_id',
  'direction',
  'ethertype',
  'protocol',
  'port_range_min',
  'port_range_max',
  'remote_ip_prefix',
  'remote_group_id',
  'description',
  'tenant_id',
  'project_id',
];

const PROTOCOLS = [
  'ah',
  'dccp',
  'egp',
  'esp',
  'gre',
  'icmp',
  'icmpv6',
  'igmp',
  'ipip',
  'ospf',
  'pgm',
  'rsvp',
  'sctp',
  'tcp',
  'udp',
  'udplite',
  'vrrp',
];
const WITH_PORTS = ['tcp', '6', 'udp', '17', 'sctp', '132', 'dccp', '33', 'udplite', '136'];

/** A rule as Neutron takes it: ports only of protocols that have them, and both or none. */
function ruleOf(fields: Fields): JsonObject {
  const protocol = fields.raw('protocol') ?? null;
  const name = protocol === null ? 'any' : pythonStr(protocol).toLowerCase();
  if (name !== 'any' && !PROTOCOLS.includes(name) && !(/^\d{1,3}$/.test(name) && Number(name) <= 255))
    throw neutronError(
      400,
      'SecurityGroupRuleInvalidProtocol',
      `Security group rule protocol ${name} not supported. Only protocol values [None, ${PROTOCOLS.map((one) => `'${one}'`).join(', ')}] and integer representations [0 to 255] are supported.`,
    );
  const direction = required(fields, 'direction');
  if (direction !== 'ingress' && direction !== 'egress')
    throw badRequest(`Invalid input for direction. Reason: '${direction}' is not in ['ingress', 'egress'].`);
  const [min, max] = [fields.whole('port_range_min'), fields.whole('port_range_max')];
  checkPorts(name, min, max);
  const prefix = fields.text('remote_ip_prefix');
  if (prefix !== undefined && parseCidr(prefix) === undefined && parseIpv4(prefix) === undefined)
    throw badInput(`remote_ip_prefix ${prefix} is no address range`);
  const group = fields.text('remote_group_id');
  if (prefix !== undefined && group !== undefined)
    throw neutronError(
      400,
      'SecurityGroupMultipleRemoteEntites',
      'Only one remote_ip_prefix or remote_group_id may be provided.',
    );
  const rule: Record<string, Json> = {
    id: uuid(),
    direction,
    ethertype: fields.text('ethertype') ?? 'IPv4',
    protocol: name === 'any' ? null : name,
    port_range_min: min ?? null,
    port_range_max: max ?? null,
    remote_ip_prefix: prefix ?? null,
    remote_group_id: group ?? null,
  };
  return rule;
}

function checkPorts(protocol: string, min: number | undefined, max: number | undefined): void {
  if (min === undefined && max === undefined) return;
  if (['icmp', '1', 'icmpv6', '58'].includes(protocol)) {
    if (min === undefined)
      throw neutronError(
        400,
        'SecurityGroupMissingIcmpType',
        `ICMP code (port-range-max) ${max} is provided but ICMP type (port-range-min) is missing.`,
      );
    return;
  }
  if (protocol === 'any' || !WITH_PORTS.includes(protocol))
    throw neutronError(400, 'SecurityGroupProtocolRequiredWithPorts', 'Must also specify protocol if port range is given.');
  if (min === undefined || max === undefined || min > max || min < 1 || max > 65_535)
    throw neutronError(400, 'SecurityGroupInvalidPortRange', 'For TCP/UDP protocols, port_range_min must be <= port_range_max');
}

const SAME = ['direction', 'ethertype', 'protocol', 'port_range_min', 'port_range_max', 'remote_ip_prefix', 'remote_group_id'];

function refuseDuplicate(group: SecurityGroup, rule: JsonObject): void {
  const found = group.rules.findIndex((other) => SAME.every((name) => (other[name] ?? null) === (rule[name] ?? null)));
  if (found < 0) return;
  const id = pythonStr(ruleView(group, group.rules[found] ?? {}, found).id ?? null);
  throw neutronError(409, 'SecurityGroupRuleExists', `Security group rule already exists. Rule id is ${id}.`);
}
