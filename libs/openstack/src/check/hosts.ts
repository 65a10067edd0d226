import { findingsOf, type Finding } from './findings.js';
import type { Look } from './look.js';
import type { ServerGroupNeed } from './vim-needs.js';

/** The policy that shows a server's compute host to others than administrators. */
const HOST_POLICY = 'os_compute_api:os-extended-server-attributes';

/** Whether the name of a server's compute host can be seen, as far as there is a server to look at. */
export async function checkHostNames({ openStack, needs, token, project }: Look): Promise<Finding[]> {
  if (!needs.showHosts) return [];
  const told = findingsOf('compute.host-name', 'OS-EXT-SRV-ATTR:host');
  const todo = `have policy "${HOST_POLICY}" of Nova opened for project ${project}, or register the VIM with a user who may`;
  const command = `openstack server show -c OS-EXT-SRV-ATTR:host '<server>'`;
  const servers = (await openStack.nova.listServers()).filter(({ hostId }) => hostId !== undefined);
  if (servers.some(({ host }) => host !== undefined)) return [told.ok('shown to this user')];
  if (servers.length > 0)
    return [told.failed('hidden from this user: pods can’t be kept apart by compute host', { todo, command })];
  if (token.roles.includes('admin')) return [told.ok('an administrator sees it; the project has no server to look at')];
  return [
    told.warning('the project has no server to look at; Nova hides it from all but administrators by default', { todo, command }),
  ];
}

/** Whether there are hosts enough for the groups' policies. */
export async function checkHosts({ openStack, needs }: Look): Promise<Finding[]> {
  const groups = needs.serverGroups.filter(({ policy }) => policy === 'anti-affinity');
  if (groups.length === 0) return [];
  const hosts = await openStack.nova.computeHosts();
  const own = new Set((await openStack.nova.listServers()).flatMap(({ hostId }) => hostId ?? []));
  return groups.map((group) => hostsFinding(group, hosts?.length, own.size));
}

/**
 * @param hosts compute hosts that take servers, where they are shown
 * @param used hosts that servers of the project are on: there are at least these
 */
export function hostsFinding({ name, now, most }: ServerGroupNeed, hosts: number | undefined, used: number): Finding {
  const told = findingsOf('compute.hosts', `server group ${name}`);
  const needed = `${now} hosts needed, ${most} at the largest size`;
  const more = {
    todo: 'add compute hosts, choose a smaller size, or take soft-anti-affinity in the template',
    command: 'openstack compute service list --service nova-compute',
  };
  if (hosts === undefined)
    return used >= most
      ? told.ok(`${needed}; the project’s servers are on ${used} already`)
      : told.warning(`${needed}; only administrators see how many there are`, {
          ...more,
          todo: 'ask an administrator to count them',
        });
  const says = `${needed}; ${hosts} take servers`;
  if (hosts < now) return told.failed(says, more);
  // A heal makes the replacement first.
  return hosts < most ? told.warning(says, more) : told.ok(says);
}
