import type { RegistryInput } from '@windlass/driver-kit';
import { TerminalError } from '@windlass/foundation';
import { jsonObjectIn } from './json-object.js';

export const DOCKER_CONFIG = '/etc/docker/daemon.json';

/**
 * The configuration of Docker's daemon, with the registries that are reached without TLS. Other members stay. Undefined where there is no file and no
 * such registry.
 * @param before the present file
 * @throws TerminalError `node.docker-config`
 */
export function withInsecure(
  before: string | undefined,
  registries: readonly RegistryInput[],
  known: readonly string[],
): string | undefined {
  const config = jsonObjectIn(before ?? '{}', unreadable);
  const there = config['insecure-registries'] ?? [];
  if (!Array.isArray(there)) throw unreadable();
  const wanted = [...new Set(registries.filter(({ scheme }) => scheme === 'http').map(({ server }) => server))];
  const ours = new Set([...known, ...registries.map(({ server }) => server)]);
  const stays = there.filter((server) => wanted.includes(server as string) || !ours.has(server as string));
  const list = [...stays, ...wanted.filter((server) => !stays.includes(server))];
  if (JSON.stringify(list) === JSON.stringify(there)) return before;
  return `${JSON.stringify({ ...config, 'insecure-registries': list }, null, 2)}\n`;
}

const unreadable = (): TerminalError =>
  new TerminalError(
    'node.docker-config',
    `${DOCKER_CONFIG} is there and is no configuration of Docker's daemon: correct it, or take it away, then retry the operation`,
  );
