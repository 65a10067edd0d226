import type { RegistryInput } from '@windlass/driver-kit';
import { TerminalError } from '@windlass/foundation';
import { CERTS_D } from './containerd-config.js';

/** As in names of images. Nothing else becomes the name of a folder. */
const SERVER = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(?::[0-9]{1,5})?$/;

export const isServer = (name: string): boolean => SERVER.test(name);

/** As in names of images, at their beginning. */
const PROJECT = /^[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9][a-z0-9._-]*)*$/;

/** The name that a login is for, as the kubelet looks it up: a registry, or a project of it. */
export const nameOf = ({ server, project }: Pick<RegistryInput, 'server' | 'project'>): string =>
  project === undefined ? server : `${server}/${project}`;

/** The registry of a name that {@link nameOf} gave. */
export const serverOf = (name: string): string => name.split('/', 1)[0] ?? name;

/** Whether a text is a name of {@link nameOf}. */
export const isName = (name: string): boolean =>
  isServer(serverOf(name)) && (!name.includes('/') || PROJECT.test(name.slice(name.indexOf('/') + 1)));

const HOST = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;

const ADDRESS = /^[0-9a-fA-F:.]{2,45}$/;

/** The host of a registry's API. Docker's own registry has an address that differs from its name. */
export const apiHostOf = (server: string): string => (server === 'docker.io' ? 'registry-1.docker.io' : server);

/** Where containerd and Docker look for a registry's certificates. */
export const containerdFolder = (server: string): string => `${CERTS_D}/${server}`;
export const dockerFolder = (server: string): string => `/etc/docker/certs.d/${server}`;

/** Refuses names that could mean something else on a machine. @throws TerminalError `registry.name` */
export function checkNames({ server, project, hosts }: RegistryInput): void {
  const name = nameOf({ server, ...(project === undefined ? {} : { project }) });
  const wrong = [
    ...(isServer(server) && isName(name) ? [] : [name]),
    ...(hosts === undefined ? [] : [hosts.address].filter((address) => !ADDRESS.test(address))),
    ...(hosts?.names ?? []).filter((name) => !HOST.test(name)),
  ];
  if (wrong.length === 0) return;
  throw new TerminalError(
    'registry.name',
    `${JSON.stringify(wrong[0])} is no name of a registry: host or host:port was expected, a project in small letters, and an address with names for /etc/hosts`,
  );
}

/**
 * containerd's file about a registry. It says all twice: containerd 1.6 does not accept HTTP of `server` alone, and without `server` it falls back to
 * what it would use without this file.
 */
export function hostsToml({ server, scheme, certificate }: RegistryInput): string {
  const url = `${scheme}://${apiHostOf(server)}`;
  const terms = [
    'capabilities = ["pull", "resolve"]',
    ...(certificate === undefined ? [] : [`ca = "${containerdFolder(server)}/ca.crt"`]),
  ];
  const table = [`[host."${url}"]`, ...terms.map((line) => `  ${line}`)];
  return `${['# windlass: connect-registries', `server = "${url}"`, ...terms, '', ...table].join('\n')}\n`;
}

/** Our part of /etc/hosts for registries, whole; nothing where no registry has a line. */
export function hostsBlock(registries: readonly RegistryInput[]): string {
  const lines = registries.flatMap(({ hosts }) => (hosts === undefined ? [] : [`${hosts.address} ${hosts.names.join(' ')}`]));
  if (lines.length === 0) return '';
  return `${[HOSTS_BEGIN, ...new Set(lines), HOSTS_END].join('\n')}\n`;
}

export const HOSTS_BEGIN = '# windlass registries: begin';
export const HOSTS_END = '# windlass registries: end';
