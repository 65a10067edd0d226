import type { Route } from '../routes/route.js';

/** The groups in which tools show routes, by how their paths begin. */
export const TAGS: readonly (readonly [prefix: string, name: string, description: string])[] = [
  ['/vnflcm', 'VNF lifecycle management', 'ETSI GS NFV-SOL 003, clause 5'],
  ['/vnfpkgm', 'VNF package management', 'ETSI GS NFV-SOL 003, clause 10, and SOL 005, clause 9'],
  ['/v1.0', 'VIMs', 'the legacy API of the openstack command line'],
  ['/windlass', 'Windlass', 'what SOL003 has no resource for'],
  ['/', 'The service', 'versions and this document'],
];

/** The group of a route. */
export const tagOf = ({ pattern }: Pick<Route, 'pattern'>): string =>
  TAGS.find(([prefix]) => pattern.startsWith(prefix))?.[1] ?? '';
