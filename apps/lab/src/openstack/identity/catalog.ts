import type { JsonObject } from '@windlass/foundation';
import { stableHexId } from '../state/ids.js';

export const REGION = 'RegionOne';

interface Endpoint {
  type: string;
  name: string;
  url(base: string, projectId: string): string;
}

/** Where each service is, as the catalog of a token says. Neutron's and Glance's have no version, as in a real cloud. */
const endpoints: Endpoint[] = [
  { type: 'orchestration', name: 'heat', url: (base, project) => `${base}/orchestration/v1/${project}` },
  { type: 'image', name: 'glance', url: (base) => `${base}/image` },
  { type: 'network', name: 'neutron', url: (base) => `${base}/network` },
  { type: 'compute', name: 'nova', url: (base) => `${base}/compute/v2.1` },
  { type: 'volumev3', name: 'cinderv3', url: (base, project) => `${base}/volume/v3/${project}` },
  { type: 'identity', name: 'keystone', url: (base) => `${base}/identity/v3` },
];

/** A service that an operator registered beside OpenStack's own, with one URL for all. */
export interface RegisteredService {
  /** `nfv-orchestration` */
  type: string;
  name: string;
  url: string;
}

/** The catalog for a token of that project. */
export const catalog = (base: string, projectId: string, registered: readonly RegisteredService[]): JsonObject[] =>
  [...endpoints, ...registered.map(({ type, name, url }): Endpoint => ({ type, name, url: () => url }))].map((endpoint) => ({
    endpoints: ['internal', 'admin', 'public'].map((face) => ({
      id: stableHexId('endpoint', endpoint.type, face),
      interface: face,
      region_id: REGION,
      url: endpoint.url(base, projectId),
      region: REGION,
    })),
    id: stableHexId('service', endpoint.type),
    type: endpoint.type,
    name: endpoint.name,
  }));
