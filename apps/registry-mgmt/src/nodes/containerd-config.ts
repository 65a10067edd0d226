import { TerminalError } from '@windlass/foundation';

export const CONTAINERD_CONFIG = '/etc/containerd/config.toml';

/** Where containerd looks for what it is told of each registry. */
export const CERTS_D = '/etc/containerd/certs.d';

/** A second folder that containerd uses by default while its configuration names none: since 2.2 (config_unix.go). */
const DOCKERS = '/etc/docker/certs.d';

/** containerd's new configuration, and the folders that it used before. */
export interface ToldConfig {
  config: string;
  /** Other folders that containerd used. None of them is in the configuration any more. */
  others: string[];
}

/**
 * The tables that name the folder, by the version of the configuration's format. 1: containerd before 1.3; 2: 1.x; 3: 2.x, where the first table is
 * for the kubelet's pulls, and the second for pulls by the transfer service.
 */
const TABLES: Readonly<Record<string, readonly [string, ...string[]]>> = {
  '1': ['plugins.cri.registry'],
  '2': ['plugins."io.containerd.grpc.v1.cri".registry'],
  '3': ["plugins.'io.containerd.cri.v1.images'.registry", "plugins.'io.containerd.transfer.v1.local'"],
};

const CONFIG_PATH = /^(\s*config_path\s*=\s*)(?:"([^"]*)"|'([^']*)')\s*(?:#.*)?$/;

/** Whether this containerd serves no kubelet: Docker's own package installs it with the CRI disabled. */
export const servesNoKubelet = (config: string): boolean =>
  /^[ \t]*disabled_plugins[ \t]*=[ \t]*\[[^[\]]*["'](io\.containerd\.grpc\.v1\.)?cri["']/m.test(config);

/**
 * containerd's configuration, changed to use {@link CERTS_D} and no other folder. A configuration without tables stands for the defaults. Other
 * folders have to go: a list of folders, which 2.2 prints as its default, is one folder's name to the transfer service that pulls since 2.1
 * (containerd 2.2.1, internal/cri/server/images/image_pull.go; issue 12808), which then finds nothing and reports nothing.
 * @throws TerminalError `node.containerd-config` for a configuration that containerd would not accept together with a folder
 */
export function withConfigPath(config: string): ToldConfig {
  const before = config.trim() === '' ? 'version = 2\n' : config;
  const version = /^[ \t]*version[ \t]*=[ \t]*(\d+)/m.exec(before)?.[1] ?? '1';
  const tables = TABLES[version];
  if (tables === undefined)
    throw refused(`its format is version ${version}, and 1 to 3 are known: this containerd is newer than this release`);
  const older = before.split('\n').find((line) => isOlderWay(line, tables[0]));
  if (older !== undefined)
    throw refused(
      `it has ${older.trim()}, which containerd refuses beside config_path: take that out, and name the registry in private_registry_connection_info`,
    );
  const told: ToldConfig = { config: before, others: [] };
  for (const table of tables) {
    const { config: changed, others } = tell(told.config, table, table === tables[0] ? [DOCKERS] : []);
    told.config = changed;
    told.others.push(...others.filter((folder) => !told.others.includes(folder)));
  }
  return told;
}

/** Makes one table name the folder. @param unsaid folders that containerd also uses while the table names none */
function tell(config: string, table: string, unsaid: string[]): ToldConfig {
  const lines = config.split('\n');
  const ours = `config_path = "${CERTS_D}"`;
  const header = lines.findIndex((line) => headerOf(line) === plain(table));
  if (header === -1) return { config: `${lines.join('\n').trimEnd()}\n\n[${table}]\n  ${ours}\n`, others: unsaid };
  const end = lines.findIndex((line, at) => at > header && headerOf(line) !== undefined);
  const at = lines.findIndex((line, n) => n > header && (end === -1 || n < end) && CONFIG_PATH.test(line));
  if (at === -1) return { config: lines.toSpliced(header + 1, 0, `  ${ours}`).join('\n'), others: unsaid };
  const [, left = '', inDouble = '', inSingle = ''] = CONFIG_PATH.exec(lines[at] ?? '') ?? [];
  const value = `${inDouble}${inSingle}`;
  if (value === CERTS_D) return { config, others: [] };
  const others = value.split(':').filter((folder) => folder.startsWith('/') && folder !== CERTS_D);
  return { config: lines.with(at, `${left}"${CERTS_D}"`).join('\n'), others };
}

/** A table's name without quotes; undefined where the line is no table's. */
function headerOf(line: string): string | undefined {
  const name = /^\s*\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line)?.[1];
  return name === undefined ? undefined : plain(name);
}

const plain = (name: string): string => name.replaceAll(/["'\s]/g, '');

/** Whether a line begins a registry in containerd's configuration itself, with its addresses or certificates: the older way. */
function isOlderWay(line: string, table: string): boolean {
  const name = headerOf(line) ?? '';
  const below = (part: string): boolean => name.startsWith(`${plain(table)}.${part}.`);
  return below('mirrors') || (below('configs') && name.endsWith('.tls'));
}

const refused = (why: string): TerminalError =>
  new TerminalError('node.containerd-config', `${CONTAINERD_CONFIG} can't be told where registries are: ${why}`);
