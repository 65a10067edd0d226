import { TerminalError, withoutEnd } from '@windlass/foundation';
import type { EndpointInterface } from './connection.js';
import type { AnswerReader } from '../http/answer-reader.js';

/** The services in use, and what their catalog entries are called; the first name found wins. */
const TYPES = {
  orchestration: ['orchestration'],
  compute: ['compute'],
  network: ['network'],
  image: ['image'],
  volume: ['volumev3', 'block-storage', 'block-store'],
} as const;

/** What a catalog URL gets where it names no version: Neutron's and Glance's are registered without, as a rule. */
const VERSION_PATH: Record<ServiceType, { has: RegExp; add: string }> = {
  orchestration: { has: /\/v1(\/|$)/, add: '/v1' },
  compute: { has: /\/v2(\.\d+)?(\/|$)/, add: '/v2.1' },
  network: { has: /\/v2(\.\d+)?(\/|$)/, add: '/v2.0' },
  image: { has: /\/v2(\.\d+)?(\/|$)/, add: '/v2' },
  volume: { has: /\/v3(\/|$)/, add: '/v3' },
};

export type ServiceType = keyof typeof TYPES;

export interface CatalogEndpoint {
  type: string;
  interface: string;
  region: string | undefined;
  url: string;
}

/** The `catalog` member of a token, flat. */
export function readCatalog(token: AnswerReader): CatalogEndpoint[] {
  return token.objects('catalog').flatMap((service) =>
    service.objects('endpoints').map((endpoint) => ({
      type: service.text('type'),
      interface: endpoint.text('interface'),
      region: endpoint.textIfAny('region_id') ?? endpoint.textIfAny('region'),
      url: endpoint.text('url'),
    })),
  );
}

/**
 * The root URL of a service, with its version and without a slash at its end.
 * @throws TerminalError `openstack.no-endpoint`, which lists what the catalog has instead
 */
export function endpointOf(
  catalog: readonly CatalogEndpoint[],
  service: ServiceType,
  at: { interface: EndpointInterface; region: string | undefined },
): string {
  return versioned(service, catalogUrl(catalog, TYPES[service], service, at));
}

/**
 * The URL of a service's entry as it stands in the catalog, without a slash at its end.
 * @param types what the entry may be called; the first that is found wins
 * @throws TerminalError `openstack.no-endpoint`, which lists what the catalog has instead
 */
export function catalogUrl(
  catalog: readonly CatalogEndpoint[],
  types: readonly string[],
  service: string,
  at: { interface: EndpointInterface; region: string | undefined },
): string {
  for (const type of types) {
    const found = catalog.find(
      (endpoint) =>
        endpoint.type === type &&
        endpoint.interface === at.interface &&
        (at.region === undefined || endpoint.region === at.region),
    );
    if (found !== undefined) return withoutEnd(found.url, '/');
  }
  const has = catalog.map((endpoint) => `${endpoint.type} (${endpoint.interface}, ${endpoint.region ?? 'no region'})`);
  throw new TerminalError(
    'openstack.no-endpoint',
    `the catalog has no ${at.interface} endpoint of ${service} in ${at.region === undefined ? 'any region' : `region "${at.region}"`}; ` +
      `it has: ${has.length === 0 ? 'nothing' : has.join(', ')}`,
  );
}

function versioned(service: ServiceType, url: string): string {
  const { has, add } = VERSION_PATH[service];
  return has.test(new URL(url).pathname) ? url : `${url}${add}`;
}
