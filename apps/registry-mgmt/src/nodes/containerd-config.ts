import { TerminalError } from '@windlass/foundation';

export const CONTAINERD_CONFIG = '/etc/containerd/config.toml';

/** Where containerd looks for what it is told of each registry. */
export const CERTS_D = '/etc/containerd/certs.d';

/** The table of registries, by the version of the configuration's format. 1: containerd before 1.3; 2: 1.x; 3: 2.x. */
const TABLES: Readonly<Record<string, string>> = {
  '1': 'plugins.cri.registry',
  '2': 'plugins."io.containerd.grpc.v1.cri".registry',
  '3': "plugins.'io.containerd.cri.v1.images'.registry",
};

const CONFIG_PATH = /^(\s*config_path\s*=\s*)(?:"([^"]*)"|'([^']*)')\s*(?:#.*)?$/;

/** Whether this containerd serves no kubelet: Docker's own package installs it so. */
export const servesNoKubelet = (config: string): boolean =>
  /^[ \t]*disabled_plugins[ \t]*=[ \t]*\[[^[\]]*["'](io\.containerd\.grpc\.v1\.)?cri["']/m.test(config);

/**
 * containerd's configuration, told to look into {@link CERTS_D}; the rest of it as it was. One without any table says no more than the defaults.
 * @throws TerminalError `node.containerd-config` for one that containerd would not take together with a folder
 */
export function withConfigPath(config: string): string {
  const lines = (config.trim() === '' ? 'version = 2\n' : config).split('\n');
  const version = /^[ \t]*version[ \t]*=[ \t]*(\d+)/m.exec(lines.join('\n'))?.[1] ?? '1';
  const table = TABLES[version];
  if (table === undefined)
    throw refused(`its format is version ${version}, and 1 to 3 are known: this containerd is newer than this release`);
  const older = lines.find((line) => isOlderWay(line, table));
  if (older !== undefined)
    throw refused(
      `it has ${older.trim()}, which containerd refuses beside config_path: take that out, and name the registry in private_registry_connection_info`,
    );
  const header = lines.findIndex((line) => headerOf(line) === plain(table));
  if (header === -1) return `${lines.join('\n').trimEnd()}\n\n[${table}]\n  config_path = "${CERTS_D}"\n`;
  const end = lines.findIndex((line, at) => at > header && headerOf(line) !== undefined);
  const at = lines.findIndex((line, n) => n > header && (end === -1 || n < end) && CONFIG_PATH.test(line));
  if (at === -1) return lines.toSpliced(header + 1, 0, `  config_path = "${CERTS_D}"`).join('\n');
  const [, left = '', inDouble = '', inSingle = ''] = CONFIG_PATH.exec(lines[at] ?? '') ?? [];
  const folders = `${inDouble}${inSingle}`.split(':').filter((folder) => folder !== '');
  if (folders.includes(CERTS_D)) return config;
  return lines.with(at, `${left}"${[CERTS_D, ...folders].join(':')}"`).join('\n');
}

/** A table's name without quotes; undefined where the line is no table's. */
function headerOf(line: string): string | undefined {
  const name = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line)?.[1];
  return name === undefined ? undefined : plain(name);
}

const plain = (name: string): string => name.replaceAll(/["'\s]/g, '');

/** A registry in containerd's configuration itself, with its addresses or its certificates. */
function isOlderWay(line: string, table: string): boolean {
  const name = headerOf(line) ?? '';
  const below = (part: string): boolean => name.startsWith(`${plain(table)}.${part}.`);
  return below('mirrors') || (below('configs') && name.endsWith('.tls'));
}

const refused = (why: string): TerminalError =>
  new TerminalError('node.containerd-config', `${CONTAINERD_CONFIG} can't be told where registries are: ${why}`);
