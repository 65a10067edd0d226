import type { Flavor } from '../nova/nova-api.js';
import { commandLine, findingsOf, type Finding } from './findings.js';
import type { Look } from './look.js';
import { groupMembersFinding, quotaFinding, type NeededAmount, type Quota } from './quota-arithmetic.js';
import { AMOUNTS, type AmountName, type ServerNeed } from './vim-needs.js';

/** What each service counts; by its own names. */
const NOVA: Partial<Record<AmountName, [limit: string, used: string]>> = {
  instances: ['maxTotalInstances', 'totalInstancesUsed'],
  cores: ['maxTotalCores', 'totalCoresUsed'],
  ram: ['maxTotalRAMSize', 'totalRAMUsed'],
  serverGroups: ['maxServerGroups', 'totalServerGroupsUsed'],
};
const CINDER: Partial<Record<AmountName, [limit: string, used: string]>> = {
  volumes: ['maxTotalVolumes', 'totalVolumesUsed'],
  gigabytes: ['maxTotalVolumeGigabytes', 'totalGigabytesUsed'],
};
const NEUTRON: Partial<Record<AmountName, string>> = {
  networks: 'network',
  subnets: 'subnet',
  routers: 'router',
  ports: 'port',
  floatingIps: 'floatingip',
  securityGroups: 'security_group',
  securityGroupRules: 'security_group_rule',
};

/** Everything that the VNF needs against what is left of the project's quotas. */
export async function checkQuota(look: Look, flavors: ReadonlyMap<string, Flavor>): Promise<Finding[]> {
  const needed = neededAmounts(look, flavors);
  const { openStack, needs, project } = look;
  const compute = needs.servers.length === 0 ? {} : await openStack.nova.limits();
  const quotas: Partial<Record<AmountName, Quota>> = { ...fromLimits(NOVA, compute) };
  if (AMOUNTS.some((name) => CINDER[name] !== undefined && isNeeded(needed[name])))
    Object.assign(quotas, fromLimits(CINDER, await openStack.cinder.limits()));
  const findings: Finding[] = [];
  if (AMOUNTS.some((name) => NEUTRON[name] !== undefined && isNeeded(needed[name]))) {
    const network = await look.surroundings.quotas(look.token.projectId ?? '');
    if (network === undefined) findings.push(unseen(project));
    for (const name of AMOUNTS) {
      const quota = network?.[NEUTRON[name] ?? ''];
      if (quota !== undefined) quotas[name] = { limit: limited(quota.limit), used: quota.used };
    }
  }
  for (const name of AMOUNTS) {
    const [amount, quota] = [needed[name], quotas[name]];
    if (isNeeded(amount) && quota !== undefined) findings.push(quotaFinding(name, amount, quota, project));
  }
  const members = limited(compute.maxServerGroupMembers);
  return [...findings, ...needs.serverGroups.map((group) => groupMembersFinding(group.name, group, members, project))];
}

const unseen = (project: string): Finding =>
  findingsOf('quota.network', 'Neutron').note('it does not tell what is used of its quotas', {
    todo: 'compare it by hand',
    command: commandLine('openstack', 'quota', 'show', '--usage', project),
  });

const isNeeded = (amount: NeededAmount | undefined): amount is NeededAmount => amount !== undefined && amount.most > 0;

/** Below 0, or not told: no limit. */
const limited = (limit: number | undefined): number | undefined => (limit === undefined || limit < 0 ? undefined : limit);

function fromLimits(
  names: Partial<Record<AmountName, [string, string]>>,
  limits: Readonly<Record<string, number>>,
): Partial<Record<AmountName, Quota>> {
  const quotas: Partial<Record<AmountName, Quota>> = {};
  for (const name of AMOUNTS) {
    const [limit, used] = names[name] ?? [];
    if (limit === undefined || used === undefined || limits[limit] === undefined) continue;
    quotas[name] = { limit: limited(limits[limit]), used: limits[used] ?? 0 };
  }
  return quotas;
}

/** What the templates make, and what follows from the servers' flavors. */
function neededAmounts({ needs }: Look, flavors: ReadonlyMap<string, Flavor>): Partial<Record<AmountName, NeededAmount>> {
  const { now, most } = needs.amounts;
  const needed: Partial<Record<AmountName, NeededAmount>> = {};
  for (const name of AMOUNTS) needed[name] = { now: now[name] ?? 0, most: most[name] ?? 0 };
  return {
    ...needed,
    cores: sum(needs.servers, (server) => flavors.get(server.name)?.vcpus ?? server.least.vcpus),
    ram: sum(needs.servers, (server) => flavors.get(server.name)?.ramMiB ?? server.least.ramMiB),
  };
}

const sum = (servers: readonly ServerNeed[], each: (server: ServerNeed) => number): NeededAmount =>
  servers.reduce(
    (total, server) => ({ now: total.now + each(server) * server.now, most: total.most + each(server) * server.most }),
    { now: 0, most: 0 },
  );
