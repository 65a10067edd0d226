import { commandLine, findingsOf, type Finding } from './findings.js';
import type { AmountName } from './vim-needs.js';

/** A limit of a project and what is used of it. */
export interface Quota {
  /** Absent: without limit. */
  limit: number | undefined;
  used: number;
}

/** Of some thing, how many are needed at the requested size and at the largest. */
export interface NeededAmount {
  now: number;
  most: number;
}

/** How the client names each. */
const OPTIONS: Readonly<Record<AmountName, { flag: string; words: string }>> = {
  instances: { flag: '--instances', words: 'instances' },
  cores: { flag: '--cores', words: 'cores' },
  ram: { flag: '--ram', words: 'MiB of memory' },
  serverGroups: { flag: '--server-groups', words: 'server groups' },
  networks: { flag: '--networks', words: 'networks' },
  subnets: { flag: '--subnets', words: 'subnets' },
  routers: { flag: '--routers', words: 'routers' },
  ports: { flag: '--ports', words: 'ports' },
  floatingIps: { flag: '--floating-ips', words: 'floating IPs' },
  securityGroups: { flag: '--secgroups', words: 'security groups' },
  securityGroupRules: { flag: '--secgroup-rules', words: 'security group rules' },
  volumes: { flag: '--volumes', words: 'volumes' },
  gigabytes: { flag: '--gigabytes', words: 'GiB of volumes' },
};

/** Whether what is left of a quota is enough. */
export function quotaFinding(name: AmountName, needed: NeededAmount, { limit, used }: Quota, project: string): Finding {
  const { flag, words } = OPTIONS[name];
  const told = findingsOf(`quota.${name}`, words);
  if (limit === undefined) return told.ok(`${needed.now} needed, ${needed.most} at the largest size; no limit`);
  const left = limit - used;
  const says = `${needed.now} needed, ${needed.most} at the largest size; ${Math.max(0, left)} of ${limit} left`;
  const enough = (wanted: number) => ({
    todo: 'have an administrator raise the quota, or free what is not used',
    command: commandLine('openstack', 'quota', 'set', flag, String(used + wanted), project),
  });
  if (needed.now > left) return told.failed(says, enough(needed.now));
  if (needed.most > left) return told.warning(`${says}: it can't be scaled to its largest`, enough(needed.most));
  return told.ok(says);
}

/** The limit on members of one server group; it is every group's own. */
export function groupMembersFinding(group: string, needed: NeededAmount, limit: number | undefined, project: string): Finding {
  const told = findingsOf('quota.serverGroupMembers', `server group ${group}`);
  const says = `${needed.now} members, ${needed.most} at the largest size; ${limit === undefined ? 'no limit' : `${limit} allowed`}`;
  const more = {
    todo: 'have an administrator raise the quota',
    command: commandLine('openstack', 'quota', 'set', '--server-group-members', String(needed.most), project),
  };
  if (limit === undefined || needed.most <= limit) return told.ok(says);
  return needed.now > limit ? told.failed(says, more) : told.warning(says, more);
}
