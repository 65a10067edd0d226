import type { AddressRules } from '@windlass/outbound';
import type { VimConnection } from '../session/connection.js';
import type { ServiceType } from '../session/service-catalog.js';
import { SurroundingsApi } from '../neutron/surroundings-api.js';
import { OpenStack } from '../openstack.js';
import { checkClock, checkLogin, checkServices, messageOf } from './access.js';
import { findingsOf, type Finding } from './findings.js';
import { findFlavors } from './flavors.js';
import { checkHostNames, checkHosts } from './hosts.js';
import { checkImages } from './images.js';
import type { Look } from './look.js';
import { findNetworks } from './networks.js';
import { checkQuota } from './quota.js';
import { checkResourceTypes } from './resource-types.js';
import { checkSecurityGroups } from './security-groups.js';
import type { VimNeeds } from './vim-needs.js';

export interface CheckOptions {
  /** Ends it. */
  signal?: AbortSignal;
  /** As `SessionOptions` has them. */
  rules?: AddressRules;
  /** Wall clock, in milliseconds; for tests. */
  now?: () => number;
}

/**
 * Looks whether a VIM has what a VNF needs of it, as the user of the connection. Nothing is changed there. What goes wrong is a finding, and the
 * other checks are made all the same; only the signal throws.
 */
export async function checkVim(connection: VimConnection, needs: VimNeeds, options: CheckOptions = {}): Promise<Finding[]> {
  const { signal, rules, now = () => Date.now() } = options;
  const opened = OpenStack.open(connection, rules === undefined ? {} : { rules });
  const openStack = opened.with({
    fence: () => {
      throw new Error('a check must change nothing');
    },
    ...(signal === undefined ? {} : { signal }),
  });
  try {
    const login = await checkLogin(openStack, connection);
    const { token } = login;
    signal?.throwIfAborted();
    if (token === undefined) return login.findings;
    const services = await checkServices(openStack, connection, needs, token);
    const look: Look = {
      openStack,
      surroundings: new SurroundingsApi(openStack.session),
      needs,
      token,
      project: token.projectName ?? token.projectId ?? '',
    };
    const clock = await told('clock', ['network', 'compute'], services.answering, async () => [
      await checkClock(openStack, needs.clockDifferenceMs, now),
    ]);
    const rest = await checksOf(look, services.answering);
    signal?.throwIfAborted();
    return [...login.findings, ...services.findings, ...clock, ...rest];
  } finally {
    opened.close();
  }
}

async function checksOf(look: Look, answering: ReadonlySet<ServiceType>): Promise<Finding[]> {
  const looked = <T extends { findings: Finding[] }>(name: string, service: ServiceType, empty: T, work: () => Promise<T>) =>
    lookedAt(name, [service], answering, empty, work);
  const [networks, flavors] = await Promise.all([
    looked('network', 'network', { found: [], findings: [] } as Awaited<ReturnType<typeof findNetworks>>, () =>
      findNetworks(look),
    ),
    looked('flavor', 'compute', { found: new Map(), findings: [] } as Awaited<ReturnType<typeof findFlavors>>, () =>
      findFlavors(look),
    ),
  ]);
  const others = await Promise.all([
    told('heat', ['orchestration'], answering, () => checkResourceTypes(look)),
    told('security-group', ['network'], answering, () => checkSecurityGroups(look, networks.found)),
    told('image', ['image', 'compute'], answering, () => checkImages(look)),
    told(
      'quota',
      look.needs.services.filter((one) => !['orchestration', 'image'].includes(one)),
      answering,
      () => checkQuota(look, flavors.found),
    ),
    told('compute', ['compute'], answering, () => checkHostNames(look)),
    told('compute', ['compute'], answering, () => checkHosts(look)),
  ]);
  return [...networks.findings, ...flavors.findings, ...others.flat()];
}

/** Findings of one kind of check; what it throws is one. */
async function told(
  name: string,
  services: readonly ServiceType[],
  answering: ReadonlySet<ServiceType>,
  work: () => Promise<Finding[]>,
): Promise<Finding[]> {
  return (await lookedAt(name, services, answering, { findings: [] }, async () => ({ findings: await work() }))).findings;
}

/** A check whose service does not answer is left out: that is a finding already. */
async function lookedAt<T extends { findings: Finding[] }>(
  name: string,
  services: readonly ServiceType[],
  answering: ReadonlySet<ServiceType>,
  empty: T,
  work: () => Promise<T>,
): Promise<T> {
  if (services.some((service) => !answering.has(service))) return empty;
  try {
    return await work();
  } catch (error) {
    const finding = findingsOf(name, 'not looked at').failed(messageOf(error), { todo: 'mend what it says, and check again' });
    return { ...empty, findings: [finding] };
  }
}
