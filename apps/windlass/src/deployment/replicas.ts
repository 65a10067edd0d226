import { RequestError } from '@windlass/foundation';
import { SERVICES } from './services.js';

/** How many processes each service has; one where it is not named. */
export type Replicas = Readonly<Record<string, number>>;

/** Of one service, on one machine: more would only wait for its processors. */
const MOST = 20;
/** It has the address at which clients are. */
const API = 'lcm-api';

const scalable = (): string[] => SERVICES.map(({ name }) => name).filter((name) => name !== API);

/**
 * Reads `infra-driver=3`, as often as it was given.
 * @throws RequestError 400 `up.bad-replicas`
 */
export function replicasOf(given: readonly string[]): Replicas {
  const replicas: Record<string, number> = {};
  for (const one of given) {
    const [, service = '', number = ''] = /^([a-z0-9-]+)=(\d{1,3})$/.exec(one) ?? [];
    if (service === '') throw bad(`--replicas ${one}: expected SERVICE=NUMBER, such as infra-driver=3`);
    if (service === API) throw bad(`--replicas ${one}: ${API} has one address here, and one process; the Helm chart has several`);
    if (!scalable().includes(service))
      throw bad(`--replicas ${one}: there is no service ${service}; there are ${scalable().join(', ')}`);
    if (service in replicas) throw bad(`--replicas names ${service} twice`);
    const count = Number(number);
    if (count < 1 || count > MOST) throw bad(`--replicas ${one}: expected a number from 1 to ${MOST}`);
    replicas[service] = count;
  }
  return replicas;
}

/** The same number of each service that can have several. */
export const replicasOfEach = (count: number): Replicas => Object.fromEntries(scalable().map((name) => [name, count]));

/** Names of a service's processes: its own, then with a number. */
export const processNames = (service: string, replicas: Replicas = {}): string[] =>
  Array.from({ length: replicas[service] ?? 1 }, (_, n) => (n === 0 ? service : `${service}-${n + 1}`));

const bad = (detail: string): RequestError => new RequestError(400, 'up.bad-replicas', detail);
